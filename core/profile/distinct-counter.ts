import { DistinctSketch, registerBits } from './distinct-sketch.ts';
import { noted } from './noted-value.ts';
import type { RunTally } from './run-tally.ts';

/** Different values counted exactly up to here, unless they were made to collide; above, the sketch estimates. */
export const exactLimit = 2048;
/**
 * Slots that are looked at for one value. By chance no chain gets half as long (0.82 to the power of its length); values
 * made to share a slot would make every one after them cost thousands of steps.
 */
const longestChain = 256;
/**
 * Counts different values given as two 32-bit hash lanes, every bit of which is as good as any other (`value-hash.ts`):
 * exactly behind a small open-addressing table, then with a sketch that starts from the exact count. Its tables take at
 * most 64 KiB, twice that for the moment in which the sketch starts.
 */
export class DistinctCounter {
  /** Per slot: both lanes, the value's index + 1 (0: free), and a spare that keeps slots on one cache line. */
  private slots = new Int32Array(64 * 4);
  private mask = 63;
  private size = 0;
  private sketch: DistinctSketch | null = null;

  get exact(): boolean {
    return this.sketch === null;
  }

  get count(): number {
    return this.sketch === null ? this.size : Math.round(this.sketch.estimate);
  }

  /** The value's index in order of first sight while the count is exact, -1 afterwards. */
  add(hash1: number, hash2: number, tally: RunTally | null = null): number {
    if (this.sketch !== null) {
      this.sketch.add(hash1, hash2);
      return -1;
    }
    const { slots, mask } = this;
    let at = slotOf(hash1, mask);
    let steps = 0;
    for (; steps < longestChain; steps += 1) {
      const held = slots[at + 2] as number;
      if (held === 0) break;
      if (slots[at] === hash1 && slots[at + 1] === hash2) return held - 1;
      at = (at + 4) & ((mask << 2) | 3);
    }
    if (steps === longestChain || this.size === exactLimit) {
      this.startSketch(tally).add(hash1, hash2);
      return -1;
    }
    this.size += 1;
    slots[at] = hash1;
    slots[at + 1] = hash2;
    slots[at + 2] = this.size;
    if (this.size * 2 > mask + 1) this.grow();
    return this.size - 1;
  }

  /** Counts values of a run, by index, up to the first that does not lie where it is looked for first. */
  countSeen(words: Int32Array, from: number, to: number, counts: Float64Array): number {
    const { slots, mask } = this;
    let at = from;
    if (this.sketch !== null) return at;
    for (; at < to; at += noted.words) {
      const hash1 = words[at + noted.hash1] as number;
      const slot = slotOf(hash1, mask);
      const held = slots[slot + 2] as number;
      if (held === 0 || slots[slot] !== hash1 || slots[slot + 1] !== words[at + noted.hash2]) break;
      counts[held - 1] = (counts[held - 1] as number) + 1;
    }
    return at;
  }

  /** Adds the values that the kernel noted in `words[from, to)`. */
  addRun(tally: RunTally, from: number, to: number): void {
    const { words } = tally;
    let at = from;
    for (; at < to && this.sketch === null; at += noted.words) {
      this.add(words[at + noted.hash1] as number, words[at + noted.hash2] as number, tally);
    }
    if (at < to) this.sketch?.addRun(tally, at, to);
  }

  /** Nothing more is expected to come: what it holds of the kernel's memory may be had by another. */
  settle(): void {
    if (this.sketch !== null) this.sketch.settled = true;
  }

  private startSketch(tally: RunTally | null): DistinctSketch {
    const sketch = new DistinctSketch(tally?.blocks ?? null);
    const { slots } = this;
    for (let at = 0; at < slots.length; at += 4) {
      if (slots[at + 2] !== 0) sketch.add(slots[at] as number, slots[at + 1] as number);
    }
    sketch.estimate = this.size;
    this.sketch = sketch;
    this.slots = new Int32Array(0);
    return sketch;
  }

  private grow(): void {
    const old = this.slots;
    // Four times as large: what is held is put anew a few times only, and its size still ends at twice the exact limit.
    const mask = this.mask * 4 + 3;
    const slots = new Int32Array((mask + 1) * 4);
    for (let at = 0; at < old.length; at += 4) {
      if (old[at + 2] === 0) continue;
      let free = slotOf(old[at] as number, mask);
      while (slots[free + 2] !== 0) free = (free + 4) & ((mask << 2) | 3);
      slots[free] = old[at] as number;
      slots[free + 1] = old[at + 1] as number;
      slots[free + 2] = old[at + 2] as number;
    }
    this.slots = slots;
    this.mask = mask;
  }
}

/** Where a value is looked for first: by bits that do not choose its register, so that values made to collide here are told apart there. */
function slotOf(hash1: number, mask: number): number {
  return ((hash1 >>> registerBits) & mask) << 2;
}
