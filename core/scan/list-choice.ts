import type { ListFrame } from './body-scan.ts';
import { ByteStore } from './byte-store.ts';
import { shownPath } from './key-path.ts';
import type { ListCollector } from './list-collector.ts';
import type { OtherList } from './scan-summary.ts';

/** Lists beside the list of rows that are named; more are not. */
const maxOtherLists = 32;
/** Bytes after the list of rows that are kept for the preview. */
const tailBytes = 4096;

/** An array that ended with at least two elements at the shallowest depth so far. */
export interface Candidate {
  readonly list: ListCollector;
  readonly path: string;
  readonly keys: readonly (Uint8Array | null)[] | null;
  /** From its opening bracket to its closing one. */
  readonly bytes: number;
  /** Offset after the closing bracket. */
  readonly end: number;
}

/**
 * Chooses a document's list of rows among its arrays as they end: the shallowest with at least two elements, at that
 * depth the largest by bytes. Names the others, and keeps what follows the chosen one.
 */
export class ListChoice {
  best: Candidate | null = null;
  /** Depth of the shallowest array with two elements; the document itself is one whatever its count. */
  shallowest = Number.MAX_SAFE_INTEGER;
  #tail: ByteStore | null = null;
  readonly #others: (OtherList & { readonly open: number })[] = [];

  /** Lists named so far. */
  get named(): number {
    return this.#others.length;
  }

  /** An array at `depth` has two elements; true: it may still be the list of rows. */
  admits(depth: number): boolean {
    if (depth < this.shallowest) {
      this.shallowest = depth;
      this.best = null;
      this.#tail = null;
    }
    return depth === this.shallowest;
  }

  /** The array has ended. */
  offer(candidate: Candidate, depth: number): void {
    const { best } = this;
    // A repeated key holds its last value, as everywhere.
    if (best !== null && best.path !== candidate.path && best.bytes >= candidate.bytes) return;
    this.best = candidate;
    this.#tail = new ByteStore(tailBytes);
    this.shallowest = depth;
  }

  /** Takes what of `b[from, to)` follows the best list; `base` is the offset of the buffer's first byte. */
  follow(b: Uint8Array, base: number, from: number, to: number): void {
    if (this.best !== null && this.#tail !== null && !this.#tail.full) {
      this.#tail.append(b, Math.max(this.best.end - base, from), to);
    }
  }

  name(path: string, count: number, open: number): void {
    if (this.#others.length < maxOtherLists) this.#others.push({ path: shownPath(path), count, open });
  }

  /** Keeps the first lists named only: the others turned out to be inside a record. */
  unname(kept: number): void {
    this.#others.length = Math.min(this.#others.length, kept);
  }

  get otherLists(): readonly OtherList[] {
    return this.#others.filter(({ open }) => open !== this.best?.list.open).map(({ path, count }) => ({ path, count }));
  }

  /** What stands around the best list; `rootEnd` is the offset after the document, which may not be whole. */
  frame(rootEnd: number, whole: boolean): ListFrame | null {
    const { best } = this;
    if (best === null || this.#tail === null) return null;
    const length = Math.max(0, rootEnd - best.end);
    const kept = whole && this.#tail.length >= length;
    return { keys: best.keys, tail: kept ? this.#tail.view().subarray(0, length) : null, tailBytes: length };
  }
}
