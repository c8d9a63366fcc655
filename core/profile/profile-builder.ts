import type { RecordRun, RecordSink } from '../scan/record-sink.ts';
import type { Column } from './column.ts';
import { ColumnBudget, ColumnTree } from './column-tree.ts';
import { CsvRecordReader } from './csv-record-reader.ts';
import { fitProfile } from './fit-profile.ts';
import { JsonRecordReader } from './json-record-reader.ts';
import type { ColumnProfile, Profile } from './profile.ts';
import { RecordRuns } from './record-runs.ts';
import { RowReader } from './row-reader.ts';
import { StagedRecord } from './staged-record.ts';

/** How the records come: as JSON bytes, as rows of a CSV with this header, or as JavaScript objects. */
export type ProfileFormat =
  | { readonly format: 'json' }
  | { readonly format: 'csv'; readonly delimiter: string; readonly header: readonly string[] }
  | { readonly format: 'rows' };

export interface ProfileOptions {
  /** Columns that get an accumulator, nested ones included; more are counted as left out. Default 512. */
  readonly maxColumns?: number;
}

const defaultColumns = 512;
/** Most bytes that are read in one run. */
const windowBytes = 64 * 1024;

/**
 * Builds the profile in the pass that scans the records: one accumulator per column, no value built. Memory is
 * bounded by the columns: at most 100 KiB each, and that only for columns of more than 2,048 different values.
 */
export class ProfileBuilder implements RecordSink {
  private readonly staged = new StagedRecord();
  private readonly budget: ColumnBudget;
  private readonly root: ColumnTree;
  private readonly reader: { read(bytes: Uint8Array, start: number, end: number): boolean };
  private readonly rows: RowReader;
  /** Null for what is no JSON. */
  private readonly runs: RecordRuns | null;
  /** Bytes of NDJSON so far. */
  private lineBytes = 0;
  private records = 0;
  private skipped = 0;

  constructor(format: ProfileFormat, options: ProfileOptions = {}) {
    this.budget = new ColumnBudget(options.maxColumns ?? defaultColumns);
    this.root = new ColumnTree(this.budget, null, 0);
    this.rows = new RowReader(this.root, this.budget, this.staged);
    this.reader =
      format.format === 'csv'
        ? new CsvRecordReader(format.header, format.delimiter, this.root, this.staged)
        : new JsonRecordReader(this.root, this.budget, this.staged);
    this.runs = format.format === 'json' ? new RecordRuns(this.root, this.budget, this.staged.whole) : null;
  }

  /** Counts one record; a broken one is counted as skipped and changes nothing else. */
  record(buffer: Uint8Array, start: number, end: number): void {
    this.staged.begin();
    if (!this.reader.read(buffer, start, end)) {
      this.skipped += 1;
      return;
    }
    this.records += 1;
    this.staged.commit(buffer);
  }

  run(b: Uint8Array, base: number, from: number, to: number, stop: number, lines: boolean): RecordRun | null {
    const { runs } = this;
    if (runs === null) return null;
    runs.end = runs.read(b, base, from, to, stop, lines);
    this.records += runs.count;
    return runs;
  }

  /** Counts the records of NDJSON, `buffer[start, end)`: whole lines, each with its line feed. */
  lines(buffer: Uint8Array, start: number, end: number): void {
    const base = this.lineBytes - start;
    for (let at = start; at < end; ) {
      const to = Math.min(end, at + windowBytes);
      const run = base + at < (this.runs?.restUntil ?? 0) ? null : this.run(buffer, base, at, to, to, true);
      if (run !== null && run.count > 0) at = run.end;
      else {
        const feed = buffer.indexOf(0x0a, at);
        this.record(buffer, at, feed);
        at = feed + 1;
      }
    }
    this.lineBytes += end - start;
  }

  /** A record past the scanner's cap: it exists, but nothing is known about its columns. */
  wide(_bytes: number): void {
    this.skipped += 1;
  }

  /** Counts one row given as an object. */
  row(value: Readonly<Record<string, unknown>>): void {
    this.staged.begin();
    this.records += 1;
    this.rows.read(value);
  }

  /** The facts so far; with `maxBytes`, cut down to that many bytes of JSON. */
  build(maxBytes?: number): Profile {
    this.runs?.release();
    const columns: ColumnProfile[] = [];
    const taken = new Set<string>();
    const whole = this.staged.whole;
    if (whole.present > 0) columns.push(whole.profile('', this.records));
    this.describe(this.root, '', taken, columns);
    const profile: Profile = {
      records: this.records,
      skipped_records: this.skipped,
      columns,
      columns_left_out: this.budget.leftOut,
    };
    whole.settle();
    this.budget.settle();
    return maxBytes === undefined ? profile : fitProfile(profile, maxBytes);
  }

  /** Columns in the order of first sight, an object's before its fields. */
  private describe(tree: ColumnTree, prefix: string, taken: Set<string>, columns: ColumnProfile[]): void {
    for (const column of tree.values()) {
      if (column.present === 0) continue;
      const path = freePath(prefix, column, taken);
      taken.add(path);
      columns.push(column.profile(path, this.records));
      if (column.inside !== null) this.describe(column.inside, `${path}.`, taken, columns);
    }
  }
}

/** A dotted path; where a key with a dot in it would spell another column's path, the key is quoted. */
function freePath(prefix: string, column: Column, taken: Set<string>): string {
  const path = prefix + column.key;
  return taken.has(path) ? prefix + JSON.stringify(column.key) : path;
}
