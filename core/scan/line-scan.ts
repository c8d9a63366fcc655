import type { BodyFacts, BodyOptions, BodyScan } from './body-scan.ts';
import { LineEnds } from './line-ends.ts';
import { ListCollector } from './list-collector.ts';

/** Plain text: every line is a record, blank ones too, so that line numbers are what an editor shows. */
export class LineScan implements BodyScan {
  readonly #list: ListCollector;
  readonly #lines: LineEnds;
  readonly #start: number;
  #piece: Uint8Array = new Uint8Array(0);
  #base = 0;

  constructor(options: BodyOptions, base: number) {
    this.#start = base;
    this.#list = new ListCollector(base, options, null);
    this.#lines = new LineEnds(
      (at) => this.#list.begin(at),
      (end) => this.#list.end(this.#piece, this.#base, end, false),
      base,
    );
  }

  write(b: Uint8Array, from: number, to: number): number {
    this.#piece = b;
    this.#base = this.#lines.offset - from;
    this.#lines.write(b, from, to);
    this.#list.pieceEnd(b, this.#base, to);
    return to;
  }

  end(): BodyFacts {
    this.#piece = new Uint8Array(0);
    this.#base = this.#lines.offset;
    this.#lines.end();
    return {
      path: '',
      list: this.#list,
      frame: null,
      root: { start: this.#start, end: this.#lines.offset, whole: true, odd: false },
      otherLists: [],
      parseLoss: null,
      around: null,
      table: null,
    };
  }
}
