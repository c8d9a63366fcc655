import type { Column } from './column.ts';
import { type ColumnBudget, ColumnTree } from './column-tree.ts';
import { escapes, kind } from './kind.ts';
import { read, readNumber } from './number-bytes.ts';
import type { StagedRecord } from './staged-record.ts';
import {
  arraySeed,
  finish,
  hashBytes,
  hashDouble,
  lanes,
  memberShare,
  objectSeed,
  prime1,
  prime2,
} from './value-hash.ts';

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
      hash1 = (hash1 + memberShare(column.hash1, column.salt, prime2)) | 0;
      hash2 = (hash2 + memberShare(column.hash2, column.salt, prime1)) | 0;
      previous = column;
    }
    finish(hash1, hash2, 0);
  }

  /** Counts the value at once: a row object has no repeated key and cannot turn out broken. */
  private value(value: unknown, column: Column): void {
    const plain = toPlain(value);
    column.escapes = escapes.none;
    if (plain === null || plain === undefined) column.kind = kind.null;
    else if (typeof plain === 'string') this.string(plain, column);
    else if (typeof plain === 'number' || typeof plain === 'bigint') this.number(plain, column);
    else if (typeof plain === 'boolean') {
      const length = this.write(plain ? 'true' : 'false');
      hashBytes(this.scratch, 0, length, kind.boolean);
      column.kind = kind.boolean;
      column.value = plain ? 1 : 0;
    } else if (Array.isArray(plain) || column.depth + 1 > depthLimit) this.opaque(plain, column);
    else {
      column.inside ??= new ColumnTree(this.budget, column, column.depth + 1);
      this.object(plain as Record<string, unknown>, column.inside);
      column.kind = kind.object;
    }
    column.hash1 = lanes.hash1;
    column.hash2 = lanes.hash2;
    column.commit(this.scratch);
  }

  private string(value: string, column: Column): void {
    const length = this.write(value);
    hashBytes(this.scratch, 0, length, 0);
    column.kind = kind.string;
    column.start = 0;
    column.end = length;
    column.length = length;
  }

  private number(value: number | bigint, column: Column): void {
    column.start = 0;
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15) {
      hashDouble(value);
      column.kind = kind.integer;
      column.value = value;
      column.plain = true;
      // The digits are needed only where the value is listed.
      column.end = column.tracking ? this.write(String(value)) : 0;
      return;
    }
    column.end = this.write(String(value));
    if (readNumber(this.scratch, 0, column.end) === column.end) {
      column.kind = read.integer ? kind.integer : kind.number;
      column.value = read.value;
      column.plain = read.plain;
    } else {
      hashBytes(this.scratch, 0, column.end, kind.number);
      column.kind = kind.number;
      column.value = Number.NaN;
      column.plain = false;
    }
  }

  private opaque(value: object, column: Column): void {
    const length = this.write(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)));
    hashBytes(this.scratch, 0, length, arraySeed);
    column.kind = Array.isArray(value) ? kind.array : kind.object;
    column.length = Array.isArray(value) ? value.length : 0;
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
