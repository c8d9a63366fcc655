import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { ClaimcheckError } from '../errors.ts';
import type { BodyDigests } from '../scan/body-digests.ts';
import type { ResultScanner } from '../scan/result-scanner.ts';

/** Milliseconds of work after which other work of the process gets its turn. */
const stretchMs = 5;
/** Milliseconds that a source which is not read to its end has for closing what it has open. */
const closeMs = 100;

/**
 * One walk over a result: what an upload reads of it is scanned on the way, and what no upload reads any more can still
 * be counted. Every piece is scanned exactly once, whoever asked for it. The process is left to others every few
 * milliseconds.
 */
export class ScannedWalk {
  readonly #pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #scanner: ResultScanner;
  readonly #maxBytes: number;
  #bytes = 0;
  /** Bytes of the last piece; the next is seldom more. */
  #last = 0;
  #given: Uint8Array | undefined;
  /** The step that an upload has asked for. */
  #step: Promise<Uint8Array | undefined> | undefined;
  #since = performance.now();
  #ended = false;
  #detached = false;
  #closed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    scanner: ResultScanner,
    options: { readonly maxBytes: number },
  ) {
    this.#pieces = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#scanner = scanner;
    this.#maxBytes = options.maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The whole result has passed. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What the source itself threw: the tool's failure, not the store's. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** What an upload reads. Throws `OversizeResult` past the cap, and when the walk was taken from it. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      this.#checkOwn();
      this.#step = this.#advance();
      const piece = await this.#step;
      if (piece === undefined) return;
      this.#checkOwn();
      this.#given = piece;
      yield piece;
    }
  }

  #checkOwn(): void {
    if (this.#detached) throw new ClaimcheckError('StorageUnavailable', 'storage: the upload was given up');
  }

  /** `BodyLimits.digests`. */
  digestsOf(piece: Uint8Array): BodyDigests | undefined {
    return piece === this.#given ? this.#scanner.digests : undefined;
  }

  /**
   * Takes the walk from whoever uploads it and counts what is left of it, until `until` (milliseconds since 1970): a
   * source that hangs is given up then. Nothing is scanned any more once this has returned.
   */
  async drain(until: number): Promise<void> {
    this.#detached = true;
    // Nothing holds the body that digests would be of: they are not waited for.
    this.#scanner.drop();
    const counting = this.#count(until);
    if (until === Number.POSITIVE_INFINITY) return counting;
    counting.catch(() => {});
    const timer = new AbortController();
    const over = sleep(Math.max(0, until - Date.now()), undefined, { signal: timer.signal }).catch(() => {});
    try {
      await Promise.race([counting, over]);
    } finally {
      timer.abort();
      this.#closed = true;
      if (!this.#ended && this.#failure === undefined) await Promise.race([this.#close(), sleep(closeMs)]);
    }
  }

  /** Waits for the digests of a walk that has ended; others have their turn meanwhile. */
  async digested(): Promise<void> {
    while (!this.#scanner.finish(stretchMs)) await breathe();
  }

  async #count(until: number): Promise<void> {
    // A piece that is still on its way to the upload is scanned first: it may lie where the next one will.
    await this.#step?.catch(() => {});
    while (!this.#ended && !this.#closed && this.#failure === undefined && Date.now() < until) await this.#advance();
  }

  /** What a source throws while it is closed is of no result any more. */
  async #close(): Promise<void> {
    try {
      await this.#pieces.return?.();
    } catch {}
  }

  async #advance(): Promise<Uint8Array | undefined> {
    if (performance.now() - this.#since > stretchMs) {
      await breathe();
      this.#since = performance.now();
    }
    while (!this.#scanner.room(this.#last, stretchMs)) await breathe();
    let next: IteratorResult<Uint8Array>;
    try {
      next = await this.#pieces.next();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
    if (this.#closed) return undefined;
    if (next.done === true) {
      this.#ended = true;
      // What the scan found is put together while the last bytes are still being written and hashed elsewhere.
      this.#scanner.finish(0);
      this.#scanner.unstored();
      return undefined;
    }
    this.#last = next.value.length;
    this.#bytes += next.value.length;
    if (this.#bytes > this.#maxBytes) {
      const facts = { seenBytes: this.#bytes, maxBytes: this.#maxBytes };
      throw new ClaimcheckError(
        'OversizeResult',
        `result: ${this.#bytes} bytes seen, at most ${this.#maxBytes}`,
        facts,
      );
    }
    this.#scanner.write(next.value);
    return next.value;
  }
}
