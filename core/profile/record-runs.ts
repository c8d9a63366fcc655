import { type KernelOwner, type RecordKernel, recordKernel } from '../kernel/record-kernel.ts';
import type { RecordRun } from '../scan/record-sink.ts';
import type { Column } from './column.ts';
import type { ColumnBudget, ColumnTree } from './column-tree.ts';

/** Bytes that a piece must still have before a run that read nothing says something about the records. */
const tellingBytes = 4096;
/** Most records that are read one by one before the next run is tried. */
const longestRest = 256;

/**
 * Reads runs of ordinary records of one profile at once. Where records are of another kind than it can read, it tries
 * less and less often: a run tried in vain costs as much as the record that it stopped at.
 */
export class RecordRuns implements KernelOwner, RecordRun {
  readonly root: ColumnTree;
  readonly whole: Column;
  readonly #budget: ColumnBudget;
  #kernel: RecordKernel | null | undefined;
  #rest = 0;
  #resting = 0;
  count = 0;
  firstStart = 0;
  end = 0;
  sawLineFeed = false;

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
    if (this.#resting > 0) {
      this.#resting -= 1;
      return from;
    }
    if (this.#kernel === undefined) this.#kernel = recordKernel();
    const kernel = this.#kernel;
    if (kernel === null || to - from > kernel.pieceLimit) return from;
    let at = from;
    do {
      const next = kernel.read(this, b, base, at, to, stop, lines);
      if (next < 0) {
        this.#kernel = null;
        return at;
      }
      if (kernel.count > 0) {
        if (this.count === 0) this.firstStart = kernel.firstStart;
        this.count += kernel.count;
        if (kernel.sawLineFeed) this.sawLineFeed = true;
      }
      at = next;
    } while (kernel.filled);
    if (this.count > 0) this.#rest = 0;
    else if (stop - from > tellingBytes) {
      this.#rest = Math.min(longestRest, this.#rest * 2 + 1);
      this.#resting = this.#rest;
    }
    return at;
  }
}
