import type { Column } from '../profile/column.ts';
import type { ColumnTree } from '../profile/column-tree.ts';
import { hashEscaped } from '../profile/json-bytes.ts';
import { kind } from '../profile/kind.ts';
import { read, readNumber } from '../profile/number-bytes.ts';
import { lanes } from '../profile/value-hash.ts';
import type { KernelExports, KernelLayout } from './kernel-exports.ts';
import { KernelTally } from './kernel-tally.ts';
import { powerOfFive } from './power-of-five.ts';
import { recordsWasm } from './records-wasm.ts';
import { type WasmGlobal, WebAssembly } from './web-assembly.ts';

/** Whose records are read: its columns change only together with `version`. */
export interface KernelOwner {
  readonly root: ColumnTree;
  /** The column of records that are no objects. */
  readonly whole: Column;
  readonly version: number;
}

/** Bytes of a key that are compared at once. */
const spellingHead = 16;

/**
 * Reads JSON records in WebAssembly, sixteen bytes at a time, into staged column values. There is one for the whole
 * process: it holds the columns of one profile at a time and the last piece read, and no value outlives the call that
 * read it uncounted.
 */
export class RecordKernel {
  readonly #exports: KernelExports;
  readonly #at: KernelLayout;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #tally: KernelTally;
  /** Values of one column that there is room for. */
  #slabValues = 0;
  /** The columns held, in the order of their slabs; the first is of records that are no objects. */
  #held: readonly Column[] = [];
  #owner: KernelOwner | null = null;
  #version = -1;
  /** Which bytes of whose body lie in the piece. */
  #pieceOwner: KernelOwner | null = null;
  #pieceStart = 0;
  #pieceEnd = 0;
  #pieceBytes = 0;
  /** Of the last `read`: records, and the offset of the first. */
  count = 0;
  firstStart = 0;
  sawLineFeed = false;
  /** Columns that the last `read` went over, and those that it had to take in before. */
  columns = 0;
  columnsTaken = 0;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(recordsWasm, 'base64'));
    const host = {
      escapedString: (start = 0, close = 0) => this.#escapedString(start, close),
      longNumber: (start = 0, slot = 0) => this.#longNumber(start, slot),
    };
    const { exports } = new WebAssembly.Instance(module, { host });
    this.#exports = exports as unknown as KernelExports;
    const globals = Object.entries(exports).filter(([, made]) => made instanceof WebAssembly.Global);
    this.#at = Object.fromEntries(globals.map(([name, made]) => [name, (made as WasmGlobal).value])) as KernelLayout;
    this.#tally = new KernelTally(this.#exports, this.#at);
    this.#bytes = this.#tally.bytes;
    this.#words = this.#tally.words;
    this.#doubles = this.#tally.doubles;
    for (let power = 0; power < 23; power += 1) this.#doubles[this.#at.powers / 8 + power] = 10 ** power;
    const { powersOfFive, powersOfFiveBytes, powersOfFiveReach } = this.#at;
    const halves = new BigUint64Array(this.#exports.memory.buffer);
    for (let power = -powersOfFiveReach; power <= powersOfFiveReach; power += 1) {
      const place = (powersOfFive + (power + powersOfFiveReach) * powersOfFiveBytes) >> 3;
      const five = powerOfFive(power);
      halves[place] = five >> 64n;
      halves[place + 1] = BigInt.asUintN(64, five);
    }
  }

  /** Most bytes that it reads in one piece. */
  get pieceLimit(): number {
    return this.#at.pieceLimit;
  }

  /**
   * Reads whole records of `b[from, to)` that start before `stop`, each with the comma or the line feed behind it, and
   * counts their values in their columns. Answers where it stopped, which is at the first byte of the first record that is
   * not ordinary in every way: not JSON, cut by the piece, with a key that has no column, with one key twice. -1: it cannot
   * hold these columns. `base`: the offset of the buffer's first byte in the body.
   */
  read(
    owner: KernelOwner,
    b: Uint8Array,
    base: number,
    from: number,
    to: number,
    stop: number,
    lines: boolean,
  ): number {
    const holds = this.#owner === owner && this.#version === owner.version;
    if (!holds && !this.#hold(owner)) return -1;
    const held = this.#held.length;
    this.columns = held;
    this.columnsTaken = holds ? 0 : held;
    // Should anything throw, values of half a run lie about: the next to read takes its columns in anew.
    this.#owner = null;
    const { piece } = this.#at;
    if (this.#pieceOwner !== owner || this.#pieceEnd !== base + to || base + from < this.#pieceStart) {
      this.#take(owner, b, base, from, to);
    }
    const shift = piece - (this.#pieceStart - base);
    const end = this.#exports.run(
      from + shift,
      stop + shift,
      this.#slabValues,
      this.#at.trees,
      this.#at.columns,
      held,
      lines ? 1 : 0,
    );
    this.count = this.#words[this.#at.runCount >> 2] as number;
    this.firstStart = (this.#words[this.#at.runFirstStart >> 2] as number) - piece + this.#pieceStart;
    this.sawLineFeed = this.#words[this.#at.runLineFeed >> 2] !== 0;
    if (this.count > 0) this.#commit();
    this.#owner = owner;
    return end - shift;
  }

  /** Nothing more comes of these records: their columns are not kept here. */
  release(owner: KernelOwner): void {
    if (this.#pieceOwner === owner) this.#pieceOwner = null;
    if (this.#owner !== owner) return;
    this.#owner = null;
    this.#held = [];
  }

  /** More records may stand where the last `read` stopped: it stopped because it had no more room for values. */
  get filled(): boolean {
    return this.count === this.#slabValues;
  }

  #take(owner: KernelOwner, b: Uint8Array, base: number, from: number, to: number): void {
    const { piece, piecePad } = this.#at;
    const length = to - from;
    this.#bytes.set(from === 0 && to === b.length ? b : b.subarray(from, to), piece);
    this.#bytes.fill(0, piece + length, piece + length + piecePad);
    this.#pieceOwner = owner;
    this.#pieceStart = base + from;
    this.#pieceEnd = base + to;
    this.#pieceBytes = length;
  }

  /** Counts the values that the run noted, column by column. */
  #commit(): void {
    const { columns, columnBytes, columnCursor, slabs, valueBytes } = this.#at;
    const slabBytes = this.#slabValues * valueBytes;
    for (let index = 0; index < this.#held.length; index += 1) {
      const cursor = (columns + index * columnBytes + columnCursor) >> 2;
      const first = slabs + index * slabBytes;
      const end = this.#words[cursor] as number;
      if (end === first) continue;
      (this.#held[index] as Column).commitRun(this.#tally, first >> 2, end >> 2);
      this.#words[cursor] = first;
    }
  }

  /** Takes the columns in; false when they do not fit. */
  #hold(owner: KernelOwner): boolean {
    const held = [owner.whole];
    const trees = [owner.root];
    /** Columns with a tree inside, in the order of those trees, which come behind the first. */
    const outer: Column[] = [];
    for (let tree = 0; tree < trees.length; tree += 1) {
      for (const column of (trees[tree] as ColumnTree).values()) {
        held.push(column);
        if (column.inside === null) continue;
        outer.push(column);
        trees.push(column.inside);
      }
    }
    const at = this.#at;
    const spelled = held.reduce((sum, { spelling }) => sum + spelling.length + spellingHead, 0);
    if (held.length > at.columnLimit || spelled > at.spellingsBytes) return false;
    this.#owner = null;
    this.#slabValues = Math.min(at.slabLimit, Math.floor(at.slabsBytes / (held.length * at.valueBytes)));
    const address = new Map(held.map((column, index) => [column, at.columns + index * at.columnBytes]));
    let spelling = at.spellings;
    for (const [index, column] of held.entries()) {
      this.#holdColumn(column, at.columns + index * at.columnBytes, spelling);
      const follows = column.following === null ? undefined : address.get(column.following);
      this.#set(at.columns + index * at.columnBytes + at.columnFollowing, follows ?? 0);
      this.#set(
        at.columns + index * at.columnBytes + at.columnCursor,
        at.slabs + index * this.#slabValues * at.valueBytes,
      );
      spelling += column.spelling.length + spellingHead;
    }
    for (const [number, tree] of trees.entries()) {
      const members = [...tree.values()].map((column) => address.get(column) as number);
      const first = tree.first === null ? undefined : address.get(tree.first);
      this.#set(at.trees + number * at.treeBytes, first ?? members[0] ?? 0);
      this.#set(at.trees + number * at.treeBytes + 4, members[0] ?? 0);
      for (const [index, member] of members.entries()) {
        this.#set(member + at.columnNext, members[(index + 1) % members.length] as number);
      }
    }
    for (const [index, column] of outer.entries()) {
      this.#set((address.get(column) as number) + at.columnInside, at.trees + (index + 1) * at.treeBytes);
    }
    this.#held = held;
    this.#owner = owner;
    this.#version = owner.version;
    return true;
  }

  #holdColumn(column: Column, address: number, spellingAt: number): void {
    const { columnMask, columnBytes, columnLength, columnSpelling, columnSalt } = this.#at;
    const { spelling, salt } = column;
    const head = Math.min(spelling.length, spellingHead);
    this.#bytes.fill(0, address, address + columnBytes);
    this.#bytes.set(spelling.subarray(0, head), address);
    this.#bytes.fill(0xff, address + columnMask, address + columnMask + head);
    this.#bytes.set(spelling, spellingAt);
    this.#set(address + columnLength, spelling.length);
    this.#set(address + columnSpelling, spellingAt);
    this.#set(address + columnSalt, salt);
  }

  #set(address: number, word: number): void {
    this.#words[address >> 2] = word;
  }

  #escapedString(start: number, close: number): number {
    const length = hashEscaped(this.#bytes, start, close);
    this.#set(this.#at.hostLanes, lanes.hash1);
    this.#set(this.#at.hostLanes + 4, lanes.hash2);
    return length;
  }

  #longNumber(start: number, slot: number): number {
    const at = this.#at;
    const end = readNumber(this.#bytes, start, at.piece + this.#pieceBytes);
    if (end < 0) return 0;
    this.#set(slot, (read.integer ? kind.integer : kind.number) | (read.plain ? at.markPlain : 0));
    this.#set(slot + at.valueLanes, lanes.hash1);
    this.#set(slot + at.valueLanes + 4, lanes.hash2);
    this.#set(slot + at.valueStart, start);
    this.#set(slot + at.valueEnd, end);
    this.#doubles[(slot + at.valueNumber) >> 3] = read.value;
    return end;
  }
}

let shared: RecordKernel | null | undefined;

/**
 * The process's kernel, made when it is first asked for; null where the engine has none, cannot run it, or has no room for
 * it: its address space is gigabytes, which a limit of the process may refuse.
 */
export function recordKernel(): RecordKernel | null {
  if (shared === undefined) {
    try {
      shared = WebAssembly === undefined ? null : new RecordKernel();
    } catch (error) {
      if (!(error instanceof WebAssembly.CompileError || error instanceof RangeError)) throw error;
      shared = null;
    }
  }
  return shared;
}
