import type { BodyFacts, BodyOptions, BodyScan } from './body-scan.ts';
import { type JsonEvents, JsonMachine, type JsonRuns } from './json-machine.ts';
import { ListCollector } from './list-collector.ts';

/** A record that went by before it was clear that lines are read; `beginning` is what of it is still at hand. */
export interface FirstRecord {
  readonly start: number;
  readonly end: number;
  readonly beginning: Uint8Array;
}

/** One JSON value a line. Blank lines are nothing; a line that is not JSON costs itself only. */
export class NdjsonScan implements BodyScan, JsonEvents, JsonRuns {
  readonly #machine: JsonMachine;
  readonly #list: ListCollector;
  #piece: Uint8Array = new Uint8Array(0);
  #base = 0;
  #end = -1;
  #odd = 0;
  #endedInside = false;

  constructor(options: BodyOptions, base: number, first: FirstRecord | null) {
    const { sink } = options;
    this.#list = new ListCollector(first?.start ?? base, options, sink === null ? null : sink());
    this.#machine = new JsonMachine(this, { lines: true, watch: 0, base });
    if (first !== null) {
      this.#list.backfill(first.beginning, false);
      this.#list.begin(first.start);
      this.#list.end(this.#piece, base, first.end, false);
    }
  }

  write(b: Uint8Array, from: number, to: number): number {
    this.#piece = b;
    this.#base = this.#machine.base - from;
    this.#machine.write(b, from, to);
    this.#list.pieceEnd(b, this.#base, to);
    return to;
  }

  /** At least as many lines are JSON as are not; a last line that goes on past the head counts for neither. */
  convincing(atEnd: boolean): boolean {
    const whole = this.#list.index.records + (atEnd && this.#machine.wouldEnd ? 1 : 0);
    return whole > 0 && whole >= this.#list.bad;
  }

  /** The kind is settled: from now on lines need not be looked at one by one. */
  settled(): this {
    this.#machine.runs = this;
    return this;
  }

  /** Lines that the profile can read by itself. */
  run(b: Uint8Array, base: number, from: number, to: number): number {
    return this.#list.run(b, base, from, to, true);
  }

  readonly sawLineFeed = false;

  valueStart(at: number): void {
    this.#end = -1;
    this.#odd = this.#machine.odd;
    this.#list.begin(at);
  }

  valueEnd(end: number, _depth: number, bad: boolean): void {
    if (bad) {
      this.#list.spoil(end);
    } else this.#end = end;
  }

  lineEnd(): void {
    this.#list.end(this.#piece, this.#base, this.#end, this.#machine.odd > this.#odd);
  }

  keyPiece(): void {}
  trailing(): void {}

  end(): BodyFacts {
    const badBefore = this.#list.bad;
    this.#machine.end();
    this.#endedInside = this.#list.bad > badBefore;
    const { bad, firstBad } = this.#list;
    const odd = this.#machine.odd;
    const notes: string[] = [];
    const lines = bad - (this.#endedInside ? 1 : 0);
    if (lines > 0) notes.push(`${lines} ${lines === 1 ? 'line is' : 'lines are'} not JSON and left out`);
    if (this.#endedInside) notes.push('the last line is cut');
    if (odd > 0) notes.push(`${odd} ${odd === 1 ? 'value is' : 'values are'} NaN or Infinity, shown as marked strings`);
    const offsets = [bad > 0 ? firstBad : -1, odd > 0 ? this.#machine.firstOdd : -1].filter((offset) => offset >= 0);
    return {
      path: '',
      list: this.#list,
      frame: null,
      root: { start: this.#list.open, end: this.#machine.base, whole: bad === 0, odd: odd > 0 },
      otherLists: [],
      parseLoss: notes.length === 0 ? null : { records: bad, note: notes.join('; '), offset: Math.min(...offsets) },
      around: null,
      table: null,
    };
  }
}
