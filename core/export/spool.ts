/**
 * Where a CSV waits while its columns are still unknown: appended piece by piece, then read once from the start.
 * Implementations keep a bounded part in memory.
 */
export interface Spool {
  /** The piece is copied or written before this resolves. */
  append(piece: Uint8Array): Promise<void> | undefined;
  read(): AsyncIterable<Uint8Array>;
  /** Frees what the spool holds; nothing is left behind. */
  dispose(): Promise<void>;
}

/** Keeps everything in memory: for lists that are known to be small, and for tests. */
export class MemorySpool implements Spool {
  #pieces: Uint8Array[] = [];

  append(piece: Uint8Array): undefined {
    this.#pieces.push(Uint8Array.from(piece));
    return undefined;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    yield* this.#pieces;
  }

  async dispose(): Promise<void> {
    this.#pieces = [];
  }
}
