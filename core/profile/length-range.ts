import type { LengthBounds } from './run-tally.ts';

/** Shortest and longest of a column's strings (bytes of UTF-8) or arrays (elements); runs are taken by `RunTally.lengths`. */
export class LengthRange implements LengthBounds {
  /** A 32-bit integer, as those of a tally are. */
  min = 0x7fffffff;
  max = 0;

  add(length: number): void {
    if (length < this.min) this.min = length;
    if (length > this.max) this.max = length;
  }
}
