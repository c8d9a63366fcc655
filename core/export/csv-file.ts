import type { BytePipe } from './byte-pipe.ts';
import type { RowEncoder } from './row-encoder.ts';
import { type WidthSection, widenRows } from './row-widener.ts';
import type { Spool } from './spool.ts';
import { TextPieces } from './text-pieces.ts';

/** UTF-8's byte order mark: spreadsheets read a CSV as UTF-8 only with it. */
const byteOrderMark = '\ufeff';

export interface CsvFileOptions {
  readonly byteOrderMark: boolean;
  /** Takes the rows until the header is known; null for a source that declared its columns. */
  readonly spool: Spool | null;
}

/**
 * The CSV on its way to the upload. With declared columns the header goes first and rows follow as they come. Else the
 * rows wait in the spool, since a key that first appears in the last row belongs into the first line.
 */
export class CsvFile {
  readonly #encoder: RowEncoder;
  readonly #pipe: BytePipe;
  readonly #options: CsvFileOptions;
  readonly #rows: TextPieces;
  readonly #sections: { columns: number; end: number }[] = [];
  #bytes = 0;
  #columns = -1;

  constructor(encoder: RowEncoder, pipe: BytePipe, options: CsvFileOptions) {
    this.#encoder = encoder;
    this.#pipe = pipe;
    this.#options = options;
    const { spool } = options;
    this.#rows = new TextPieces((piece) => {
      this.#bytes += piece.length;
      return spool === null ? pipe.write(piece) : spool.append(piece);
    });
  }

  /** Takes the row that the encoder has just encoded. A promise is answered only when there is something to wait for. */
  add(): Promise<void> | undefined {
    if (this.#columns < 0 && this.#options.spool === null) {
      this.#columns = Math.max(1, this.#encoder.columns.length);
      const waiting = this.#rows.add(this.#head());
      return waiting === undefined ? this.#addRow() : waiting.then(() => this.#addRow());
    }
    const width = Math.max(1, this.#encoder.columns.length);
    if (width !== this.#columns) {
      const closing = this.#newSection(width);
      if (closing !== undefined) return closing.then(() => this.#addRow());
    }
    return this.#addRow();
  }

  /** Sends what is left, or from a spool everything. */
  async finish(): Promise<void> {
    if (this.#columns < 0 && this.#options.spool === null) await this.#rows.add(this.#head());
    await this.#rows.flush();
    const { spool } = this.#options;
    if (spool !== null) {
      this.#closeSection();
      await this.#pipe.write(Buffer.from(this.#head(), 'utf8'));
      const sections: readonly WidthSection[] = this.#sections;
      if (sections.length > 0) {
        for await (const piece of widenRows(spool.read(), sections, Math.max(1, this.#encoder.columns.length))) {
          if (this.#pipe.broken) break;
          await this.#pipe.write(piece);
        }
      }
    }
    this.#pipe.end();
  }

  #addRow(): Promise<void> | undefined {
    return this.#rows.add(this.#encoder.csv);
  }

  #newSection(columns: number): Promise<void> | undefined {
    const flushed = this.#options.spool === null ? undefined : this.#rows.flush();
    this.#closeSection();
    this.#columns = columns;
    return flushed;
  }

  /** `#bytes` counts a piece when it is handed on, so the section's end is exact right after a flush. */
  #closeSection(): void {
    if (this.#columns >= 0) this.#sections.push({ columns: this.#columns, end: this.#bytes });
  }

  #head(): string {
    return (this.#options.byteOrderMark ? byteOrderMark : '') + this.#encoder.header();
  }
}
