import type { Column } from './column.ts';
import { type ColumnBudget, ColumnTree } from './column-tree.ts';
import { escapes, kind } from './kind.ts';
import { noted } from './noted-value.ts';
import { readNumber } from './number-bytes.ts';
import type { StagedRecord } from './staged-record.ts';
import { arraySeed, finish, hashBytes, hashDouble, memberShare, objectSeed, prime1, prime2 } from './value-hash.ts';

const depthLimit = 16;
const keyByteLimit = 4096;

/**
 * Reads a row that exists as a JavaScript object (a database's) into columns. Values count as what their JSON would
 * say: dates as ISO strings, big integers with all their digits, `undefined` as a missing key.
 */
export class RowReader {
  private readonly root: ColumnTree;
  private readonly budget: ColumnBudget;
  private readonly staged: StagedRecord;
  private scratch = Buffer.alloc(4096);

  constructor(root: ColumnTree, budget: ColumnBudget, staged: StagedRecord) {
    this.root = root;
    this.budget = budget;
    this.staged = staged;
  }

  read(row: Readonly<Record<string, unknown>>): void {
    this.object(row, this.root);
  }

  private object(row: Readonly<Record<string, unknown>>, tree: ColumnTree): void {
    let previous: Column | null = null;
    let hash1 = objectSeed;
    let hash2 = objectSeed;
    for (const key of Object.keys(row)) {
      const value = row[key];
      if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
      let column: Column | null = previous === null ? tree.first : previous.following;
      if (column === null || column.key !== key) {
        column = tree.column(key, Buffer.from(key.slice(0, keyByteLimit), 'utf8'));
        if (column === null) continue;
        if (previous === null) tree.first = column;
        else previous.following = column;
      }
      this.value(value, this.staged.touch(column));
      hash1 = (hash1 + memberShare(column.words[noted.hash1] as number, column.salt, prime2)) | 0;
      hash2 = (hash2 + memberShare(column.words[noted.hash2] as number, column.salt, prime1)) | 0;
      previous = column;
    }
    finish(hash1, hash2, 0);
  }

  /** Counts the value at once: a row object has no repeated key and cannot turn out broken. */
  private value(value: unknown, column: Column): void {
    const plain = toPlain(value);
    if (plain === null || plain === undefined) this.literal('null', kind.null, 0, column);
    else if (typeof plain === 'string') this.string(plain, column);
    else if (typeof plain === 'number' || typeof plain === 'bigint') this.number(plain, column);
    else if (typeof plain === 'boolean') this.literal(String(plain), kind.boolean, plain ? noted.plain : 0, column);
    else if (Array.isArray(plain) || column.depth + 1 > depthLimit) this.opaque(plain, column);
    else {
      column.inside ??= new ColumnTree(this.budget, column, column.depth + 1);
      this.object(plain as Record<string, unknown>, column.inside);
      column.stage(kind.object, 0, 0);
    }
    column.commit(this.scratch);
  }

  private literal(text: string, is: number, marks: number, column: Column): void {
    const length = this.write(text);
    hashBytes(this.scratch, 0, length, is);
    column.stage(is | marks, 0, length);
  }

  private string(value: string, column: Column): void {
    const length = this.write(value);
    hashBytes(this.scratch, 0, length, 0);
    column.stageString(0, length, length, escapes.none);
  }

  private number(value: number | bigint, column: Column): void {
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15) {
      hashDouble(value);
      // The digits are needed only where the value is listed.
      column.stage(kind.integer | noted.plain, 0, column.tracking ? this.write(String(value)) : 0);
      column.doubles[noted.number >> 1] = value;
      return;
    }
    const end = this.write(String(value));
    if (readNumber(this.scratch, 0, end) === end) column.stageNumber(0, end);
    else {
      hashBytes(this.scratch, 0, end, kind.number);
      column.stage(kind.number, 0, end);
      column.doubles[noted.number >> 1] = Number.NaN;
    }
  }

  private opaque(value: object, column: Column): void {
    const length = this.write(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)));
    hashBytes(this.scratch, 0, length, arraySeed);
    column.stage(Array.isArray(value) ? kind.array : kind.object, 0, length);
    column.words[noted.length] = Array.isArray(value) ? value.length : 0;
  }

  /** Puts the text's UTF-8 at the start of the scratch buffer; its length. */
  private write(text: string): number {
    if (text.length * 3 > this.scratch.length) this.scratch = Buffer.alloc(text.length * 3 * 2);
    return this.scratch.write(text, 0, 'utf8');
  }
}

function toPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  const json = (value as { toJSON?: unknown }).toJSON;
  return typeof json === 'function' ? json.call(value) : value;
}
