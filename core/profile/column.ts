import type { ColumnTree } from './column-tree.ts';
import { DateRange } from './date-range.ts';
import { DistinctCounter } from './distinct-counter.ts';
import { escapes, kind } from './kind.ts';
import { LengthRange } from './length-range.ts';
import { noted } from './noted-value.ts';
import { read } from './number-bytes.ts';
import { latin, NumberRange } from './number-range.ts';
import type { ColumnProfile, TypeMix } from './profile.ts';
import type { RunTally } from './run-tally.ts';
import { hashBytes, lanes } from './value-hash.ts';

/** A column of at most this many different values gets its most frequent ones listed. */
const trackedValues = 256;
const listedValues = 5;
/** Values longer than this are not kept as text. */
const trackedBytes = 128;

const nullBit = 1 << kind.null;
const numericBits = (1 << kind.integer) | (1 << kind.number);

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

  /** The record that last touched this column, and its staged value (`noted`). */
  stamp = -1;
  readonly words = new Int32Array(noted.words);
  readonly doubles = new Float64Array(this.words.buffer);

  present = 0;
  private nulls = 0;
  private booleans = 0;
  private integers = 0;
  private decimals = 0;
  private strings = 0;
  private arrays = 0;
  private objects = 0;
  private readonly lengths = new LengthRange();
  private readonly items = new LengthRange();
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

  /** Of the staged value; `kind.none` when there is none. */
  get kind(): number {
    return (this.words[0] as number) & noted.kindMask;
  }

  forget(): void {
    this.words[0] = kind.none;
  }

  /** Stages a value of a kind, with marks (`noted`), whose hash is in `lanes`. */
  stage(marks: number, start: number, end: number): void {
    const { words } = this;
    words[0] = marks;
    words[noted.hash1] = lanes.hash1;
    words[noted.hash2] = lanes.hash2;
    words[noted.start] = start;
    words[noted.end] = end;
  }

  /** Stages a string; `length`: bytes of its meaning, `spelled`: how its own bytes differ from that (`escapes`). */
  stageString(start: number, end: number, length: number, spelled: number): void {
    this.stage(kind.string | (spelled << noted.escapesShift), start, end);
    this.words[noted.length] = length;
  }

  /** Stages the number that `readNumber` has just read. */
  stageNumber(start: number, end: number): void {
    this.stage((read.integer ? kind.integer : kind.number) | (read.plain ? noted.plain : 0), start, end);
    this.doubles[noted.number >> 1] = read.value;
  }

  /** Counts the staged value; `bytes` is the buffer that `start` and `end` point into. */
  commit(bytes: Uint8Array): void {
    const { kind: is } = this;
    if (is !== kind.none) this.commitKind(is, this.words, this.doubles, bytes, 0, noted.words, null);
  }

  /** Counts the values that the kernel noted in `words[from, to)`, at least one, which do not stay there as they are. */
  commitRun(tally: RunTally, from: number, to: number): void {
    const { words, doubles, bytes } = tally;
    const seen = tally.kinds(from, to);
    let end = to;
    if ((seen & nullBit) !== 0) {
      end = seen === nullBit ? from : tally.withoutNulls(from, to);
      const nulls = (to - end) / noted.words;
      this.present += nulls;
      this.nulls += nulls;
    }
    const kinds = seen & ~nullBit;
    if (kinds === numericBits) {
      this.commitKind(kind.number, words, doubles, bytes, from, end, tally);
      const integers = tally.integers(from, end);
      this.integers += integers;
      this.decimals -= integers;
      return;
    }
    for (let at = from; at < end; ) {
      const is = (words[at] as number) & noted.kindMask;
      let next = at + noted.words;
      if (kinds === 1 << is) next = end;
      else while (next < end && ((words[next] as number) & noted.kindMask) === is) next += noted.words;
      this.commitKind(is, words, doubles, bytes, at, next, tally);
      at = next;
    }
  }

  /** Counts values of one kind: those of a run, or a single one. */
  private commitKind(
    is: number,
    words: Int32Array,
    doubles: Float64Array,
    bytes: Uint8Array,
    from: number,
    to: number,
    tally: RunTally | null,
  ): void {
    const count = (to - from) / noted.words;
    this.present += count;
    switch (is) {
      case kind.string:
        this.strings += count;
        if (tally === null) this.lengths.add(words[from + noted.length] as number);
        else tally.lengths(this.lengths, from, to);
        if (!this.dates.only) break;
        if (tally === null) this.dates.add(words, bytes, from, to);
        else this.dates.addRun(tally, from, to);
        break;
      case kind.integer:
      case kind.number:
        if (is === kind.integer) this.integers += count;
        else this.decimals += count;
        if (tally === null) this.numbers.add(words, doubles, bytes, from, to);
        else this.numbers.addRun(tally, from, to);
        break;
      case kind.boolean:
        this.booleans += count;
        break;
      case kind.null:
        this.nulls += count;
        return;
      case kind.array:
        this.arrays += count;
        if (tally === null) this.items.add(words[from + noted.length] as number);
        else tally.lengths(this.items, from, to);
        break;
      default:
        this.objects += count;
    }
    if (this.values !== null) this.track(words, doubles, bytes, from, to, tally);
    else if (tally === null)
      this.different.add(words[from + noted.hash1] as number, words[from + noted.hash2] as number);
    else this.different.addRun(tally, from, to);
  }

  /** No more values are expected. */
  settle(): void {
    this.different.settle();
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
      ...(this.strings > 0 ? { min_length: this.lengths.min, max_length: this.lengths.max } : {}),
      ...(this.arrays > 0 ? { min_items: this.items.min, max_items: this.items.max } : {}),
      distinct: Math.min(this.different.count, this.present - this.nulls),
      distinct_exact: this.different.exact,
      ...(top === undefined ? {} : { top }),
    };
  }

  private track(
    words: Int32Array,
    doubles: Float64Array,
    bytes: Uint8Array,
    from: number,
    to: number,
    tally: RunTally | null,
  ): void {
    const values = this.values as (Value | undefined)[];
    for (let at = from; at < to; at += noted.words) {
      at = this.different.countSeen(words, at, to, this.counts);
      if (at === to) return;
      const index = this.different.add(words[at + noted.hash1] as number, words[at + noted.hash2] as number);
      if (index < 0 || index >= trackedValues) {
        this.values = null;
        this.counts = new Float64Array(0);
        if (tally !== null) this.different.addRun(tally, at + noted.words, to);
        return;
      }
      if (index === values.length) values.push(shown(words, doubles, at, bytes));
      this.counts[index] = (this.counts[index] as number) + 1;
    }
  }

  private types(): TypeMix {
    const counts = {
      string: this.strings,
      integer: this.integers,
      number: this.decimals,
      boolean: this.booleans,
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
