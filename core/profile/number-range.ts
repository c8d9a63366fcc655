import { compareDecimals, type Decimal, parseDecimal } from './decimal-text.ts';
import { noted } from './noted-value.ts';
import type { NumberTally, RunTally } from './run-tally.ts';

/**
 * Smallest and largest number of a column, the sum for its mean. Values compare as doubles and, where doubles tie
 * or overflow, by their digits; the text is kept wherever a double would not print it the same.
 */
export class NumberRange {
  count = 0;
  private sum = 0;
  private readonly lowest = new Bound(-1);
  private readonly highest = new Bound(1);

  /** Takes the numbers that the kernel noted in `words[from, to)`. */
  addRun(tally: RunTally, from: number, to: number): void {
    const { lowest, highest } = this;
    run.sum = this.sum;
    run.lowest = lowest.value;
    run.highest = highest.value;
    const stopped = tally.numbers(run, from, to);
    this.sum = run.sum;
    this.count += (stopped - from) / noted.words;
    if (run.lowest < lowest.value) lowest.move(run.lowest);
    if (run.highest > highest.value) highest.move(run.highest);
    if (stopped < to) this.add(tally.words, tally.doubles, tally.bytes, stopped, to);
  }

  /**
   * Takes the numbers of the values noted in `words[from, to)`. NaN and the infinities of other languages' JSON have no
   * place in a range.
   */
  add(words: Int32Array, doubles: Float64Array, bytes: Uint8Array, from: number, to: number): void {
    const { lowest, highest } = this;
    let { sum, count } = this;
    for (let at = from; at < to; at += noted.words) {
      const value = doubles[(at + noted.number) >> 1] as number;
      if (Number.isNaN(value)) continue;
      count += 1;
      sum += value;
      if (value <= lowest.value) lowest.offer(value, words, at, bytes);
      // Numbers that grow from record to record are common: those that print as they came are taken without a call.
      if (value > highest.value && ((words[at] as number) & noted.plain) !== 0) highest.move(value);
      else if (value >= highest.value) highest.offer(value, words, at, bytes);
    }
    this.sum = sum;
    this.count = count;
  }

  get min(): string | number | undefined {
    return this.count === 0 ? undefined : this.lowest.shown();
  }

  get max(): string | number | undefined {
    return this.count === 0 ? undefined : this.highest.shown();
  }

  /** Undefined when the sum is past the range of doubles. */
  get mean(): number | undefined {
    const mean = this.sum / this.count;
    return this.count > 0 && Number.isFinite(mean) ? mean : undefined;
  }
}

const run: NumberTally = { sum: 0, lowest: 0, highest: 0 };

class Bound {
  value: number;
  private readonly direction: number;
  /** Digits as they came; length 0 while the double says it all. */
  private text = new Uint8Array(32);
  private length = 0;
  /** What is held, once it had to be compared by its digits: they may be many, and ties with them too. */
  private held: Decimal | undefined;
  private set = false;

  constructor(direction: number) {
    this.direction = direction;
    this.value = direction * Number.NEGATIVE_INFINITY;
  }

  /** Takes a number that is beyond and that its double prints as it came. */
  move(value: number): void {
    this.set = true;
    this.value = value;
    this.length = 0;
    this.held = undefined;
  }

  /** Takes the number unless a tie of doubles turns out to be the other way by the digits. */
  offer(value: number, words: Int32Array, at: number, bytes: Uint8Array): void {
    const plain = ((words[at] as number) & noted.plain) !== 0;
    const start = words[at + noted.start] as number;
    const end = words[at + noted.end] as number;
    if (this.set && value === this.value && !this.beyond(plain, bytes, start, end)) return;
    this.set = true;
    this.value = value;
    this.length = 0;
    this.held = undefined;
    if (plain) return;
    if (end - start > this.text.length) this.text = new Uint8Array((end - start) * 2);
    for (let from = start; from < end; from += 1) this.text[from - start] = bytes[from] as number;
    this.length = end - start;
  }

  shown(): string | number {
    if (this.length === 0) return this.value;
    const text = latin(this.text, 0, this.length);
    return String(this.value) === text ? this.value : text;
  }

  private beyond(plain: boolean, bytes: Uint8Array, start: number, end: number): boolean {
    // Up to 15 significant digits a double is exact enough: a tie is a tie.
    if (plain || (end - start <= 15 && Number.isFinite(this.value) && this.value !== 0)) return false;
    this.held ??= parseDecimal(this.length === 0 ? String(this.value) : latin(this.text, 0, this.length));
    return compareDecimals(parseDecimal(latin(bytes, start, end)), this.held) * this.direction > 0;
  }
}

/** The ASCII text of `bytes[start, end)`. */
export function latin(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}
