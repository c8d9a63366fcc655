import { noted } from './noted-value.ts';

/** Shortest and longest of a column's strings (bytes of UTF-8) or arrays (elements). */
export class LengthRange {
  min = Number.MAX_SAFE_INTEGER;
  max = 0;

  /** Takes the lengths of the values noted in `words[from, to)`. */
  add(words: Int32Array, from: number, to: number): void {
    let { min, max } = this;
    for (let at = from + noted.length; at < to; at += noted.words) {
      const length = words[at] as number;
      if (length < min) min = length;
      if (length > max) max = length;
    }
    this.min = min;
    this.max = max;
  }
}
