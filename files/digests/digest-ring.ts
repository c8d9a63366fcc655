import type { FileHandle } from 'node:fs/promises';
import {
  asleepWord,
  bellWord,
  digestBytes,
  doneWord,
  fileWord,
  filledWord,
  type RingPlace,
  ringPlaces,
  slotBytes,
  slotCount,
  slotFlags,
  slotWord,
  wordCount,
  writingWord,
} from './digest-memory.ts';
import { ThreadFile } from './thread-file.ts';

/** Slots for which the thread is woken: to wake it costs this one as much as to copy a slot. */
const slotsPerBell = 2;

/**
 * The filling side of one ring. Counts of slots go on from body to body, so that one that was given up half way is of no
 * concern to the next: what it left is hashed for nobody.
 */
export class DigestRing {
  readonly #words: Int32Array;
  readonly #first: number;
  readonly #slots: readonly Uint8Array[];
  readonly #digests: readonly Uint8Array[];
  #filled: number;
  #rung: number;
  /** Held until there is another: a handle that is collected closes its file, whoever writes to it. */
  #file: ThreadFile | undefined;

  constructor(memory: SharedArrayBuffer, place: RingPlace) {
    this.#words = new Int32Array(memory, 0, wordCount);
    this.#first = place.words;
    this.#slots = Array.from(
      { length: slotCount },
      (_, at) => new Uint8Array(memory, place.slots + at * slotBytes, slotBytes),
    );
    this.#digests = Array.from(
      { length: slotCount + 1 },
      (_, at) => new Uint8Array(memory, place.digests + at * digestBytes, digestBytes),
    );
    this.#filled = Atomics.load(this.#words, this.#first + filledWord);
    this.#rung = this.#filled;
  }

  /** Slots filled since the thread started; it wraps around at 2³¹. */
  get filled(): number {
    return this.#filled;
  }

  /** Slots that the thread is done with, since it started. */
  get done(): number {
    return Atomics.load(this.#words, this.#first + doneWord);
  }

  /** Slots that the thread is not done with. */
  get waiting(): number {
    return (this.#filled - this.done) | 0;
  }

  /** The slot to fill next; only when less than all wait. */
  get slot(): Uint8Array {
    return this.#slots[this.#filled & (slotCount - 1)] as Uint8Array;
  }

  /** Hands the next slot over; `digest` of the chunk that it ends, if that is made already. */
  hand(bytes: number, flags: number, digest?: Uint8Array): void {
    const at = this.#filled & (slotCount - 1);
    if (digest !== undefined) this.#digests[at]?.set(digest);
    this.#words[this.#first + slotWord + 2 * at] = bytes;
    this.#words[this.#first + slotWord + 2 * at + 1] = flags;
    this.#filled = (this.#filled + 1) | 0;
    Atomics.store(this.#words, this.#first + filledWord, this.#filled);
    if (((this.#filled - this.#rung) | 0) >= slotsPerBell || (flags & slotFlags.endsBody) !== 0) this.#ringBell();
  }

  /** From the body's slot number `slot` on, all but its first `start` bytes are written to the file as well. */
  writeTo(handle: FileHandle, slot: number, start: number): ThreadFile {
    this.#file = new ThreadFile(this.#words, this.#first, { handle, slot, start });
    return this.#file;
  }

  /** The file that was last written to. */
  get file(): ThreadFile | undefined {
    return this.#file;
  }

  /** The thread is in the middle of writing to a file that is wanted, be it another ring's. */
  get writing(): boolean {
    return ringPlaces.some(({ words }) => {
      const writing = Atomics.load(this.#words, words + writingWord);
      return writing !== 0 && writing === Atomics.load(this.#words, words + fileWord);
    });
  }

  /**
   * The body is not wanted any more: no file is written to, but for a slot that is being written this moment, and the
   * thread is made to do what is left.
   */
  leave(): void {
    Atomics.store(this.#words, this.#first + fileWord, 0);
    if (this.#rung !== this.#filled) this.#ringBell();
  }

  /** Slot number `count` as it was filled; undefined: it may have been filled anew since. */
  filledSlot(count: number): Uint8Array | undefined {
    const since = (this.#filled - count) | 0;
    return since >= 0 && since < slotCount ? this.#slots[count & (slotCount - 1)] : undefined;
  }

  /** Blocks this thread for `ms` milliseconds at most, or until the thread is done with more than `done` slots. */
  wait(done: number, ms: number): void {
    if (this.#rung !== this.#filled) this.#ringBell();
    Atomics.wait(this.#words, this.#first + doneWord, done, ms);
  }

  /** Digest of the chunk that slot number `count` ended, if it did; until the slot is filled again. */
  chunkDigest(count: number): Uint8Array | undefined {
    const at = count & (slotCount - 1);
    const flags = this.#words[this.#first + slotWord + 2 * at + 1] as number;
    return (flags & (slotFlags.endsChunk | slotFlags.hashedChunk)) === 0 ? undefined : this.#digests[at];
  }

  #ringBell(): void {
    this.#rung = this.#filled;
    Atomics.add(this.#words, bellWord, 1);
    // A thread that has found the bell unrung, and says only then that it waits, sees by its count that it was rung.
    if (Atomics.load(this.#words, asleepWord) !== 0) Atomics.notify(this.#words, bellWord);
  }

  /** Digest of the body whose last slot is done. */
  get bodyDigest(): Uint8Array {
    return this.#digests[slotCount] as Uint8Array;
  }
}
