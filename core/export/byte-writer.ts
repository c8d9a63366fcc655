/** Bytes a buffer starts with; it grows for rows that are longer. */
const firstBytes = 80 * 1024;
/** A buffer that one long row has made larger than this is given back once it is empty. */
const keptBytes = 1024 * 1024;

/** ASCII codes that a format cannot write as they are: 1 for controls and for each of `also`. */
export function oddAscii(also: string): Uint8Array {
  const odd = new Uint8Array(128);
  odd.fill(1, 0, 0x20);
  for (const character of also) odd[character.charCodeAt(0)] = 1;
  return odd;
}

/**
 * Text written as UTF-8 straight into one reused buffer. Characters are looked at and encoded in the same loop, which
 * makes no string on the way: a third of the time of joining strings and encoding them (docs/decisions/csv-writer.md).
 */
export class ByteWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  /** Bytes written. */
  at = 0;

  /** Makes room for `more` bytes. */
  room(more: number): void {
    const wanted = this.at + more;
    if (wanted <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(wanted, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.at);
    this.bytes = grown;
  }

  /** One byte; room for it must have been made. */
  byte(value: number): void {
    this.bytes[this.at] = value;
    this.at += 1;
  }

  /** Copies bytes. */
  copy(source: Uint8Array): void {
    this.room(source.length);
    const { bytes } = this;
    let { at } = this;
    for (let from = 0; from < source.length; from += 1) {
      bytes[at] = source[from] as number;
      at += 1;
    }
    this.at = at;
  }

  /** Any text. */
  text(text: string): void {
    // UTF-8 takes at most three bytes for each UTF-16 unit.
    this.room(text.length * 3);
    this.at += this.bytes.write(text, this.at, 'utf8');
  }

  /**
   * The text as it is, between two `quote` bytes unless that is 0; false, with nothing written, when it holds a
   * character that is odd in this format or half a surrogate pair.
   */
  plain(text: string, odd: Uint8Array, quote: number): boolean {
    const { length } = text;
    this.room(length * 3 + 2);
    const { bytes } = this;
    let { at } = this;
    if (quote !== 0) {
      bytes[at] = quote;
      at += 1;
    }
    for (let from = 0; from < length; from += 1) {
      const unit = text.charCodeAt(from);
      if (unit < 0x80) {
        if (odd[unit] !== 0) return false;
        bytes[at] = unit;
        at += 1;
      } else if (unit < 0x800) {
        bytes[at] = 0xc0 | (unit >> 6);
        bytes[at + 1] = 0x80 | (unit & 0x3f);
        at += 2;
      } else {
        if (unit >= 0xd800 && unit <= 0xdfff) return false;
        bytes[at] = 0xe0 | (unit >> 12);
        bytes[at + 1] = 0x80 | ((unit >> 6) & 0x3f);
        bytes[at + 2] = 0x80 | (unit & 0x3f);
        at += 3;
      }
    }
    if (quote !== 0) {
      bytes[at] = quote;
      at += 1;
    }
    this.at = at;
    return true;
  }

  /** A finite number as JavaScript writes it, negative zero with its sign. */
  number(value: number): void {
    this.room(32);
    if (value === (value | 0) && (value !== 0 || 1 / value > 0)) this.integer(value);
    else if (!this.shortDecimal(value)) this.ascii(value === 0 ? '-0' : String(value));
  }

  /**
   * Amounts and the like, of at most four decimals, which need not be searched for their shortest text: decimals of up
   * to 15 digits are told apart by a double, so the one that divides back to the value is the one that JavaScript writes.
   */
  private shortDecimal(value: number): boolean {
    const size = Math.abs(value);
    if (!(size < 0x7fffffff)) return false;
    const whole = Math.floor(size);
    let rest = Math.round((size - whole) * 10_000);
    if (rest === 0 || rest === 10_000 || (whole * 10_000 + rest) / 10_000 !== size) return false;
    if (value < 0) this.byte(0x2d);
    this.integer(whole);
    this.byte(0x2e);
    for (let power = 1_000; rest > 0; power /= 10) {
      const digit = (rest / power) | 0;
      this.byte(0x30 + digit);
      rest -= digit * power;
    }
    return true;
  }

  /** ASCII of which nothing has to be checked. */
  ascii(text: string): void {
    this.room(text.length);
    const { bytes } = this;
    let { at } = this;
    for (let from = 0; from < text.length; from += 1) {
      bytes[at] = text.charCodeAt(from);
      at += 1;
    }
    this.at = at;
  }

  /** Empties the buffer. */
  reset(): void {
    this.at = 0;
    if (this.bytes.length > keptBytes) this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  private integer(value: number): void {
    const { bytes } = this;
    let left = value;
    if (left < 0) {
      this.byte(0x2d);
      left = -left;
    }
    let digits = 1;
    for (let power = 10; power <= left; power *= 10) digits += 1;
    for (let place = this.at + digits - 1; place >= this.at; place -= 1) {
      const rest = (left / 10) | 0;
      bytes[place] = 0x30 + (left - rest * 10);
      left = rest;
    }
    this.at += digits;
  }
}
