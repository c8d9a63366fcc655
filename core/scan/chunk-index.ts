import { chunkCount, chunkOf, chunkStart } from './chunk-schedule.ts';

/** Collects where records start, one entry per chunk, while they come by in order (`ChunkTable`). */
export class ChunkIndex {
  /** Records seen so far. */
  records = 0;
  /** Offset of the first record; -1 before there is one. */
  first = -1;
  readonly #before: number[] = [];
  readonly #firstOffset: number[] = [];
  #nextChunk = 0;
  #nextStart = 0;

  /** A whole record starts at this offset; offsets only grow. */
  add(start: number): void {
    if (start >= this.#nextStart) this.#open(start);
    this.records += 1;
  }

  /** The same for a run of records: they start in one chunk, the first of them at this offset. */
  addRun(firstStart: number, count: number): void {
    if (firstStart >= this.#nextStart) this.#open(firstStart);
    this.records += count;
  }

  /** The table's two columns for a body of `bytes` bytes. */
  end(bytes: number): { readonly recordsBefore: readonly number[]; readonly firstOffset: readonly number[] } {
    const chunks = chunkCount(bytes);
    while (this.#before.length < chunks) {
      this.#before.push(this.records);
      this.#firstOffset.push(-1);
    }
    return { recordsBefore: this.#before, firstOffset: this.#firstOffset };
  }

  #open(start: number): void {
    if (this.first < 0) this.first = start;
    const chunk = chunkOf(start);
    while (this.#nextChunk < chunk) {
      this.#before.push(this.records);
      this.#firstOffset.push(-1);
      this.#nextChunk += 1;
    }
    this.#before.push(this.records);
    this.#firstOffset.push(start - chunkStart(chunk));
    this.#nextChunk = chunk + 1;
    this.#nextStart = chunkStart(this.#nextChunk);
  }
}
