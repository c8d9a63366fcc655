import type { BodyFacts, BodyOptions, BodyScan } from './body-scan.ts';
import { CsvRows } from './csv-rows.ts';
import { ListCollector } from './list-collector.ts';
import type { ParseLoss } from './scan-summary.ts';

/** A delimited text with a header row: every row after the header is a record. */
export class CsvScan implements BodyScan {
  readonly #rows: CsvRows;
  readonly #list: ListCollector;
  readonly #table: { readonly header: readonly string[]; readonly delimiter: string; readonly dataOffset: number };
  readonly #start: number;
  #piece: Uint8Array = new Uint8Array(0);
  #base = 0;
  #openRow = -1;
  #row = 0;
  #uneven = 0;
  #firstUneven = -1;

  /** `base`: offset of the header. `dataOffset`: offset of the first data row, as the head told. */
  constructor(
    options: BodyOptions,
    base: number,
    table: { readonly header: readonly string[]; readonly delimiter: string; readonly dataOffset: number },
  ) {
    const { sink } = options;
    this.#table = table;
    this.#start = base;
    this.#list = new ListCollector(base, options, sink === null ? null : sink());
    this.#rows = new CsvRows(
      {
        rowStart: (at) => {
          this.#openRow = at;
          if (this.#row > 0) this.#list.begin(at);
        },
        rowEnd: (end, fields) => {
          if (fields !== table.header.length && this.#uneven++ === 0) this.#firstUneven = this.#openRow;
          this.#openRow = -1;
          if (this.#row > 0) this.#list.end(this.#piece, this.#base, end, false);
          this.#row += 1;
        },
      },
      table.delimiter.charCodeAt(0),
      base,
    );
  }

  write(b: Uint8Array, from: number, to: number): number {
    this.#piece = b;
    this.#base = this.#rows.base - from;
    this.#rows.write(b, from, to);
    this.#list.pieceEnd(b, this.#base, to);
    return to;
  }

  end(): BodyFacts {
    this.#piece = new Uint8Array(0);
    this.#base = this.#rows.base;
    const whole = this.#rows.end();
    const cutAt = this.#openRow;
    if (!whole) this.#list.spoil(cutAt);
    return {
      path: '',
      list: this.#list,
      frame: null,
      root: { start: this.#start, end: this.#rows.base, whole, odd: false },
      otherLists: [],
      parseLoss: this.#loss(whole ? -1 : cutAt),
      around: null,
      table: this.#table,
    };
  }

  /** Rows with more or fewer fields than the header are records like any other, but nobody can say what is in them. */
  #loss(cutAt: number): ParseLoss | null {
    const notes: string[] = [];
    if (this.#uneven > 0) {
      const rows = this.#uneven === 1 ? 'row has' : 'rows have';
      notes.push(`${this.#uneven} ${rows} another number of fields than the header`);
    }
    if (cutAt >= 0) notes.push('the last row is cut inside a quoted field');
    if (notes.length === 0) return null;
    const offset = this.#firstUneven >= 0 ? this.#firstUneven : cutAt;
    return { records: cutAt >= 0 ? 1 : 0, note: notes.join('; '), offset };
  }
}
