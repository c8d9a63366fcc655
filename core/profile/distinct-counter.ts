import { noted } from './noted-value.ts';

/** Different values counted exactly up to here, unless they were made to collide; above, the sketch estimates. */
export const exactLimit = 2048;
/**
 * Slots that are looked at for one value. By chance no chain gets half as long (0.82 to the power of its length); values
 * made to share a slot would make every one after them cost thousands of steps.
 */
const longestChain = 256;
/**
 * Registers of the sketch. 2^14 gives a standard error of 0.65 % with this estimator, so one column in eight would miss
 * 1 %; 2^16 gives 0.33 % and costs 64 KiB for a column of many values (docs/decisions/distinct-sketch.md).
 */
const registerBits = 16;
const registerCount = 1 << registerBits;

/** 2^-r for every rank that a register can hold. */
const inversePower = Float64Array.from({ length: 40 }, (_, rank) => 2 ** -rank);

/**
 * Counts different values given as two 32-bit hash lanes, every bit of which is as good as any other (`value-hash.ts`):
 * exactly behind a small open-addressing table, then with a HyperLogLog sketch read by the historic-inverse-probability
 * estimator of one unmerged stream (Cohen 2014, Ting 2014), which starts from the exact count. Its tables
 * take at most 64 KiB, twice that for the moment in which the sketch starts.
 */
export class DistinctCounter {
  /** Per slot: both lanes, the value's index + 1 (0: free), and a spare that keeps slots on one cache line. */
  private slots = new Int32Array(64 * 4);
  private mask = 63;
  private size = 0;
  private registers: Uint8Array | null = null;
  private estimate = 0;
  /** Sum of 2^-register over all registers: the chance that a new value changes one, times their number. */
  private open = registerCount;

  get exact(): boolean {
    return this.registers === null;
  }

  get count(): number {
    return this.registers === null ? this.size : Math.round(this.estimate);
  }

  /** The value's index in order of first sight while the count is exact, -1 afterwards. */
  add(hash1: number, hash2: number): number {
    if (this.registers !== null) {
      this.sketch(this.registers, hash1, hash2);
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
      this.startSketch();
      return this.add(hash1, hash2);
    }
    this.size += 1;
    slots[at] = hash1;
    slots[at + 1] = hash2;
    slots[at + 2] = this.size;
    if (this.size * 2 > mask + 1) this.grow();
    return this.size - 1;
  }

  /** Adds the values noted in `words[from, to)`. */
  addRun(words: Int32Array, from: number, to: number): void {
    let at = from;
    while (at < to && this.registers === null) {
      this.add(words[at + noted.hash1] as number, words[at + noted.hash2] as number);
      at += noted.words;
    }
    const { registers } = this;
    if (registers === null) return;
    let { estimate, open } = this;
    for (; at < to; at += noted.words) {
      const register = (words[at + noted.hash1] as number) & (registerCount - 1);
      const rank = Math.clz32(words[at + noted.hash2] as number) + 1;
      const before = registers[register] as number;
      // As `sketch`, without a branch: while about every second value changes a register, none could be foreseen.
      const grows = (before - rank) >>> 31;
      const after = before + grows * (rank - before);
      registers[register] = after;
      estimate += (grows * registerCount) / open;
      open -= (inversePower[before] as number) - (inversePower[after] as number);
    }
    this.estimate = estimate;
    this.open = open;
  }

  private sketch(registers: Uint8Array, hash1: number, hash2: number): void {
    const at = hash1 & (registerCount - 1);
    const rank = Math.clz32(hash2) + 1;
    const before = registers[at] as number;
    if (rank <= before) return;
    registers[at] = rank;
    this.estimate += registerCount / this.open;
    this.open -= (inversePower[before] as number) - (inversePower[rank] as number);
  }

  private startSketch(): void {
    const registers = new Uint8Array(registerCount);
    const { slots } = this;
    for (let at = 0; at < slots.length; at += 4) {
      if (slots[at + 2] !== 0) this.sketch(registers, slots[at] as number, slots[at + 1] as number);
    }
    this.estimate = this.size;
    this.registers = registers;
    this.slots = new Int32Array(0);
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
