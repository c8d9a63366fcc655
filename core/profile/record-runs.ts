import { type KernelOwner, type RecordKernel, recordKernel } from '../kernel/record-kernel.ts';
import type { RecordRun } from '../scan/record-sink.ts';
import type { Column } from './column.ts';
import type { ColumnBudget, ColumnTree } from './column-tree.ts';

/** Bytes that a piece must still have before a run that read nothing says something about the records. */
const tellingBytes = 4096;
/** Bytes that are read one record at a time after a run that read nothing; twice as many after each further one. */
const shortestRest = 512;
const longestRest = 64 * 1024;
/**
 * What a run costs beside the records in it, in bytes that are read one record at a time in the same time: for a column
 * that the kernel must take in, for one that it has already, and as such.
 */
const takenCost = 16;
const columnCost = 1 / 4;
const runCost = 32;
/** A run that cost more than it read is made up for by so many times the difference. */
const patience = 4;

/**
 * Reads runs of ordinary records of one profile at once. Where records are of another kind than it can read, or runs are
 * too short to be worth it, it tries less often: what it tries in vain stays a small part of the whole, whatever the
 * records are.
 */
export class RecordRuns implements KernelOwner, RecordRun {
  readonly root: ColumnTree;
  readonly whole: Column;
  readonly #budget: ColumnBudget;
  #kernel: RecordKernel | null | undefined;
  #vain = 0;
  count = 0;
  firstStart = 0;
  end = 0;
  sawLineFeed = false;
  restUntil = 0;

  constructor(root: ColumnTree, budget: ColumnBudget, whole: Column) {
    this.root = root;
    this.#budget = budget;
    this.whole = whole;
  }

  get version(): number {
    return this.#budget.version;
  }

  /** As `RecordSink.run`. */
  read(b: Uint8Array, base: number, from: number, to: number, stop: number, lines: boolean): number {
    this.count = 0;
    if (this.#kernel === undefined) this.#kernel = recordKernel();
    const kernel = this.#kernel;
    if (kernel === null || to - from > kernel.pieceLimit) {
      this.restUntil = kernel === null ? Number.POSITIVE_INFINITY : base + to;
      return from;
    }
    let at = from;
    let cost = 0;
    do {
      const next = kernel.read(this, b, base, at, to, stop, lines);
      if (next < 0) {
        this.#kernel = null;
        this.restUntil = Number.POSITIVE_INFINITY;
        return at;
      }
      cost += kernel.columnsTaken * takenCost + kernel.columns * columnCost + runCost;
      if (kernel.count > 0) {
        if (this.count === 0) this.firstStart = kernel.firstStart;
        this.count += kernel.count;
        if (kernel.sawLineFeed) this.sawLineFeed = true;
      }
      at = next;
    } while (kernel.filled);
    if (this.count > 0) this.#vain = 0;
    else if (stop - from > tellingBytes) this.#vain = Math.min(longestRest, this.#vain * 2 + shortestRest);
    this.restUntil = base + at + Math.max(this.#vain, (cost - (at - from)) * patience);
    return at;
  }

  /** No more records come. */
  release(): void {
    this.#kernel?.release(this);
  }
}
