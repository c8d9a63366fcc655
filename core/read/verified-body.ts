import { createHash, type Hash } from 'node:crypto';
import { ClaimcheckError } from '../errors.ts';
import { chunkCount, chunkOf, chunkStart } from '../scan/chunk-schedule.ts';
import type { ResultIndex } from '../store/result-index.ts';

/** The stored copy's bytes, of one exact version. `undefined`: it is not there any more. */
export interface BodySource {
  range(start: number, end: number): Promise<Uint8Array | undefined>;
  whole(): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** One checked chunk: `bytes` stand at `offset` in the body. */
export interface BodyChunk {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const digestBytes = 32;

/** Most bytes asked for in one ranged request; a single larger chunk is still one request. */
const requestBytes = 1024 * 1024;

/**
 * The body behind its commit record: hands out bytes only after their chunk's digest was checked, so a changed byte is
 * an error and never data (DESIGN 6). Memory: one request's bytes. Throws `StorageUnavailable` for a copy that does
 * not match its commit record, and whatever `gone` makes for one that is no longer there.
 */
export class VerifiedBody {
  readonly #index: Pick<ResultIndex, 'bytes' | 'sha256' | 'chunks' | 'ref'>;
  readonly #source: BodySource;
  readonly #gone: () => ClaimcheckError;
  readonly #chunks: number;

  constructor(
    index: Pick<ResultIndex, 'bytes' | 'sha256' | 'chunks' | 'ref'>,
    source: BodySource,
    gone: () => ClaimcheckError,
  ) {
    this.#index = index;
    this.#source = source;
    this.#gone = gone;
    this.#chunks = chunkCount(index.bytes);
    if (index.chunks.digests.length !== this.#chunks * digestBytes) throw this.#damaged(0);
  }

  /**
   * Checked chunks from the one that holds byte `start` on, in as few ranged requests as the request size allows.
   * `expectedEnd` is where the reader thinks it will stop: no request reaches past the chunk that holds the byte
   * before it until the reader asks for more. What the consumer does not pull is not fetched.
   */
  async *chunks(start: number, expectedEnd: number): AsyncGenerator<BodyChunk> {
    if (start >= this.#index.bytes) return;
    let first = chunkOf(start);
    const expected = chunkOf(Math.max(start, Math.min(expectedEnd, this.#index.bytes) - 1));
    const last = this.#chunks - 1;
    const whole = first === 0 ? createHash('sha256') : null;
    while (first <= last) {
      const stop = first <= expected ? expected : last;
      let to = first;
      while (to < stop && chunkStart(to + 2) - chunkStart(first) <= requestBytes) to += 1;
      const from = chunkStart(first);
      const until = Math.min(chunkStart(to + 1), this.#index.bytes);
      const bytes = await this.#source.range(from, until);
      if (bytes === undefined) throw this.#gone();
      if (bytes.length !== until - from) throw this.#damaged(from);
      for (let chunk = first; chunk <= to; chunk += 1) {
        const at = chunkStart(chunk) - from;
        yield this.#checked(chunk, bytes.subarray(at, Math.min(chunkStart(chunk + 1) - from, bytes.length)), whole);
      }
      first = to + 1;
    }
    this.#checkWhole(whole);
  }

  /** Every chunk, from one request; ends by checking the digest of the whole. */
  async *all(): AsyncGenerator<BodyChunk> {
    if (this.#index.bytes === 0) return;
    const pieces = await this.#source.whole();
    if (pieces === undefined) throw this.#gone();
    const hash = createHash('sha256');
    let chunk = 0;
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    const take = (): BodyChunk => {
      const bytes = held.length === 1 ? (held[0] as Uint8Array) : Buffer.concat(held, heldBytes);
      held = [];
      heldBytes = 0;
      const checked = this.#checked(chunk, bytes, hash);
      chunk += 1;
      return checked;
    };
    for await (const piece of pieces) {
      let from = 0;
      while (from < piece.length) {
        if (chunk >= this.#chunks) throw this.#damaged(this.#index.bytes);
        const size = Math.min(chunkStart(chunk + 1), this.#index.bytes) - chunkStart(chunk);
        const part = piece.subarray(from, from + size - heldBytes);
        held.push(part);
        heldBytes += part.length;
        from += part.length;
        if (heldBytes === size) yield take();
      }
    }
    if (chunk !== this.#chunks || heldBytes > 0) throw this.#damaged(chunkStart(chunk));
    this.#checkWhole(hash);
  }

  #checked(chunk: number, bytes: Uint8Array, whole: Hash | null): BodyChunk {
    const digest = createHash('sha256').update(bytes).digest();
    const at = chunk * digestBytes;
    if (!digest.equals(this.#index.chunks.digests.subarray(at, at + digestBytes)))
      throw this.#damaged(chunkStart(chunk));
    whole?.update(bytes);
    return { offset: chunkStart(chunk), bytes };
  }

  #checkWhole(hash: Hash | null): void {
    if (hash !== null && hash.digest('hex') !== this.#index.sha256) throw this.#damaged(0);
  }

  #damaged(offset: number): ClaimcheckError {
    return new ClaimcheckError(
      'StorageUnavailable',
      `the stored copy of ${this.#index.ref} does not match its digest; nothing of it is shown`,
      { ref: this.#index.ref, damaged: true, offset },
    );
  }
}
