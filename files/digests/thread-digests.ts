import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ClaimcheckError } from '../../core/errors.ts';
import type { BodyDigests } from '../../core/scan/body-digests.ts';
import { chunkStart } from '../../core/scan/chunk-schedule.ts';
import { digestBytes, slotBytes, slotCount, slotFlags } from './digest-memory.ts';
import type { DigestRing } from './digest-ring.ts';
import type { ThreadFile } from './thread-file.ts';

/** With so many slots waiting, the thread is behind: more than wait while it is woken. */
const behind = 10;
/** Milliseconds of one look at the thread, where nobody else bounds the wait. */
const lookMs = 50;
/** A disk may be slow: a thread in the middle of a write is waited for so many times as long. */
const writePatience = 5;

/** What a thread is to the bodies on it. */
export interface DigestRings {
  /** It has ended, or does not move: what it made is not asked for any more. */
  readonly failed: boolean;
  /** It has ended, and does nothing any more. */
  readonly ended: boolean;
  /** Bodies that are on it. */
  readonly bodies: number;
  fail(): void;
  give(ring: DigestRing): void;
}

/**
 * Digests of one body, made by another thread, which writes the body to a file as well if it is asked to. This one copies
 * the bytes, and waits where that one is behind.
 */
export class ThreadDigests implements BodyDigests {
  readonly #thread: DigestRings;
  readonly #stallMs: number;
  #ring: DigestRing | undefined;
  /** Number of the body's first slot, and of the first whose digest was not fetched. */
  readonly #first: number;
  #unfetched: number;
  #used = 0;
  #offset = 0;
  #chunk = 0;
  #chunkEnd = chunkStart(1);
  #digests = new Uint8Array(256 * digestBytes);
  #made = 0;
  #finished = false;
  /** Slots done as last seen, and for how many milliseconds there was a wait for one more. */
  #seen: number;
  #still = 0;

  /** `stallMs`: a thread that is waited for and gets nothing done for so long has failed. */
  constructor(thread: DigestRings, ring: DigestRing, stallMs: number) {
    this.#thread = thread;
    this.#ring = ring;
    this.#stallMs = stallMs;
    this.#first = ring.filled;
    this.#unfetched = ring.filled;
    this.#seen = ring.done;
  }

  write(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      const ring = this.#ring;
      if (ring === undefined || this.#finished) return;
      if (this.#used === 0 && !this.#await(ring, slotCount - 1)) return;
      const taken = Math.min(slotBytes - this.#used, piece.length - from);
      ring.slot.set(from === 0 && taken === piece.length ? piece : piece.subarray(from, from + taken), this.#used);
      from += taken;
      this.#used += taken;
      this.#offset += taken;
      if (this.#used === slotBytes) this.#hand(ring, 0);
    }
  }

  room(bytes: number, maxMs: number): boolean {
    const slots = Math.ceil((this.#used + bytes) / slotBytes);
    return this.#ring === undefined || this.#look(this.#ring, Math.max(0, slotCount - slots), this.#share(maxMs));
  }

  finish(maxMs: number): boolean {
    const ring = this.#ring;
    if (ring === undefined) return true;
    if (!this.#finished) {
      if (this.#used === 0 && !this.#look(ring, slotCount - 1, this.#share(maxMs))) return false;
      if (this.#thread.failed) return true;
      this.#finished = true;
      this.#hand(ring, slotFlags.endsBody);
    }
    return this.#look(ring, 0, this.#share(maxMs));
  }

  end(): { readonly sha256: string; readonly digests: Uint8Array } {
    while (!this.finish(lookMs));
    const ring = this.#ring;
    if (ring === undefined || this.#thread.failed) {
      this.drop();
      throw new ClaimcheckError('StorageUnavailable', 'storage: the thread that makes digests has stopped');
    }
    const made = { sha256: Buffer.from(ring.bodyDigest).toString('hex'), digests: this.#digests.slice(0, this.#made) };
    this.drop();
    return made;
  }

  drop(): void {
    if (this.#ring !== undefined) this.#thread.give(this.#ring);
    this.#ring = undefined;
  }

  /** The digests are still made: neither fetched nor dropped, nor has the thread failed. */
  get standing(): boolean {
    return this.#ring !== undefined && !this.#thread.failed;
  }

  /** The thread does nothing any more. */
  get ended(): boolean {
    return this.#thread.ended;
  }

  /**
   * Everything but the `start` bytes that have come so far is written to the file by the thread: it is for the caller to
   * write those, to wait with `finish`, and not to close it before `ThreadFile.release`. Undefined: it is not, since the
   * digests are of other bytes, or not made any more.
   */
  writeTo(file: FileHandle, start: number): ThreadFile | undefined {
    if (!this.standing || this.#finished || this.#offset !== start) return undefined;
    return this.#ring?.writeTo(file, this.#first, start);
  }

  /** Bytes that have come so far. */
  get bytes(): number {
    return this.#offset;
  }

  /**
   * What came last are these bytes, and `start` bytes came before: neither has the piece been changed since, nor another
   * been left out or repeated. Of a piece that is longer than the ring only what is still in there is compared.
   */
  endsWith(piece: Uint8Array, start: number): boolean {
    const ring = this.#ring;
    if (ring === undefined || start + piece.length !== this.#offset) return false;
    for (let at = 0; at < piece.length; ) {
      const from = (start + at) % slotBytes;
      const to = Math.min(slotBytes, from + piece.length - at);
      const slot = ring.filledSlot((this.#first + (start + at - from) / slotBytes) | 0);
      const part = at === 0 && to - from === piece.length ? piece : piece.subarray(at, at + to - from);
      if (slot !== undefined && Buffer.compare(slot.subarray(from, to), part) !== 0) return false;
      at += to - from;
    }
    return true;
  }

  /** Bodies that wait wait one after the other: they share the time in which nobody else gets a turn. */
  #share(maxMs: number): number {
    return maxMs / Math.max(1, this.#thread.bodies);
  }

  #hand(ring: DigestRing, more: number): void {
    const begins = ring.filled === this.#first ? slotFlags.beginsBody : 0;
    const ends = this.#offset === this.#chunkEnd || (more !== 0 && this.#offset > chunkStart(this.#chunk));
    // A thread that is behind is spared half of its work, where the slot is a chunk of its own.
    const alone = this.#used === slotBytes && this.#offset - slotBytes === chunkStart(this.#chunk);
    if (ends && alone && ring.waiting >= behind) {
      ring.hand(this.#used, begins | more | slotFlags.hashedChunk, createHash('sha256').update(ring.slot).digest());
    } else {
      ring.hand(this.#used, begins | more | (ends ? slotFlags.endsChunk : 0));
    }
    this.#used = 0;
    if (!ends) return;
    this.#chunk += 1;
    this.#chunkEnd = chunkStart(this.#chunk + 1);
  }

  /** Blocks until at most `waiting` slots wait; false: the thread has failed. */
  #await(ring: DigestRing, waiting: number): boolean {
    while (!this.#look(ring, waiting, lookMs));
    return !this.#thread.failed;
  }

  /** Blocks for `maxMs` at most until at most `waiting` slots wait, or the thread has failed. */
  #look(ring: DigestRing, waiting: number, maxMs: number): boolean {
    for (let left = maxMs; ; ) {
      if (this.#thread.failed) return true;
      const { done } = ring;
      if (done !== this.#seen) {
        this.#seen = done;
        this.#still = 0;
        this.#fetch(ring, done);
      }
      // By the count up to which digests were fetched: a slot is filled anew only after that.
      if (((ring.filled - done) | 0) <= waiting) return true;
      if (left <= 0) return false;
      // Time that was spent in waiting, not what a clock says: the process may have been stopped meanwhile.
      const patience = ring.writing ? this.#stallMs * writePatience : this.#stallMs;
      const asked = Math.min(left, Math.max(0, patience - this.#still));
      const before = performance.now();
      ring.wait(done, asked);
      const waited = Math.min(asked, Math.max(0.1, performance.now() - before));
      left -= waited;
      this.#still += waited;
      if (ring.done === done && this.#still >= patience) this.#thread.fail();
    }
  }

  #fetch(ring: DigestRing, done: number): void {
    for (; ((done - this.#unfetched) | 0) > 0; this.#unfetched = (this.#unfetched + 1) | 0) {
      const digest = ring.chunkDigest(this.#unfetched);
      if (digest === undefined) continue;
      if (this.#made === this.#digests.length) {
        const wider = new Uint8Array(2 * this.#made);
        wider.set(this.#digests);
        this.#digests = wider;
      }
      this.#digests.set(digest, this.#made);
      this.#made += digestBytes;
    }
  }
}
