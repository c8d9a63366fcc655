import type { ColumnTree } from './column-tree.ts';
import { DateRange } from './date-range.ts';
import { DistinctCounter } from './distinct-counter.ts';
import { escapes, kind } from './kind.ts';
import { latin, NumberRange } from './number-range.ts';
import type { ColumnProfile, TypeMix } from './profile.ts';
import { hashBytes, lanes } from './value-hash.ts';

/** A column of at most this many different values gets its most frequent ones listed. */
const trackedValues = 256;
const listedValues = 5;
/** Values longer than this are not kept as text. */
const trackedBytes = 128;

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
    switch (this.kind) {
      case kind.string:
        this.commitString(bytes);
        break;
      case kind.integer:
        this.integers += 1;
        this.numbers.add(this.value, this.plain, bytes, this.start, this.end);
        break;
      case kind.number:
        this.decimals += 1;
        // NaN and Infinity of other languages' JSON: numbers without a place in a range.
        if (!Number.isNaN(this.value)) this.numbers.add(this.value, this.plain, bytes, this.start, this.end);
        break;
      case kind.boolean:
        if (this.value === 1) this.trues += 1;
        else this.falses += 1;
        break;
      case kind.null:
        this.present += 1;
        this.nulls += 1;
        return;
      case kind.array:
        this.arrays += 1;
        if (this.length < this.minItems) this.minItems = this.length;
        if (this.length > this.maxItems) this.maxItems = this.length;
        break;
      case kind.object:
        this.objects += 1;
        break;
      default:
        return;
    }
    this.present += 1;
    const index = this.different.add(this.hash1, this.hash2);
    if (this.values !== null) this.track(index, bytes);
  }

  /**
   * Counts values that the kernel noted, `words[from, to)`, eight words each (`core/kernel/assembly/memory.ts`); `bytes`
   * and `doubles` are the same memory.
   */
  commitRun(words: Int32Array, doubles: Float64Array, bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += 8) {
      const marks = words[at] as number;
      this.kind = marks & 0xff;
      this.plain = (marks & 0x100) !== 0;
      this.value = this.kind === kind.boolean ? (marks >> 8) & 1 : (doubles[(at + 6) >> 1] as number);
      this.escapes = marks >> 16;
      this.hash1 = words[at + 1] as number;
      this.hash2 = words[at + 2] as number;
      this.start = words[at + 3] as number;
      this.end = words[at + 4] as number;
      this.length = words[at + 5] as number;
      this.commit(bytes);
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

  private commitString(bytes: Uint8Array): void {
    this.strings += 1;
    if (this.length < this.minLength) this.minLength = this.length;
    if (this.length > this.maxLength) this.maxLength = this.length;
    if (this.escapes !== escapes.none) this.dates.giveUp();
    else this.dates.add(bytes, this.start, this.end);
  }

  private track(index: number, bytes: Uint8Array): void {
    const values = this.values as (Value | undefined)[];
    if (index < 0 || index >= trackedValues) {
      this.values = null;
      this.counts = new Float64Array(0);
      return;
    }
    if (index === values.length) values.push(this.shown(bytes));
    this.counts[index] = (this.counts[index] as number) + 1;
  }

  /** The staged value as it can be listed; undefined when it is too long or not a scalar. */
  private shown(bytes: Uint8Array): Value | undefined {
    if (this.kind === kind.boolean) return this.value === 1;
    if (this.kind === kind.array || this.kind === kind.object) return undefined;
    if (this.end - this.start > trackedBytes) return undefined;
    if (this.kind !== kind.string) {
      const text = latin(bytes, this.start, this.end);
      return String(this.value) === text ? this.value : text;
    }
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset + this.start, this.end - this.start).toString('utf8');
    if (this.escapes === escapes.csv) return raw.replaceAll('""', '"');
    return this.escapes === escapes.json ? unescaped(raw) : raw;
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
