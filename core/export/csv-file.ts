import type { BytePipe } from './byte-pipe.ts';
import { ByteWriter } from './byte-writer.ts';
import type { CsvRows } from './csv-rows.ts';
import type { Row } from './row-value.ts';
import { type WidthSection, widenRows } from './row-widener.ts';
import type { Spool } from './spool.ts';

/** UTF-8's byte order mark: spreadsheets read a CSV as UTF-8 only with it. */
const byteOrderMark = '\ufeff';

/** Bytes after which a piece is handed on: each piece costs its receiver a system call or a turn of the event loop. */
export const pieceBytes = 64 * 1024;

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
  readonly #rows: CsvRows;
  readonly #pipe: BytePipe;
  readonly #options: CsvFileOptions;
  readonly #out = new ByteWriter();
  readonly #sections: { columns: number; end: number }[] = [];
  /** Bytes handed on before what is in `#out`. */
  #handed = 0;
  #columns = -1;

  constructor(rows: CsvRows, pipe: BytePipe, options: CsvFileOptions) {
    this.#rows = rows;
    this.#pipe = pipe;
    this.#options = options;
    if (options.spool === null) this.#out.text(this.#head());
  }

  /** Writes one row. A promise is answered only when a piece is full: wait for it before the next row. */
  add(row: Row): Promise<void> | undefined {
    const inOrder = this.#rows.learn(row);
    const width = Math.max(1, this.#rows.columns.length);
    if (width !== this.#columns) {
      this.#closeSection();
      this.#columns = width;
    }
    this.#rows.write(row, inOrder, this.#out);
    return this.#out.at < pieceBytes ? undefined : this.#hand();
  }

  /**
   * Sends what is left, or from a spool everything; `confirmed` is waited for before the file ends, so that no file
   * stands complete without what it belongs to. Nothing is ended when it answers false.
   */
  async finish(confirmed: () => Promise<boolean>): Promise<void> {
    await this.#hand();
    const { spool } = this.#options;
    if (spool === null) {
      if (await confirmed()) this.#pipe.end();
      return;
    }
    this.#closeSection();
    if (!(await confirmed())) return;
    await this.#pipe.write(Buffer.from(this.#head(), 'utf8'));
    const sections: readonly WidthSection[] = this.#sections;
    if (sections.length > 0) {
      for await (const piece of widenRows(spool.read(), sections, Math.max(1, this.#rows.columns.length))) {
        if (this.#pipe.broken) break;
        await this.#pipe.write(piece);
      }
    }
    this.#pipe.end();
  }

  async #hand(): Promise<void> {
    const piece = this.#out.bytes.subarray(0, this.#out.at);
    if (piece.length === 0) return;
    this.#handed += piece.length;
    const { spool } = this.#options;
    await (spool === null ? this.#pipe.write(piece) : spool.append(piece));
    this.#out.reset();
  }

  #closeSection(): void {
    if (this.#columns >= 0) this.#sections.push({ columns: this.#columns, end: this.#handed + this.#out.at });
  }

  /** Without any column: no line at all, or before rows of no keys one empty name, so that the width is one. */
  #head(): string {
    const named = this.#rows.columns.length > 0;
    const header = named ? this.#rows.header() : this.#columns < 0 ? '' : '""\r\n';
    return (this.#options.byteOrderMark ? byteOrderMark : '') + header;
  }
}
