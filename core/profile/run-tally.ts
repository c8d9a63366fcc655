import type { RegisterBlocks } from './register-blocks.ts';

/**
 * What the kernel offers for counting the values that it noted in its own memory: reductions of `words[from, to)` that
 * come to the same bits as going over them here (`core/kernel/assembly/tally.ts`). Places are numbers of words.
 */
export interface RunTally {
  readonly words: Int32Array;
  /** The same memory. */
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly blocks: RegisterBlocks;
  /** One bit, 1 << `kind`, for every kind there is. */
  kinds(from: number, to: number): number;
  /** Puts the values that are not null one after the other, in their order: where they end. */
  withoutNulls(from: number, to: number): number;
  /** How many are integers. */
  integers(from: number, to: number): number;
  lengths(range: LengthBounds, from: number, to: number): void;
  /** Where the first number is noted of which the digits may matter, or `to`; `tally` is told of those before. */
  numbers(tally: NumberTally, from: number, to: number): number;
  /** Where the first string is noted that must be looked at here, or `to`; `tally` is told of the dates before. */
  dates(tally: DateTally, from: number, to: number): number;
  /** `block`: where the sketch's registers are, a byte offset in the memory. */
  sketch(tally: SketchTally, block: number, from: number, to: number): void;
}

export interface LengthBounds {
  min: number;
  max: number;
}

/** Sum, smallest and largest of numbers that a double tells entirely. */
export interface NumberTally {
  sum: number;
  lowest: number;
  highest: number;
}

/** First and last instant of dates, in milliseconds since 1970. */
export interface DateTally {
  earliest: number;
  latest: number;
  /** Out: where these two are noted; 0 when they are what was handed in. */
  earliestAt: number;
  latestAt: number;
}

export interface SketchTally {
  estimate: number;
  open: number;
}
