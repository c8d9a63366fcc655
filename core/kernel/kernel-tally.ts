import { RegisterBlocks } from '../profile/register-blocks.ts';
import type { DateTally, LengthBounds, NumberTally, RunTally, SketchTally } from '../profile/run-tally.ts';
import type { KernelExports, KernelLayout } from './kernel-exports.ts';

/** Counts what the kernel noted, in its memory. */
export class KernelTally implements RunTally {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly blocks: RegisterBlocks;
  private readonly exports: KernelExports;
  /** Places of the cells through which a tally goes in and out: of doubles, and of words. */
  private readonly estimate: number;
  private readonly open: number;
  private readonly sum: number;
  private readonly lowest: number;
  private readonly highest: number;
  private readonly shortest: number;
  private readonly longest: number;
  private readonly earliest: number;
  private readonly latest: number;
  private readonly earliestAt: number;
  private readonly latestAt: number;

  constructor(exports: KernelExports, at: KernelLayout) {
    const { buffer } = exports.memory;
    this.exports = exports;
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.bytes = new Uint8Array(buffer);
    this.blocks = new RegisterBlocks(this.bytes, at.blocks, at.blockBytes, at.blockCount);
    this.estimate = at.tallyEstimate >> 3;
    this.open = at.tallyOpen >> 3;
    this.sum = at.tallySum >> 3;
    this.lowest = at.tallyLowest >> 3;
    this.highest = at.tallyHighest >> 3;
    this.shortest = at.tallyShortest >> 2;
    this.longest = at.tallyLongest >> 2;
    this.earliest = at.tallyEarliest >> 3;
    this.latest = at.tallyLatest >> 3;
    this.earliestAt = at.tallyEarliestAt >> 2;
    this.latestAt = at.tallyLatestAt >> 2;
  }

  kinds(from: number, to: number): number {
    return this.exports.kinds(from << 2, to << 2);
  }

  withoutNulls(from: number, to: number): number {
    return this.exports.withoutNulls(from << 2, to << 2) >> 2;
  }

  integers(from: number, to: number): number {
    return this.exports.integers(from << 2, to << 2);
  }

  lengths(range: LengthBounds, from: number, to: number): void {
    const { words, shortest, longest } = this;
    words[shortest] = range.min;
    words[longest] = range.max;
    this.exports.lengths(from << 2, to << 2);
    range.min = words[shortest] as number;
    range.max = words[longest] as number;
  }

  numbers(tally: NumberTally, from: number, to: number): number {
    const { doubles, sum, lowest, highest } = this;
    doubles[sum] = tally.sum;
    doubles[lowest] = tally.lowest;
    doubles[highest] = tally.highest;
    const stopped = this.exports.numbers(from << 2, to << 2) >> 2;
    tally.sum = doubles[sum] as number;
    tally.lowest = doubles[lowest] as number;
    tally.highest = doubles[highest] as number;
    return stopped;
  }

  dates(tally: DateTally, from: number, to: number): number {
    const { words, doubles, earliest, latest } = this;
    doubles[earliest] = tally.earliest;
    doubles[latest] = tally.latest;
    const stopped = this.exports.dates(from << 2, to << 2) >> 2;
    tally.earliest = doubles[earliest] as number;
    tally.latest = doubles[latest] as number;
    tally.earliestAt = (words[this.earliestAt] as number) >> 2;
    tally.latestAt = (words[this.latestAt] as number) >> 2;
    return stopped;
  }

  sketch(tally: SketchTally, block: number, from: number, to: number): void {
    const { doubles, estimate, open } = this;
    doubles[estimate] = tally.estimate;
    doubles[open] = tally.open;
    this.exports.sketch(from << 2, to << 2, block);
    tally.estimate = doubles[estimate] as number;
    tally.open = doubles[open] as number;
  }
}
