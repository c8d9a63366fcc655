import type { Column } from './column.ts';
import type { ColumnTree } from './column-tree.ts';
import { spells } from './json-bytes.ts';
import { escapes, kind } from './kind.ts';
import { noted } from './noted-value.ts';
import { readNumber } from './number-bytes.ts';
import type { StagedRecord } from './staged-record.ts';
import { hashBytes } from './value-hash.ts';

const quote = 0x22;
const booleans = ['true', 'false', 'True', 'False', 'TRUE', 'FALSE'].map((text) => Buffer.from(text, 'latin1'));
const trueBytes = Buffer.from('true', 'latin1');
const falseBytes = Buffer.from('false', 'latin1');

/**
 * Reads the bytes of one CSV row (RFC 4180) into staged column values. Types are read off the cells: empty and
 * unquoted is null, a JSON number is a number (so `007` and `+5` stay strings), `true`/`false` is a boolean.
 */
export class CsvRecordReader {
  private readonly columns: (Column | null)[];
  private readonly root: ColumnTree;
  private readonly staged: StagedRecord;
  private readonly delimiter: number;
  private meant = new Uint8Array(256);

  constructor(header: readonly string[], delimiter: string, root: ColumnTree, staged: StagedRecord) {
    this.root = root;
    this.staged = staged;
    this.delimiter = delimiter.charCodeAt(0);
    const taken = new Map<string, number>();
    this.columns = header.map((name, index) => {
      const wanted = name === '' ? `column ${index + 1}` : name;
      const times = (taken.get(wanted) ?? 0) + 1;
      taken.set(wanted, times);
      return this.column(times === 1 ? wanted : `${wanted} (${times})`);
    });
  }

  /** False for a row whose quotes do not close. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    let last = end;
    while (last > start && (bytes[last - 1] === 0x0a || bytes[last - 1] === 0x0d)) last -= 1;
    let at = start;
    for (let index = 0; ; index += 1) {
      // Cells past the header get columns of their own: they are data that the header does not name.
      if (index === this.columns.length) this.columns.push(this.column(`column ${index + 1}`));
      const column = this.staged.touch(this.columns[index] ?? this.staged.discarded);
      at =
        bytes[at] === quote && at < last
          ? this.quoted(bytes, at + 1, last, column)
          : this.bare(bytes, at, last, column);
      if (at < 0) return false;
      if (at >= last) return true;
      at += 1;
    }
  }

  private column(name: string): Column | null {
    return this.root.column(name, Buffer.from(name, 'utf8'));
  }

  /** The position of the delimiter after the cell, or the row's end. */
  private bare(bytes: Uint8Array, start: number, end: number, column: Column): number {
    let at = start;
    while (at < end && bytes[at] !== this.delimiter) at += 1;
    if (at === start) {
      column.stage(kind.null, start, at);
      return at;
    }
    if (!this.scalar(bytes, start, at, column)) {
      hashBytes(bytes, start, at, 0);
      column.stageString(start, at, at - start, escapes.none);
    }
    return at;
  }

  private quoted(bytes: Uint8Array, start: number, end: number, column: Column): number {
    let doubled = 0;
    let at = start;
    for (; at < end; at += 1) {
      if (bytes[at] !== quote) continue;
      if (at + 1 >= end || bytes[at + 1] !== quote) break;
      doubled += 1;
      at += 1;
    }
    if (at >= end) return -1;
    const close = at;
    at += 1;
    if (at < end && bytes[at] !== this.delimiter) return -1;
    if (close === start || !this.scalar(bytes, start, close, column)) {
      const length = close - start - doubled;
      if (doubled === 0) hashBytes(bytes, start, close, 0);
      else hashBytes(this.undoubled(bytes, start, close), 0, length, 0);
      column.stageString(start, close, length, doubled > 0 ? escapes.csv : escapes.none);
    }
    return at;
  }

  /** What a cell with doubled quotes means; valid until the next call. */
  private undoubled(bytes: Uint8Array, start: number, end: number): Uint8Array {
    if (this.meant.length < end - start) this.meant = new Uint8Array((end - start) * 2);
    let length = 0;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number;
      this.meant[length++] = byte;
      if (byte === quote) at += 1;
    }
    return this.meant;
  }

  /** Stages a cell that is wholly a number or a boolean. */
  private scalar(bytes: Uint8Array, start: number, end: number, column: Column): boolean {
    const first = bytes[start] as number;
    if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
      if (readNumber(bytes, start, end) !== end) return false;
      column.stageNumber(start, end);
    } else if ((first | 0x20) === 0x74 || (first | 0x20) === 0x66) {
      if (!booleans.some((word) => word.length === end - start && spells(bytes, start, end, word))) return false;
      const truth = (first | 0x20) === 0x74;
      const word = truth ? trueBytes : falseBytes;
      hashBytes(word, 0, word.length, kind.boolean);
      column.stage(kind.boolean | (truth ? noted.plain : 0), start, end);
    } else return false;
    return true;
  }
}
