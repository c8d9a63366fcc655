import { Worker } from 'node:worker_threads';
import { memoryBytes, readyWord, ringPlaces, wordCount } from './digest-memory.ts';
import { DigestRing } from './digest-ring.ts';
import { digestThreadProgram } from './digest-thread-program.ts';
import type { DigestRings } from './thread-digests.ts';

/** Node's own start needs five of them; the program keeps nothing. */
const resourceLimits = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/** One thread that makes digests and writes what it hashes, and the rings that lead to it. It never keeps the process alive. */
export class DigestThread implements DigestRings {
  readonly #worker: Worker;
  readonly #words: Int32Array;
  readonly #free: DigestRing[];
  readonly #changed: () => void;
  #failed = false;
  #ended = false;

  /** Throws when this process may not start threads or wait for them. `changed`: rings came back, or it has ended. */
  constructor(changed: () => void) {
    const memory = new SharedArrayBuffer(memoryBytes);
    this.#words = new Int32Array(memory, 0, wordCount);
    this.#free = ringPlaces.map((place) => new DigestRing(memory, place));
    this.#changed = changed;
    // Some hosts forbid their main thread to wait: said at once, not in the middle of a body.
    Atomics.wait(this.#words, readyWord, 1, 0);
    this.#worker = new Worker(digestThreadProgram, {
      eval: true,
      workerData: memory,
      name: 'digests',
      // Nothing of the process: no loader of its sources, no environment.
      execArgv: [],
      env: {},
      resourceLimits,
    });
    this.#worker.unref();
    this.#worker.on('error', () => this.fail());
    this.#worker.once('exit', () => {
      this.#ended = true;
      this.fail();
    });
  }

  /** It takes bodies; a body is never made to wait for its start. */
  get ready(): boolean {
    return !this.#failed && this.started;
  }

  /** It came to stand at all. */
  get started(): boolean {
    return Atomics.load(this.#words, readyWord) === 1;
  }

  get idle(): boolean {
    return this.#free.length === ringPlaces.length;
  }

  get failed(): boolean {
    return this.#failed;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get bodies(): number {
    return ringPlaces.length - this.#free.length;
  }

  /** A ring of which the thread has done everything: what became of one body is never said of another. */
  take(): DigestRing | undefined {
    const at = this.#free.findLastIndex(({ waiting }) => waiting === 0);
    return at < 0 ? undefined : this.#free.splice(at, 1)[0];
  }

  give(ring: DigestRing): void {
    ring.leave();
    this.#free.push(ring);
    this.#changed();
  }

  /** Takes a ring back from a body that was collected, and closes its file, which nobody can any more. */
  takeBack(ring: DigestRing): void {
    if (ring.file?.held === true) ring.file.close(() => this.#ended).catch(() => {});
    this.give(ring);
  }

  /** Ends it; every body that is on it fails. */
  fail(): void {
    if (this.#failed) return;
    this.#failed = true;
    void this.#worker.terminate();
    this.#changed();
  }
}
