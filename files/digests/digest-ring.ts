import {
  bellWord,
  digestBytes,
  filledWord,
  hashedWord,
  type RingPlace,
  slotBytes,
  slotCount,
  slotFlags,
  slotWord,
  wordCount,
} from './digest-memory.ts';

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

  /** Slots hashed since the thread started. */
  get hashed(): number {
    return Atomics.load(this.#words, this.#first + hashedWord);
  }

  /** Slots that the thread has not hashed yet. */
  get waiting(): number {
    return (this.#filled - this.hashed) | 0;
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

  /** Blocks this thread for `ms` milliseconds at most, or until more than `hashed` slots are hashed. */
  wait(hashed: number, ms: number): void {
    if (this.#rung !== this.#filled) this.#ringBell();
    Atomics.wait(this.#words, this.#first + hashedWord, hashed, ms);
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
    Atomics.notify(this.#words, bellWord);
  }

  /** Digest of the body whose last slot is hashed. */
  get bodyDigest(): Uint8Array {
    return this.#digests[slotCount] as Uint8Array;
  }
}
