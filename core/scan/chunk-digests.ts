import { createHash, type Hash } from 'node:crypto';
import { chunkStart } from './chunk-schedule.ts';

/** SHA-256 of the whole body and of each chunk of it, fed in pieces of any size. */
export class ChunkDigests {
  readonly #whole: Hash = createHash('sha256');
  #chunk: Hash = createHash('sha256');
  #digests: Buffer[] = [];
  #index = 0;
  #end = chunkStart(1);
  #offset = 0;

  write(piece: Uint8Array): void {
    this.#whole.update(piece);
    let from = 0;
    while (from < piece.length) {
      const to = Math.min(piece.length, from + this.#end - this.#offset);
      this.#chunk.update(from === 0 && to === piece.length ? piece : piece.subarray(from, to));
      this.#offset += to - from;
      from = to;
      if (this.#offset === this.#end) this.#next();
    }
  }

  /** Lower-case hex of the whole, and the chunks' digests (32 bytes each) concatenated. */
  end(): { readonly sha256: string; readonly digests: Uint8Array } {
    if (this.#offset > chunkStart(this.#index)) this.#next();
    return { sha256: this.#whole.digest('hex'), digests: new Uint8Array(Buffer.concat(this.#digests)) };
  }

  #next(): void {
    this.#digests.push(this.#chunk.digest());
    this.#chunk = createHash('sha256');
    this.#index += 1;
    this.#end = chunkStart(this.#index + 1);
  }
}
