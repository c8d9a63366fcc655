import type { FileHandle } from 'node:fs/promises';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { ClaimcheckError } from '../../core/errors.ts';
import { writeAll } from '../write-all.ts';
import type { PieceWriter } from '../write-pieces.ts';
import type { ThreadDigests } from './thread-digests.ts';
import type { ThreadFile } from './thread-file.ts';

/** Milliseconds for which this thread may wait at a stretch. */
const stretchMs = 5;
/** Milliseconds that a slot which is being written is waited for before the file is closed later, by itself. */
const closeMs = 500;
const lookMs = 20;

/** Leaves the writing to the thread that makes the body's digests, but for the first piece. */
export class ThreadWriter implements PieceWriter {
  readonly #file: FileHandle;
  readonly #digests: ThreadDigests;
  readonly #written: ThreadFile;
  readonly #had: (piece: Uint8Array) => boolean;
  #first = true;
  #closing: Promise<void> | undefined;

  /** `written`: the same file, as the thread has it. `had`: the thread has this piece. */
  constructor(file: FileHandle, digests: ThreadDigests, written: ThreadFile, had: (piece: Uint8Array) => boolean) {
    this.#file = file;
    this.#digests = digests;
    this.#written = written;
    this.#had = had;
  }

  write(piece: Uint8Array): Promise<void> | undefined {
    if (this.#first) {
      this.#first = false;
      return writeAll(this.#file, piece);
    }
    this.#check();
    if (!this.#had(piece)) throw new ClaimcheckError('StorageUnavailable', 'storage: the body is not what was scanned');
    return undefined;
  }

  async end(signal: AbortSignal | undefined): Promise<void> {
    while (!this.#digests.finish(stretchMs)) {
      if (signal?.aborted === true) throw new ClaimcheckError('StorageUnavailable', 'storage: it took too long');
      await breathe();
    }
    this.#check();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (let waited = 0; !this.#released(); waited += lookMs) {
      if (waited >= closeMs) return this.#closeLater();
      await sleep(lookMs);
    }
    await this.#file.close();
  }

  /** A file that is closed while a thread writes to it may be another's by then. */
  #closeLater(): void {
    const timer = setInterval(() => {
      if (!this.#released()) return;
      clearInterval(timer);
      this.#file.close().catch(() => {});
    }, closeMs);
    timer.unref();
  }

  #released(): boolean {
    return this.#written.release() || this.#digests.ended;
  }

  #check(): void {
    const { trouble } = this.#written;
    if (trouble === undefined && this.#written.held && this.#digests.standing) return;
    throw new ClaimcheckError('StorageUnavailable', `storage: ${trouble ?? 'the thread that writes it has stopped'}`);
  }
}
