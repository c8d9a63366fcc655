import { createHash, type Hash } from 'node:crypto';
import type { BodyDigests } from './body-digests.ts';
import { chunkStart } from './chunk-schedule.ts';

/** Digests of one body, made where it is scanned. */
export class ChunkDigests implements BodyDigests {
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
