import { noted } from './noted-value.ts';
import type { BlockHolder, RegisterBlocks } from './register-blocks.ts';
import type { RunTally, SketchTally } from './run-tally.ts';

/**
 * Registers of the sketch. 2^14 gives a standard error of 0.65 % with this estimator, so one column in eight would miss
 * 1 %; 2^16 gives 0.33 % and costs 64 KiB for a column of many values (docs/decisions/distinct-sketch.md).
 */
export const registerBits = 16;
const registerCount = 1 << registerBits;

/** 2^-r for every rank that a register can hold. */
const inversePower = Float64Array.from({ length: 40 }, (_, rank) => 2 ** -rank);

/**
 * A HyperLogLog sketch read by the historic-inverse-probability estimator of one unmerged stream (Cohen 2014, Ting 2014).
 * Its registers lie in the kernel's memory where values come in runs and there is room (`RegisterBlocks`): values of runs
 * are counted there, single ones here, with the same result in any order of both.
 */
export class DistinctSketch implements BlockHolder, SketchTally {
  /** Different values, once `estimate` has been set to those that were counted before. */
  estimate = 0;
  /** Sum of 2^-register over all registers: the chance that a new value changes one, times their number. */
  open = registerCount;
  settled = false;
  private registers: Uint8Array;
  /** Of the registers in the kernel's memory; 0 for registers of its own. */
  private block: number;
  private asked: boolean;

  constructor(blocks: RegisterBlocks | null) {
    this.asked = blocks !== null;
    this.block = blocks?.take(this) ?? 0;
    this.registers = blocks === null || this.block === 0 ? new Uint8Array(registerCount) : blocks.at(this.block);
  }

  add(hash1: number, hash2: number): void {
    const { registers } = this;
    const at = hash1 & (registerCount - 1);
    const rank = Math.clz32(hash2) + 1;
    const before = registers[at] as number;
    if (rank <= before) return;
    registers[at] = rank;
    this.estimate += registerCount / this.open;
    this.open -= (inversePower[before] as number) - (inversePower[rank] as number);
  }

  /** Adds the values that the kernel noted in `words[from, to)`. */
  addRun(tally: RunTally, from: number, to: number): void {
    if (!this.asked) this.enter(tally.blocks);
    if (this.block !== 0) {
      tally.sketch(this, this.block, from, to);
      return;
    }
    const { words } = tally;
    for (let at = from; at < to; at += noted.words) {
      this.add(words[at + noted.hash1] as number, words[at + noted.hash2] as number);
    }
  }

  leave(): void {
    this.registers = this.registers.slice();
    this.block = 0;
  }

  private enter(blocks: RegisterBlocks): void {
    this.asked = true;
    this.block = blocks.take(this);
    if (this.block === 0) return;
    const registers = blocks.at(this.block);
    registers.set(this.registers);
    this.registers = registers;
  }
}
