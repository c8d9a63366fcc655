import type { BodyFacts, BodyOptions, BodyScan } from './body-scan.ts';
import { ListCollector } from './list-collector.ts';

/** Plain text: every line is a record, blank ones too, so that line numbers are what an editor shows. */
export class LineScan implements BodyScan {
  readonly #list: ListCollector;
  readonly #start: number;
  #offset: number;
  #open = false;
  #lastCr = false;

  constructor(options: BodyOptions, base: number) {
    const { sink } = options;
    this.#list = new ListCollector(base, options.headBytes, sink === null ? null : sink(), options.maxRecordBytes);
    this.#start = base;
    this.#offset = base;
  }

  write(b: Uint8Array, from: number, to: number): number {
    const base = this.#offset - from;
    let i = from;
    while (i < to) {
      if (!this.#open) this.#begin(base + i);
      const found = b.indexOf(0x0a, i);
      if (found < 0 || found >= to) {
        this.#lastCr = b[to - 1] === 0x0d;
        break;
      }
      const cr = found > i ? b[found - 1] === 0x0d : this.#lastCr;
      this.#close(b, base, base + found - (cr ? 1 : 0));
      i = found + 1;
    }
    this.#offset += to - from;
    this.#list.pieceEnd(b, base, to);
    return to;
  }

  end(): BodyFacts {
    if (this.#open) this.#close(new Uint8Array(0), this.#offset, this.#offset - (this.#lastCr ? 1 : 0));
    return {
      path: '',
      list: this.#list,
      frame: null,
      root: { start: this.#start, end: this.#offset, whole: true, odd: false },
      otherLists: [],
      parseLoss: null,
      around: null,
      table: null,
    };
  }

  #begin(at: number): void {
    this.#open = true;
    this.#lastCr = false;
    this.#list.begin(at);
  }

  #close(b: Uint8Array, base: number, end: number): void {
    this.#open = false;
    this.#list.end(b, base, end, false);
  }
}
