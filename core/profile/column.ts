import type { ColumnTree } from './column-tree.ts';
import { DateRange } from './date-range.ts';
import { DistinctCounter } from './distinct-counter.ts';
import { escapes, kind } from './kind.ts';
import { noted } from './noted-value.ts';
import { latin, NumberRange } from './number-range.ts';
import type { ColumnProfile, TypeMix } from './profile.ts';
import { hashBytes, lanes } from './value-hash.ts';

/** A column of at most this many different values gets its most frequent ones listed. */
const trackedValues = 256;
const listedValues = 5;
/** Values longer than this are not kept as text. */
const trackedBytes = 128;

/** One value noted: what a reader has that reads one at a time. */
const one = new Int32Array(noted.words);
const oneNumber = new Float64Array(one.buffer);

type Value = string | number | boolean;

/**
 * One column's accumulator. A record's value is first staged here and counted by `commit` once the whole record has
 * been read: a broken record leaves no trace, and of a repeated key the last value counts.
 */
export class Column {
  readonly key: string;
  readonly parent: Column | null;
  readonly depth: number;
  /** Tells this column's values from another's in the hash of the object that holds both. */
  readonly salt: number;
  /** The key's bytes as last seen in a record, closing quote included: what the reader expects next time. */
  spelling: Uint8Array;
  /** The column that followed this one in the last record. */
  following: Column | null = null;
  /** Columns inside this one, once it has held an object. */
  inside: ColumnTree | null = null;

  /** The record that last touched this column, and its staged value. */
  stamp = -1;
  kind: number = kind.none;
  hash1 = 0;
  hash2 = 0;
  value = 0;
  plain = false;
  escapes: number = escapes.none;
  start = 0;
  end = 0;
  length = 0;

  present = 0;
  private nulls = 0;
  private trues = 0;
  private falses = 0;
  private integers = 0;
  private decimals = 0;
  private strings = 0;
  private arrays = 0;
  private objects = 0;
  private minLength = Number.MAX_SAFE_INTEGER;
  private maxLength = 0;
  private minItems = Number.MAX_SAFE_INTEGER;
  private maxItems = 0;
  private readonly numbers = new NumberRange();
  private readonly dates = new DateRange();
  private readonly different = new DistinctCounter();
  private values: (Value | undefined)[] | null = [];
  private counts = new Float64Array(trackedValues);

  constructor(key: string, parent: Column | null, spelling: Uint8Array) {
    this.key = key;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.spelling = spelling;
    hashBytes(spelling, 0, spelling.length, 0);
    this.salt = lanes.hash1;
  }

  /** Are the values themselves still kept, for the list of the most frequent? */
  get tracking(): boolean {
    return this.values !== null;
  }

  /** Counts the staged value; `bytes` is the buffer that `start` and `end` point into. */
  commit(bytes: Uint8Array): void {
    if (this.kind === kind.none) return;
    const marks = this.kind === kind.boolean ? this.value === 1 : this.plain;
    one[0] = this.kind | (marks ? noted.plain : 0) | (this.escapes << noted.escapesShift);
    one[noted.hash1] = this.hash1;
    one[noted.hash2] = this.hash2;
    one[noted.start] = this.start;
    one[noted.end] = this.end;
    one[noted.length] = this.length;
    oneNumber[noted.number >> 1] = this.value;
    this.commitRun(one, oneNumber, bytes, 0, noted.words);
  }

  /** Counts values noted one after the other in `words[from, to)` (`noted`); `doubles` are the same memory. */
  commitRun(words: Int32Array, doubles: Float64Array, bytes: Uint8Array, from: number, to: number): void {
    const { different, numbers, dates } = this;
    for (let at = from; at < to; at += noted.words) {
      const marks = words[at] as number;
      switch (marks & noted.kindMask) {
        case kind.string: {
          const length = words[at + noted.length] as number;
          this.strings += 1;
          if (length < this.minLength) this.minLength = length;
          if (length > this.maxLength) this.maxLength = length;
          if (dates.only) {
            if (marks >> noted.escapesShift !== escapes.none) dates.only = false;
            else dates.add(bytes, words[at + noted.start] as number, words[at + noted.end] as number);
          }
          break;
        }
        case kind.integer:
          this.integers += 1;
          numbers.add(doubles[(at + noted.number) >> 1] as number, words, at, bytes);
          break;
        case kind.number:
          this.decimals += 1;
          numbers.add(doubles[(at + noted.number) >> 1] as number, words, at, bytes);
          break;
        case kind.boolean:
          if ((marks & noted.plain) !== 0) this.trues += 1;
          else this.falses += 1;
          break;
        case kind.null:
          this.nulls += 1;
          this.present += 1;
          continue;
        case kind.array: {
          const length = words[at + noted.length] as number;
          this.arrays += 1;
          if (length < this.minItems) this.minItems = length;
          if (length > this.maxItems) this.maxItems = length;
          break;
        }
        default:
          this.objects += 1;
      }
      this.present += 1;
      const index = different.add(words[at + noted.hash1] as number, words[at + noted.hash2] as number);
      if (this.values !== null) this.track(index, words, doubles, at, bytes);
    }
  }

  profile(path: string, records: number): ColumnProfile {
    // Numbers win where a column holds both: dates are given only for columns whose every scalar is one.
    const numeric = this.integers + this.decimals > 0;
    const range = numeric ? { min: this.numbers.min, max: this.numbers.max } : this.dates.range;
    const mean = numeric ? this.numbers.mean : undefined;
    const top = this.top();
    return {
      path,
      types: this.types(),
      nulls: this.nulls,
      missing: records - this.present,
      ...defined({ ...range, mean }),
      ...(this.strings > 0 ? { min_length: this.minLength, max_length: this.maxLength } : {}),
      ...(this.arrays > 0 ? { min_items: this.minItems, max_items: this.maxItems } : {}),
      distinct: Math.min(this.different.count, this.present - this.nulls),
      distinct_exact: this.different.exact,
      ...(top === undefined ? {} : { top }),
    };
  }

  private track(index: number, words: Int32Array, doubles: Float64Array, at: number, bytes: Uint8Array): void {
    const values = this.values as (Value | undefined)[];
    if (index < 0 || index >= trackedValues) {
      this.values = null;
      this.counts = new Float64Array(0);
      return;
    }
    if (index === values.length) values.push(shown(words, doubles, at, bytes));
    this.counts[index] = (this.counts[index] as number) + 1;
  }

  private types(): TypeMix {
    const counts = {
      string: this.strings,
      integer: this.integers,
      number: this.decimals,
      boolean: this.trues + this.falses,
      object: this.objects,
      array: this.arrays,
    };
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  }

  /** The most frequent values, when values repeat at all and none of the most frequent is too long to show. */
  private top(): { readonly value: Value; readonly count: number }[] | undefined {
    const values = this.values;
    if (values === null || values.length === 0 || values.length >= this.present - this.nulls) return undefined;
    const order = values.map((_, index) => index);
    order.sort((left, right) => (this.counts[right] as number) - (this.counts[left] as number));
    const listed = order.slice(0, listedValues);
    if (listed.some((index) => values[index] === undefined)) return undefined;
    return listed.map((index) => ({ value: values[index] as Value, count: this.counts[index] as number }));
  }
}

/** A noted value as it can be listed; undefined when it is too long or not a scalar. */
function shown(words: Int32Array, doubles: Float64Array, at: number, bytes: Uint8Array): Value | undefined {
  const marks = words[at] as number;
  const is = marks & noted.kindMask;
  const start = words[at + noted.start] as number;
  const end = words[at + noted.end] as number;
  if (is === kind.boolean) return (marks & noted.plain) !== 0;
  if (is === kind.array || is === kind.object) return undefined;
  if (end - start > trackedBytes) return undefined;
  if (is !== kind.string) {
    const value = doubles[(at + noted.number) >> 1] as number;
    const text = latin(bytes, start, end);
    return String(value) === text ? value : text;
  }
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
  if (marks >> noted.escapesShift === escapes.csv) return raw.replaceAll('""', '"');
  return marks >> noted.escapesShift === escapes.json ? unescaped(raw) : raw;
}

function unescaped(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

function defined<T extends object>(facts: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
