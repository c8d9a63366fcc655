import type { ViewFilter } from './view.ts';

const quote = 0x22;
const newline = 0x0a;

/**
 * A view over CSV or TSV: the columns whose header is kept, each cell with its own bytes and quotes. Cells beyond
 * the header belong to no field and are dropped.
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
  #cell: number[] = [];
  #written = 0;
  #out: Buffer = Buffer.alloc(0);
  #outLength = 0;

  constructor(kept: readonly string[], delimiter: ',' | '\t' | ';') {
    this.#kept = new Set(kept);
    this.#delimiter = delimiter.charCodeAt(0);
  }

  write(piece: Uint8Array): Uint8Array {
    // Never more than the piece, a held header cell and a delimiter each.
    this.#out = Buffer.alloc(piece.length * 2 + this.#cell.length + 2);
    this.#outLength = 0;
    for (const byte of piece) this.#byte(byte);
    return this.#out.subarray(0, this.#outLength);
  }

  end(): Uint8Array {
    this.#out = Buffer.alloc(this.#cell.length + 2);
    this.#outLength = 0;
    if (this.#inHeader && (this.#cellBytes > 0 || this.#column > 0)) this.#endCell();
    return this.#out.subarray(0, this.#outLength);
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
      this.#endCell();
      this.#column += 1;
    } else if (byte === newline) {
      this.#endCell();
      this.#push(newline);
      this.#inHeader = false;
      this.#column = 0;
      this.#written = 0;
    } else this.#put(byte);
  }

  #put(byte: number): void {
    this.#cellBytes += 1;
    if (this.#inHeader) {
      this.#cell.push(byte);
      return;
    }
    if (!this.#columns[this.#column]) return;
    if (this.#cellBytes === 1) this.#separate();
    this.#push(byte);
  }

  #endCell(): void {
    if (this.#inHeader) {
      const name = Buffer.from(this.#cell)
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim()
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"');
      const kept = this.#kept.has(name);
      this.#columns[this.#column] = kept;
      if (kept) {
        this.#separate();
        for (const byte of this.#cell) this.#push(byte);
      }
      this.#cell = [];
    } else if (this.#columns[this.#column] && this.#cellBytes === 0) this.#separate();
    this.#cellBytes = 0;
  }

  /** A row's kept cells are told apart even when they are empty; `\r` of a dropped last cell goes with it. */
  #separate(): void {
    if (this.#written++ > 0) this.#push(this.#delimiter);
  }

  #push(byte: number): void {
    this.#out[this.#outLength++] = byte;
  }
}
