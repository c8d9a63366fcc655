import { getSystemErrorName } from 'node:util';
import { fileSlotWord, fileStartWord, fileWord, troubleWord, writingWord } from './digest-memory.ts';

/**
 * One ring's words about the file that its body is written to (`digest-memory.ts`). The thread says which file it is
 * writing before it looks whether that file is still to be written, so that one that is let go of here and is not being
 * written then never will be: only then may it be closed, and its number be another file's.
 */
export class ThreadFile {
  readonly #words: Int32Array;
  readonly #first: number;
  readonly #slot: number;
  readonly #mark: number;

  /** `slot`: the first slot of the body. `start`: bytes at its start that are written by others. */
  constructor(words: Int32Array, first: number, file: { descriptor: number; slot: number; start: number }) {
    this.#words = words;
    this.#first = first;
    this.#slot = file.slot;
    this.#mark = file.descriptor + 1;
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

  /** What went wrong while it was held, as the system names it (`ENOSPC`); undefined: nothing. */
  get trouble(): string | undefined {
    const trouble = Atomics.load(this.#words, this.#first + troubleWord);
    return trouble === 0 ? undefined : getSystemErrorName(trouble);
  }

  /** Lets go of it. True: nothing is written to it from now on; false: a slot is being written, ask again. */
  release(): boolean {
    Atomics.compareExchange(this.#words, this.#first + fileWord, this.#mark, 0);
    return Atomics.load(this.#words, this.#first + writingWord) !== this.#mark;
  }
}
