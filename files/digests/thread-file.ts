import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { getSystemErrorName } from 'node:util';
import { fileSlotWord, fileStartWord, fileWord, troubleWord, writingWord } from './digest-memory.ts';

/** Milliseconds that a slot which is being written is waited for before the file is closed later, by itself. */
const closeMs = 500;
const lookMs = 20;

/**
 * A file that one ring's body is written to, and the ring's words about it (`digest-memory.ts`). The thread says which
 * file it is writing before it looks whether that file is still to be written, so that one that is let go of here and is
 * not being written then never will be: only then may it be closed, and its number be another file's.
 */
export class ThreadFile {
  readonly #words: Int32Array;
  readonly #first: number;
  readonly #handle: FileHandle;
  readonly #slot: number;
  readonly #mark: number;
  #closing: Promise<void> | undefined;

  /** `slot`: the first slot of the body. `start`: bytes at its start that are written by others. */
  constructor(words: Int32Array, first: number, file: { handle: FileHandle; slot: number; start: number }) {
    this.#words = words;
    this.#first = first;
    this.#handle = file.handle;
    this.#slot = file.slot;
    this.#mark = file.handle.fd + 1;
    Atomics.store(words, first + troubleWord, 0);
    Atomics.store(words, first + fileSlotWord, file.slot);
    Atomics.store(words, first + fileStartWord, file.start);
    Atomics.store(words, first + fileWord, this.#mark);
  }

  /** Slots of its body are written to it, unless something went wrong. */
  get held(): boolean {
    const file = Atomics.load(this.#words, this.#first + fileWord);
    return file === this.#mark && Atomics.load(this.#words, this.#first + fileSlotWord) === this.#slot;
  }

  /** What went wrong, as the system names it (`ENOSPC`), while it is held; undefined: nothing. */
  get trouble(): string | undefined {
    const trouble = Atomics.load(this.#words, this.#first + troubleWord);
    return trouble === 0 || !this.held ? undefined : getSystemErrorName(trouble);
  }

  /** Lets go of it. True: nothing is written to it from now on; false: a slot is being written, ask again. */
  release(): boolean {
    Atomics.compareExchange(this.#words, this.#first + fileWord, this.#mark, 0);
    return Atomics.load(this.#words, this.#first + writingWord) !== this.#mark;
  }

  /**
   * Lets go of it and closes it: later, by itself, while a slot is being written. `ended`: the thread does nothing any
   * more. Throws what the system says of closing it.
   */
  close(ended: () => boolean): Promise<void> {
    this.#closing ??= this.#close(() => this.release() || ended());
    return this.#closing;
  }

  async #close(released: () => boolean): Promise<void> {
    for (let waited = 0; !released(); waited += lookMs) {
      if (waited >= closeMs) return this.#closeLater(released);
      await sleep(lookMs);
    }
    await this.#handle.close();
  }

  /** A file that is closed while a thread writes to it may be another's by then. */
  #closeLater(released: () => boolean): void {
    const timer = setInterval(() => {
      if (!released()) return;
      clearInterval(timer);
      this.#handle.close().catch(() => {});
    }, closeMs);
    timer.unref();
  }
}
