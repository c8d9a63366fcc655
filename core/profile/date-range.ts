import { isoInstant } from './iso-date.ts';
import { escapes } from './kind.ts';
import { noted } from './noted-value.ts';
import { latin } from './number-range.ts';
import type { DateTally, RunTally } from './run-tally.ts';

/** First and last of a column whose strings are all ISO dates; gives up at the first string that is none. */
export class DateRange {
  /** Every string so far was a date; false at the first that is none, or is not to be looked at. */
  only = true;
  private earliest = Number.POSITIVE_INFINITY;
  private latest = Number.NEGATIVE_INFINITY;
  private readonly first = new Uint8Array(40);
  private readonly last = new Uint8Array(40);
  private firstLength = 0;
  private lastLength = 0;

  /** Takes the strings that the kernel noted in `words[from, to)`. */
  addRun(tally: RunTally, from: number, to: number): void {
    const { words, bytes } = tally;
    run.earliest = this.earliest;
    run.latest = this.latest;
    const stopped = tally.dates(run, from, to);
    this.earliest = run.earliest;
    this.latest = run.latest;
    if (run.earliestAt !== 0) this.firstLength = copyNoted(this.first, bytes, words, run.earliestAt);
    if (run.latestAt !== 0) this.lastLength = copyNoted(this.last, bytes, words, run.latestAt);
    if (stopped < to) this.add(words, bytes, stopped, to);
  }

  /** Takes the strings noted in `words[from, to)`. */
  add(words: Int32Array, bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && this.only; at += noted.words) {
      if ((words[at] as number) >> noted.escapesShift !== escapes.none) this.only = false;
      else this.take(bytes, words[at + noted.start] as number, words[at + noted.end] as number);
    }
  }

  private take(bytes: Uint8Array, start: number, end: number): void {
    const instant = isoInstant(bytes, start, end);
    if (Number.isNaN(instant)) {
      this.only = false;
      return;
    }
    if (instant < this.earliest) {
      this.earliest = instant;
      this.firstLength = copy(this.first, bytes, start, end);
    }
    if (instant > this.latest) {
      this.latest = instant;
      this.lastLength = copy(this.last, bytes, start, end);
    }
  }

  get range(): { readonly min: string; readonly max: string } | undefined {
    if (!this.only || this.firstLength === 0) return undefined;
    return { min: latin(this.first, 0, this.firstLength), max: latin(this.last, 0, this.lastLength) };
  }
}

const run: DateTally = { earliest: 0, latest: 0, earliestAt: 0, latestAt: 0 };

function copyNoted(into: Uint8Array, bytes: Uint8Array, words: Int32Array, at: number): number {
  return copy(into, bytes, words[at + noted.start] as number, words[at + noted.end] as number);
}

function copy(into: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at += 1) into[at - start] = bytes[at] as number;
  return end - start;
}
