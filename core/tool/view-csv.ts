import type { ViewFilter } from './view.ts';

const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * A view over CSV or TSV: the columns whose header is kept, each cell with its own bytes and quotes. In a row that has
 * more or fewer cells than the header nobody can say which cell belongs to which field (an unquoted delimiter moves
 * all that follow): such a row keeps its place and loses its cells.
 */
export class CsvView implements ViewFilter {
  readonly #kept: ReadonlySet<string>;
  readonly #delimiter: number;
  /** Per column, once the header is read. */
  readonly #columns: boolean[] = [];
  #inHeader = true;
  #column = 0;
  #quoted = false;
  #afterQuote = false;
  #cellBytes = 0;
  /** Bytes of the row that are no line end: a row without any is a blank line, and no row. */
  #rowBytes = 0;
  #lastByte = 0;
  /** A cell of the header, until its name is known. */
  readonly #cell = new Bytes();
  /** The row's kept cells, until the number of its cells is known. */
  readonly #row = new Bytes();
  readonly #out = new Bytes();
  #written = 0;

  constructor(kept: readonly string[], delimiter: ',' | '\t' | ';' | '|') {
    this.#kept = new Set(kept);
    this.#delimiter = delimiter.charCodeAt(0);
  }

  write(piece: Uint8Array): Uint8Array {
    for (const byte of piece) this.#byte(byte);
    return this.#out.take();
  }

  end(): Uint8Array {
    if (this.#quoted && !this.#inHeader) {
      // Cut inside a quoted cell: stays a cut row, and is counted as one.
      this.#out.push(quote);
    } else if (this.#rowBytes > 0) this.#endRow();
    return this.#out.take();
  }

  #byte(byte: number): void {
    if (this.#quoted) {
      if (byte === quote) {
        this.#quoted = false;
        this.#afterQuote = true;
      }
      this.#put(byte);
      return;
    }
    if (byte === quote && (this.#cellBytes === 0 || this.#afterQuote)) {
      this.#quoted = true;
      this.#afterQuote = false;
      this.#put(byte);
      return;
    }
    this.#afterQuote = false;
    if (byte === this.#delimiter) {
      this.#rowBytes += 1;
      this.#endCell();
      this.#column += 1;
    } else if (byte === newline) {
      this.#endRow();
      this.#out.push(newline);
    } else this.#put(byte);
  }

  #put(byte: number): void {
    this.#cellBytes += 1;
    this.#rowBytes += 1;
    this.#lastByte = byte;
    if (this.#inHeader) this.#cell.push(byte);
    else if (this.#columns[this.#column]) {
      if (this.#cellBytes === 1) this.#separate();
      this.#row.push(byte);
    }
  }

  #endCell(): void {
    if (this.#inHeader) {
      const name = Buffer.from(this.#cell.view())
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim()
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"');
      const kept = this.#kept.has(name);
      this.#columns[this.#column] = kept;
      if (kept) {
        this.#separate();
        for (const byte of this.#cell.view()) this.#row.push(byte);
      }
      this.#cell.clear();
    } else if (this.#columns[this.#column] && this.#cellBytes === 0) this.#separate();
    this.#cellBytes = 0;
  }

  #endRow(): void {
    const blank = this.#rowBytes === 0 || (this.#rowBytes === 1 && this.#lastByte === carriageReturn);
    if (!blank) {
      this.#endCell();
      const even = this.#inHeader || this.#column === this.#columns.length - 1;
      if (even) for (const byte of this.#row.view()) this.#out.push(byte);
      else this.#emptyRow();
      this.#inHeader = false;
    }
    this.#row.clear();
    this.#column = 0;
    this.#written = 0;
    this.#cellBytes = 0;
    this.#rowBytes = 0;
    this.#lastByte = 0;
  }

  /** With one column kept, an empty cell needs its quotes, or the row would be a blank line. */
  #emptyRow(): void {
    const kept = this.#columns.filter(Boolean).length;
    if (kept === 1) {
      this.#out.push(quote);
      this.#out.push(quote);
    }
    for (let i = 1; i < kept; i++) this.#out.push(this.#delimiter);
  }

  /** A row's kept cells are told apart even when they are empty; `\r` of a dropped last cell goes with it. */
  #separate(): void {
    if (this.#written++ > 0) this.#row.push(this.#delimiter);
  }
}

/** Bytes that grow by doubling. */
class Bytes {
  #bytes = Buffer.alloc(256);
  #length = 0;

  push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const wider = Buffer.allocUnsafe(this.#length * 2);
      wider.set(this.#bytes);
      this.#bytes = wider;
    }
    this.#bytes[this.#length++] = byte;
  }

  /** Valid until the next call. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** What is held, as a copy. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.view());
    this.#length = 0;
    return bytes;
  }
}
