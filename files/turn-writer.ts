import type { FileHandle } from 'node:fs/promises';
import { writeAll } from './write-all.ts';
import type { PieceWriter } from './write-pieces.ts';

/** Bytes of one write. */
const writeBytes = 256 * 1024;

/** Writes by the system's own threads. Two buffers take turns: the next piece is made while the last one is written. */
export class TurnWriter implements PieceWriter {
  readonly #file: FileHandle;
  #filling = Buffer.allocUnsafeSlow(writeBytes);
  #writing = Buffer.allocUnsafeSlow(writeBytes);
  #used = 0;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  write(piece: Uint8Array): Promise<void> | undefined {
    const taken = this.#take(piece, 0);
    return this.#used === writeBytes ? this.#rest(piece, taken) : undefined;
  }

  async end(): Promise<void> {
    if (this.#used > 0) await this.#turn();
    await this.#pending;
  }

  async close(): Promise<void> {
    await this.#pending.catch(() => {});
    await this.#file.close();
  }

  async #rest(piece: Uint8Array, from: number): Promise<void> {
    for (let at = from; ; at += this.#take(piece, at)) {
      if (this.#used === writeBytes) await this.#turn();
      if (at === piece.length) return;
    }
  }

  #take(piece: Uint8Array, from: number): number {
    const room = Math.min(writeBytes - this.#used, piece.length - from);
    this.#filling.set(from === 0 && room === piece.length ? piece : piece.subarray(from, from + room), this.#used);
    this.#used += room;
    return room;
  }

  /** Waits for the buffer that is being written, then sends this one on its way. */
  async #turn(): Promise<void> {
    await this.#pending;
    [this.#filling, this.#writing] = [this.#writing, this.#filling];
    const [buffer, length] = [this.#writing, this.#used];
    this.#used = 0;
    this.#pending = writeAll(this.#file, buffer.subarray(0, length));
    // Waited for at the next turn; a failure in between is no unhandled one.
    this.#pending.catch(() => {});
  }
}
