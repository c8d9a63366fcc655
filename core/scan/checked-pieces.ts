import { createHash, type Hash } from 'node:crypto';
import { chunkCount, chunkStart } from './chunk-schedule.ts';

const digestBytes = 32;

/**
 * A body on its way in, in pieces of any size: a piece is handed on, whole and in order, once every chunk that it has a
 * byte of was found right. When all were, and the length is that of the commit record, the whole is right: its own digest
 * is not needed. Holds back the pieces of one chunk and the next piece at most.
 */
export class CheckedPieces {
  readonly #bytes: number;
  readonly #digests: Uint8Array;
  readonly #take: (piece: Uint8Array) => void;
  #hash: Hash = createHash('sha256');
  #chunk = 0;
  #end: number;
  #offset = 0;
  #held: Uint8Array[] = [];

  /** `digests`: SHA-256 of each chunk of a body of `bytes` bytes, 32 bytes each (`ChunkTable`). */
  constructor(bytes: number, digests: Uint8Array, take: (piece: Uint8Array) => void) {
    this.#bytes = bytes;
    this.#digests = digests;
    this.#take = take;
    this.#end = Math.min(chunkStart(1), bytes);
  }

  /** False: the body is another one, and nothing of the wrong chunk was handed on; nothing more may be written. */
  write(piece: Uint8Array): boolean {
    if (this.#offset + piece.length > this.#bytes) return false;
    const before = this.#chunk;
    let from = 0;
    while (from < piece.length) {
      const to = Math.min(piece.length, from + this.#end - this.#offset);
      this.#hash.update(from === 0 && to === piece.length ? piece : piece.subarray(from, to));
      this.#offset += to - from;
      from = to;
      if (this.#offset === this.#end && !this.#next()) return false;
    }
    // Where a chunk has ended in this piece, those before it are in checked chunks to their last byte.
    if (this.#chunk > before) this.#release();
    this.#held.push(piece);
    if (this.#offset === Math.min(chunkStart(this.#chunk), this.#bytes)) this.#release();
    return true;
  }

  /** True where the body was handed on whole, and its chunks are as many as there are digests. */
  end(): boolean {
    return this.#offset === this.#bytes && this.#digests.length === chunkCount(this.#bytes) * digestBytes;
  }

  #next(): boolean {
    const at = this.#chunk * digestBytes;
    if (!this.#hash.digest().equals(this.#digests.subarray(at, at + digestBytes))) return false;
    this.#hash = createHash('sha256');
    this.#chunk += 1;
    this.#end = Math.min(chunkStart(this.#chunk + 1), this.#bytes);
    return true;
  }

  #release(): void {
    const pieces = this.#held;
    this.#held = [];
    for (const piece of pieces) this.#take(piece);
  }
}
