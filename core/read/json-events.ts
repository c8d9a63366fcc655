export type JsonValueKind = 'object' | 'array' | 'scalar';

/** What to do with a value that begins: look inside, pass over, or hand on its own bytes untouched. */
export type JsonVerdict = 'enter' | 'skip' | 'take';

export interface JsonHandler {
  /** A value begins. `enter` on a scalar means `skip`. */
  value(kind: JsonValueKind): JsonVerdict;
  /** The key of the next value, inside an entered object; escapes resolved. */
  key(name: string): void;
  /** Bytes of a taken value, exactly as they came; in as many pieces as the input had. */
  raw(buffer: Uint8Array, start: number, end: number): void;
  /** The taken value is whole. */
  taken(): void;
  /** The entered container that was opened last is closed. */
  close(kind: JsonValueKind): void;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
/** A key longer than this (UTF-8 bytes) matches nothing that anyone asks for and is not kept. */
const maxKeyBytes = 4096;

const modes = { seek: 0, key: 1, container: 2, string: 3, bare: 4 } as const;
type Mode = (typeof modes)[keyof typeof modes];

/**
 * Walks JSON text byte by byte, in pieces of any size, and lets the handler take single values with their own bytes:
 * a number keeps all of its digits, an escape stays as it was written, and no value is ever held whole. Several
 * values after each other (white space between) are several roots. Memory: the open containers and one key.
 */
export class JsonEvents {
  /** Set once the text cannot be JSON; nothing after that is to be trusted. */
  malformed = false;
  readonly #handler: JsonHandler;
  readonly #open: JsonValueKind[] = [];
  #mode: Mode = modes.seek;
  #take = false;
  #stopped = false;
  /** Inside a skipped or taken container. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  #key: number[] = [];
  /** In an entered object: what may come next. */
  #expect: 'key' | 'colon' | 'value' | 'comma' = 'value';

  constructor(handler: JsonHandler) {
    this.#handler = handler;
  }

  /** What the handler wanted is there: the rest of the text is not looked at. */
  stop(): void {
    this.#stopped = true;
  }

  /** Ready for another text. */
  reset(): void {
    this.malformed = false;
    this.#stopped = false;
    this.#open.length = 0;
    this.#mode = modes.seek;
    this.#expect = 'value';
    this.#escaped = false;
    this.#take = false;
  }

  /** Between two roots: nothing is open. */
  get idle(): boolean {
    return this.#mode === modes.seek && this.#open.length === 0;
  }

  write(buffer: Uint8Array, start = 0, end = buffer.length): void {
    let at = start;
    while (at < end && !this.malformed && !this.#stopped) {
      switch (this.#mode) {
        case modes.seek:
          at = this.#seek(buffer, at, end);
          break;
        case modes.key:
          at = this.#readKey(buffer, at, end);
          break;
        default:
          at = this.#pass(buffer, at, end, at);
      }
    }
  }

  /** The text ends here; answers whether it ended whole. */
  finish(): boolean {
    if (this.#mode === modes.bare) this.#endValue();
    return !this.malformed && this.idle;
  }

  #seek(buffer: Uint8Array, from: number, end: number): number {
    const within = this.#open.at(-1);
    for (let at = from; at < end; at += 1) {
      const byte = buffer[at] as number;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      // A byte-order mark before a root.
      if (within === undefined && (byte === 0xef || byte === 0xbb || byte === 0xbf)) continue;
      if (byte === comma && within !== undefined && this.#expect === 'comma') {
        this.#expect = within === 'object' ? 'key' : 'value';
        continue;
      }
      if (byte === colon && this.#expect === 'colon') {
        this.#expect = 'value';
        continue;
      }
      if (byte === (within === 'object' ? closeBrace : closeBracket) && within !== undefined) {
        this.#open.pop();
        this.#expect = this.#open.length === 0 ? 'value' : 'comma';
        this.#handler.close(within);
        return at + 1;
      }
      if (this.#expect === 'key' && byte === quote) {
        this.#mode = modes.key;
        this.#key = [];
        return at + 1;
      }
      if (this.#expect !== 'value' || byte === closeBrace || byte === closeBracket || byte === comma) {
        this.malformed = true;
        return end;
      }
      return this.#begin(buffer, at, end, byte);
    }
    return end;
  }

  #begin(buffer: Uint8Array, at: number, end: number, byte: number): number {
    const kind = byte === openBrace ? 'object' : byte === openBracket ? 'array' : 'scalar';
    const verdict = this.#handler.value(kind);
    if (verdict === 'enter' && kind !== 'scalar') {
      this.#open.push(kind);
      this.#expect = kind === 'object' ? 'key' : 'value';
      return at + 1;
    }
    this.#take = verdict === 'take';
    this.#escaped = false;
    if (kind === 'scalar') {
      this.#mode = byte === quote ? modes.string : modes.bare;
    } else {
      this.#mode = modes.container;
      this.#depth = 1;
      this.#inString = false;
    }
    return this.#pass(buffer, at + 1, end, at);
  }

  #readKey(buffer: Uint8Array, from: number, end: number): number {
    if (this.#key.length === 0 && !this.#escaped) {
      // Nearly every key: whole in this piece, nothing escaped.
      let at = from;
      while (at < end && buffer[at] !== quote && buffer[at] !== backslash) at += 1;
      if (at < end && buffer[at] === quote && at - from <= maxKeyBytes) {
        this.#mode = modes.seek;
        this.#expect = 'colon';
        this.#handler.key(utf8(buffer, from, at));
        return at + 1;
      }
    }
    for (let at = from; at < end; at += 1) {
      const byte = buffer[at] as number;
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) {
        this.#mode = modes.seek;
        this.#expect = 'colon';
        this.#handler.key(keyText(this.#key));
        return at + 1;
      }
      if (this.#key.length <= maxKeyBytes) this.#key.push(byte);
    }
    return end;
  }

  /** Runs to the end of a skipped or taken value, or of the piece; `first` is where its bytes in this piece begin. */
  #pass(buffer: Uint8Array, from: number, end: number, first: number): number {
    let at = from;
    let done = false;
    if (this.#mode === modes.bare) {
      while (at < end && !endsBare(buffer[at] as number)) at += 1;
      done = at < end;
    } else if (this.#mode === modes.string) {
      while (at < end && !done) done = this.#string(buffer[at++] as number);
    } else {
      while (at < end && !done) {
        const byte = buffer[at++] as number;
        if (this.#inString) this.#inString = !this.#string(byte);
        else if (byte === quote) this.#inString = true;
        else if (byte === openBrace || byte === openBracket) this.#depth += 1;
        else if (byte === closeBrace || byte === closeBracket) done = --this.#depth === 0;
      }
    }
    if (this.#take && at > first) this.#handler.raw(buffer, first, at);
    if (done) this.#endValue();
    return at;
  }

  /** Answers true at the closing quote. */
  #string(byte: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else return byte === quote;
    return false;
  }

  #endValue(): void {
    this.#mode = modes.seek;
    this.#expect = this.#open.length === 0 ? 'value' : 'comma';
    if (this.#take) this.#handler.taken();
    this.#take = false;
  }
}

function endsBare(byte: number): boolean {
  return (
    byte === comma ||
    byte === closeBrace ||
    byte === closeBracket ||
    byte === 0x20 ||
    byte === 0x0a ||
    byte === 0x0d ||
    byte === 0x09
  );
}

function utf8(buffer: Uint8Array, start: number, end: number): string {
  const bytes = Buffer.isBuffer(buffer) ? buffer : Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length);
  return bytes.toString('utf8', start, end);
}

function keyText(bytes: readonly number[]): string {
  const text = Buffer.from(bytes).toString('utf8');
  if (bytes.length > maxKeyBytes || !text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
