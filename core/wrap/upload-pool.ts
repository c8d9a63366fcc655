import type { ResultStore } from '../store/result-store.ts';
import { tooLate } from './in-time.ts';

export interface UploadPoolOptions {
  /** Uploads on their way at once; the others wait and hold nothing but what their tool made. Default 4. */
  readonly parallel?: number;
  /** Milliseconds that one upload may take, waiting for its place included. */
  readonly timeoutMs: number;
}

/**
 * A bounded number of uploads at once, each within a bound of time: 200 blocks are not 200 writes in flight, and a
 * store that hangs does not hang the tool. An upload starts to read its body only when it has a place.
 */
export class UploadPool {
  readonly #parallel: number;
  readonly #timeoutMs: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #most = 0;

  constructor({ parallel = 4, timeoutMs }: UploadPoolOptions) {
    this.#parallel = Math.max(1, Math.floor(parallel));
    this.#timeoutMs = timeoutMs;
  }

  /** The most uploads that were ever on their way at once. */
  get most(): number {
    return this.#most;
  }

  /**
   * Runs one upload when there is a place. Throws what it throws, and `StorageUnavailable` when the time is over: then
   * its signal is aborted, and its place is free once it has ended.
   */
  async run<T>(upload: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.#timeoutMs);
    const over = new Promise<never>((_, reject) => {
      timeout.signal.addEventListener('abort', () => reject(tooLate(this.#timeoutMs)), { once: true });
    });
    over.catch(() => {});
    try {
      await Promise.race([this.#enter(timeout.signal), over]);
      const running = upload(timeout.signal).finally(() => this.#leave());
      running.catch(() => {});
      return await Promise.race([running, over]);
    } finally {
      clearTimeout(timer);
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    if (this.#busy < this.#parallel) {
      this.#take();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const start = () => {
        this.#take();
        resolve();
      };
      this.#waiting.push(start);
      signal.addEventListener('abort', () => remove(this.#waiting, start), { once: true });
    });
  }

  #take(): void {
    this.#busy += 1;
    this.#most = Math.max(this.#most, this.#busy);
  }

  #leave(): void {
    this.#busy -= 1;
    this.#waiting.shift()?.();
  }
}

/** The same store, whose bodies go through a pool. */
export function pooledStore(store: ResultStore, pool: UploadPool): ResultStore {
  return {
    putBody: (address, body, metadata, limits) =>
      pool.run((timeout) => {
        const signal = limits.signal === undefined ? timeout : AbortSignal.any([limits.signal, timeout]);
        return store.putBody(address, body, metadata, { ...limits, signal });
      }),
    ...reading(store),
  };
}

/** The same store, which takes no body any more. */
export function closedStore(store: ResultStore, timeoutMs: number): ResultStore {
  return {
    ...reading(store),
    putBody: async () => {
      throw tooLate(timeoutMs);
    },
  };
}

function reading(store: ResultStore): Omit<ResultStore, 'putBody'> {
  return {
    headBody: (address) => store.headBody(address),
    readBody: (address, etag) => store.readBody(address, etag),
    readRange: (address, etag, start, end) => store.readRange(address, etag, start, end),
    putIndex: (address, index) => store.putIndex(address, index),
    readIndex: (address) => store.readIndex(address),
    // A store that cannot make them leaves them to the walk.
    digests: (bytes) => {
      try {
        return store.digests?.(bytes);
      } catch {
        return undefined;
      }
    },
  };
}

function remove(list: (() => void)[], one: () => void): void {
  const at = list.indexOf(one);
  if (at >= 0) list.splice(at, 1);
}
