import type { Column } from './column.ts';
import { type ColumnBudget, ColumnTree } from './column-tree.ts';
import { hashEscaped, skipNested, skipped, skipSpace, spells, stringEnd } from './json-bytes.ts';
import { escapes, kind } from './kind.ts';
import { noted } from './noted-value.ts';
import { readNumber } from './number-bytes.ts';
import type { StagedRecord } from './staged-record.ts';
import { finish, hashBytes, memberShare, objectSeed, prime1, prime2 } from './value-hash.ts';

/** Objects nested deeper than this are counted, not looked into. */
const depthLimit = 16;

const literals = [
  { text: 'true', kind: kind.boolean, value: 1 },
  { text: 'false', kind: kind.boolean, value: 0 },
  { text: 'null', kind: kind.null, value: 0 },
  // Not JSON, but what other languages write: a number that has no place in a range.
  { text: 'NaN', kind: kind.number, value: Number.NaN },
  { text: 'Infinity', kind: kind.number, value: Number.NaN },
  { text: '-Infinity', kind: kind.number, value: Number.NaN },
].map((literal) => ({ ...literal, bytes: Buffer.from(literal.text, 'latin1') }));

/**
 * Reads the bytes of one JSON record straight into staged column values: no value is built, and keys are recognised
 * by comparing with the bytes of the key that came there in the record before.
 */
export class JsonRecordReader {
  private readonly root: ColumnTree;
  private readonly budget: ColumnBudget;
  private readonly staged: StagedRecord;

  constructor(root: ColumnTree, budget: ColumnBudget, staged: StagedRecord) {
    this.root = root;
    this.budget = budget;
    this.staged = staged;
  }

  /** False for a record that is not one whole JSON value; what was staged of it must then be dropped. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    let at = skipSpace(bytes, start, end);
    if (at >= end) return false;
    if (bytes[at] === 0x7b) at = this.object(bytes, at + 1, end, this.root);
    else at = this.value(bytes, at, end, this.staged.touch(this.staged.whole));
    return at >= 0 && skipSpace(bytes, at, end) === end;
  }

  /** From after the opening brace to after the closing one. */
  private object(bytes: Uint8Array, start: number, end: number, tree: ColumnTree): number {
    let at = start;
    let previous: Column | null = null;
    let hash1 = objectSeed;
    let hash2 = objectSeed;
    for (;;) {
      while (at < end && (bytes[at] as number) <= 0x20) at += 1;
      if (at >= end) return -1;
      if (bytes[at] !== 0x22) {
        if (bytes[at] !== 0x7d || previous !== null) return -1;
        at += 1;
        break;
      }
      at += 1;
      let column: Column | null = previous === null ? tree.first : (previous as Column).following;
      if (column !== null && spells(bytes, at, end, column.spelling)) {
        at += column.spelling.length;
      } else {
        const close = stringEnd(bytes, at, end);
        if (close < 0) return -1;
        column = this.lookUp(bytes, at, close, tree, previous);
        if (column === null) return -1;
        at = close + 1;
      }
      while (at < end && (bytes[at] as number) <= 0x20) at += 1;
      if (bytes[at] !== 0x3a) return -1;
      at += 1;
      while (at < end && (bytes[at] as number) <= 0x20) at += 1;
      if (at >= end) return -1;
      at = this.value(bytes, at, end, this.staged.touch(column));
      if (at < 0) return -1;
      hash1 = (hash1 + memberShare(column.words[noted.hash1] as number, column.salt, prime2)) | 0;
      hash2 = (hash2 + memberShare(column.words[noted.hash2] as number, column.salt, prime1)) | 0;
      previous = column;
      while (at < end && (bytes[at] as number) <= 0x20) at += 1;
      if (at >= end) return -1;
      const next = bytes[at];
      at += 1;
      if (next === 0x2c) {
        while (at < end && (bytes[at] as number) <= 0x20) at += 1;
        if (bytes[at] !== 0x22) return -1;
      } else if (next === 0x7d) break;
      else return -1;
    }
    finish(hash1, hash2, 0);
    return at;
  }

  private lookUp(
    bytes: Uint8Array,
    start: number,
    close: number,
    tree: ColumnTree,
    previous: Column | null,
  ): Column | null {
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset + start, close + 1 - start);
    const text = raw.toString('utf8');
    let key = text.slice(0, -1);
    if (key.includes('\\')) {
      try {
        key = JSON.parse(`"${text}`) as string;
      } catch {
        return null;
      }
    }
    const column = tree.column(key, raw);
    if (column === null) return this.staged.discarded;
    if (previous === null) tree.first = column;
    // `discarded` stands in for keys of every object: what followed it once says nothing.
    else if (previous !== this.staged.discarded) previous.following = column;
    return column;
  }

  /** Stages the value that starts at `at` in the column; the position after it, -1 when it is none. */
  private value(bytes: Uint8Array, at: number, end: number, column: Column): number {
    const first = bytes[at] as number;
    if (first === 0x22) return this.string(bytes, at + 1, end, column);
    if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
      const next = readNumber(bytes, at, end);
      if (next < 0) return this.literal(bytes, at, end, column);
      column.stageNumber(at, next);
      return next;
    }
    if (first === 0x5b || first === 0x7b) return this.nested(bytes, at, end, column, first === 0x7b);
    return this.literal(bytes, at, end, column);
  }

  private string(bytes: Uint8Array, start: number, end: number, column: Column): number {
    let at = start;
    for (; at < end; at += 1) {
      const byte = bytes[at] as number;
      if (byte === 0x22) break;
      if (byte === 0x5c) return this.escapedString(bytes, start, end, column);
    }
    if (at >= end) return -1;
    hashBytes(bytes, start, at, 0);
    column.stageString(start, at, at - start, escapes.none);
    return at + 1;
  }

  private escapedString(bytes: Uint8Array, start: number, end: number, column: Column): number {
    const close = stringEnd(bytes, start, end);
    if (close < 0) return -1;
    const length = hashEscaped(bytes, start, close);
    if (length < 0) return -1;
    column.stageString(start, close, length, escapes.json);
    return close + 1;
  }

  private nested(bytes: Uint8Array, at: number, end: number, column: Column, isObject: boolean): number {
    let next: number;
    const depth = column.depth + 1;
    if (isObject && depth <= depthLimit && column !== this.staged.discarded) {
      column.inside ??= new ColumnTree(this.budget, column, depth);
      next = this.object(bytes, at + 1, end, column.inside);
    } else {
      next = skipNested(bytes, at, end);
    }
    if (next < 0) return -1;
    column.stage(isObject ? kind.object : kind.array, at, next);
    column.words[noted.length] = skipped.items;
    return next;
  }

  private literal(bytes: Uint8Array, at: number, end: number, column: Column): number {
    for (const literal of literals) {
      if (!spells(bytes, at, end, literal.bytes)) continue;
      const next = at + literal.bytes.length;
      hashBytes(bytes, at, next, literal.kind);
      column.stage(literal.kind | (literal.value === 1 ? noted.plain : 0), at, next);
      column.doubles[noted.number >> 1] = literal.value;
      return next;
    }
    return -1;
  }
}
