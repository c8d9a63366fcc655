import { availableParallelism } from 'node:os';
import type { BodyDigests } from '../../core/scan/body-digests.ts';
import type { DigestRing } from './digest-ring.ts';
import { DigestThread } from './digest-thread.ts';
import { ThreadDigests } from './thread-digests.ts';

export interface DigestThreadsOptions {
  /** Milliseconds without a large body after which the thread ends and its memory returns. Default 30,000. */
  readonly idleMs?: number;
  /** Milliseconds that the thread may be waited for without moving. Default 2,000. */
  readonly stallMs?: number;
  /** Processors that this process may use. Default: asked of the system. */
  readonly processors?: number;
}

/** Smaller bodies are hashed sooner than a thread has been woken a few times. */
const leastBytes = 1024 * 1024;

/**
 * The thread of a process that hashes and writes large bodies beside the scan. It starts with the second such body in
 * `idleMs`, since it would come too late for the first, and ends when there was none for that time.
 */
export class DigestThreads {
  readonly #idleMs: number;
  readonly #stallMs: number;
  readonly #processors: number;
  readonly #lost = new FinalizationRegistry<() => void>((give) => give());
  #thread: DigestThread | undefined;
  #ending: NodeJS.Timeout | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #refused = false;

  constructor(options: DigestThreadsOptions = {}) {
    this.#idleMs = options.idleMs ?? 30_000;
    this.#stallMs = options.stallMs ?? 2_000;
    this.#processors = options.processors ?? availableParallelism();
  }

  /** The thread that stands now, for who looks after it. */
  get thread(): DigestThread | undefined {
    return this.#thread;
  }

  /** For a body of at least `bytes` bytes; undefined: this thread makes them better itself. */
  digests(bytes: number): BodyDigests | undefined {
    if (bytes < leastBytes || this.#processors < 2 || this.#refused) return undefined;
    const before = this.#lastAt;
    this.#lastAt = performance.now();
    if (this.#thread === undefined && this.#lastAt - before < this.#idleMs) this.#start();
    const thread = this.#thread;
    const ring = thread?.ready ? thread.take() : undefined;
    if (thread === undefined || ring === undefined) return undefined;
    clearTimeout(this.#ending);
    return this.#held(thread, ring);
  }

  /** A body that is neither ended nor dropped gives its ring back when it is collected. */
  #held(thread: DigestThread, ring: DigestRing): BodyDigests {
    const token = {};
    const rings = {
      get failed() {
        return thread.failed;
      },
      get ended() {
        return thread.ended;
      },
      get bodies() {
        return thread.bodies;
      },
      fail: () => thread.fail(),
      give: (returned: DigestRing) => {
        this.#lost.unregister(token);
        thread.give(returned);
      },
    };
    const digests = new ThreadDigests(rings, ring, this.#stallMs);
    this.#lost.register(digests, () => thread.takeBack(ring), token);
    return digests;
  }

  #start(): void {
    try {
      this.#thread = new DigestThread(() => this.#changed());
      this.#endLater();
    } catch {
      this.#refused = true;
    }
  }

  #changed(): void {
    const thread = this.#thread;
    if (thread?.failed) {
      clearTimeout(this.#ending);
      this.#thread = undefined;
      // Where none comes to stand, none is tried again.
      this.#refused = !thread.started;
    } else if (thread?.idle) this.#endLater();
  }

  #endLater(): void {
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.#thread?.fail(), this.#idleMs);
    this.#ending.unref();
  }
}

/** One thread a process, whatever stores it has. */
export const digestThreads = new DigestThreads();
