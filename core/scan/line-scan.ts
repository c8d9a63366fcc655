import type { BodyFacts, BodyOptions, BodyScan } from './body-scan.ts';
import { lineEnds, searched } from './line-ends.ts';
import { ListCollector } from './list-collector.ts';

/** Plain text: every line is a record, blank ones too, so that line numbers are what an editor shows. */
export class LineScan implements BodyScan {
  readonly #list: ListCollector;
  /** Behind this offset no line is of the preview: it is known by its start alone. */
  readonly #headEnd: number;
  #offset: number;
  /** Where the open line starts; -1 when none is open. */
  #lineStart = -1;
  #lastCr = false;

  constructor(options: BodyOptions, base: number) {
    this.#list = new ListCollector(base, options, null);
    this.#headEnd = base + options.headBytes;
    this.#offset = base;
  }

  write(b: Uint8Array, from: number, to: number): number {
    const base = this.#offset - from;
    const bytes = searched(b, to);
    let start = this.#lineStart;
    let i = from;
    while (i < to) {
      if (start < 0) start = base + i;
      const found = bytes.indexOf(lineEnds.lf, i);
      if (found < 0) break;
      if (start > this.#headEnd) this.#list.index.add(start);
      else {
        const cr = found > i ? b[found - 1] === lineEnds.cr : base + found > start && this.#lastCr;
        this.#line(start, base + found - (cr ? 1 : 0));
      }
      start = -1;
      i = found + 1;
    }
    if (to > from) this.#lastCr = b[to - 1] === lineEnds.cr;
    this.#lineStart = start;
    this.#list.pieceEnd(b, base, to);
    this.#offset = base + to;
    return to;
  }

  end(): BodyFacts {
    // A last line without its end is a line.
    if (this.#lineStart >= 0) this.#line(this.#lineStart, this.#offset - (this.#lastCr ? 1 : 0));
    this.#lineStart = -1;
    return {
      path: '',
      list: this.#list,
      frame: null,
      root: { start: this.#list.open, end: this.#offset, whole: true, odd: false },
      otherLists: [],
      parseLoss: null,
      around: null,
      table: null,
    };
  }

  #line(start: number, end: number): void {
    this.#list.begin(start);
    this.#list.end(nothing, 0, end, false);
  }
}

/** Lines have no columns: nobody looks into the bytes of one. */
const nothing = new Uint8Array(0);
