import type { FileHandle } from 'node:fs/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { ClaimcheckError } from '../../core/errors.ts';
import { writeAll } from '../write-all.ts';
import type { PieceWriter } from '../write-pieces.ts';
import type { ThreadDigests } from './thread-digests.ts';
import type { ThreadFile } from './thread-file.ts';

/** Milliseconds for which this thread may wait at a stretch. */
const stretchMs = 5;

/** Leaves the writing to the thread that makes the body's digests, but for the first piece. */
export class ThreadWriter implements PieceWriter {
  readonly #file: FileHandle;
  readonly #digests: ThreadDigests;
  readonly #written: ThreadFile;
  readonly #had: (piece: Uint8Array) => boolean;
  #first = true;
  #bytes = 0;

  /** `written`: the same file, as the thread has it. `had`: the thread has this piece. */
  constructor(file: FileHandle, digests: ThreadDigests, written: ThreadFile, had: (piece: Uint8Array) => boolean) {
    this.#file = file;
    this.#digests = digests;
    this.#written = written;
    this.#had = had;
  }

  write(piece: Uint8Array): Promise<void> | undefined {
    const before = this.#bytes;
    this.#bytes += piece.length;
    if (this.#first) {
      this.#first = false;
      return writeAll(this.#file, piece);
    }
    this.#check();
    if (!this.#had(piece) || !this.#digests.endsWith(piece, before)) throw changed();
    return undefined;
  }

  async end(signal: AbortSignal | undefined): Promise<void> {
    while (!this.#digests.finish(stretchMs)) {
      if (signal?.aborted === true) throw new ClaimcheckError('StorageUnavailable', 'storage: it took too long');
      await breathe();
    }
    this.#check();
    if (this.#digests.bytes !== this.#bytes) throw changed();
  }

  close(): Promise<void> {
    return this.#written.close(() => this.#digests.ended);
  }

  #check(): void {
    const { trouble } = this.#written;
    if (trouble === undefined && this.#written.held && this.#digests.standing) return;
    throw new ClaimcheckError('StorageUnavailable', `storage: ${trouble ?? 'the thread that writes it has stopped'}`);
  }
}

function changed(): ClaimcheckError {
  return new ClaimcheckError('StorageUnavailable', 'storage: the body is not what was scanned');
}
