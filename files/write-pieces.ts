import { type FileHandle, open } from 'node:fs/promises';
import { ClaimcheckError } from '../core/errors.ts';

/** Bytes of one write; two buffers take turns, so that the next piece is made while the last one is written. */
const writeBytes = 256 * 1024;

/**
 * Writes a body to a new file and answers its bytes. `meanwhile` is told how many as soon as they are known, runs beside
 * the last write and has ended when this has. Throws `OversizeResult` past `maxBytes`, `StorageUnavailable` when the
 * file system fails or the signal says that it takes too long, and what the body itself or `meanwhile` throws.
 */
export async function writePieces(
  path: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  limits: { readonly maxBytes: number; readonly durable: boolean; readonly signal?: AbortSignal },
  meanwhile: (bytes: number) => Promise<void> = async () => {},
): Promise<number> {
  const file = await failing(() => open(path, 'wx', 0o600));
  const writer = new TurnWriter(file);
  let bytes = 0;
  try {
    for await (const piece of body instanceof Uint8Array ? [body] : body) {
      if (limits.signal?.aborted === true) throw new ClaimcheckError('StorageUnavailable', 'storage: it took too long');
      bytes += piece.length;
      if (bytes > limits.maxBytes) {
        const facts = { seenBytes: bytes, maxBytes: limits.maxBytes };
        throw new ClaimcheckError('OversizeResult', `result: ${bytes} bytes seen, at most ${limits.maxBytes}`, facts);
      }
      for (let at = 0; at < piece.length; ) {
        const taken = writer.take(piece, at);
        at += taken;
        if (writer.full) await failing(() => writer.turn());
      }
    }
    const beside = meanwhile(bytes);
    const written = failing(async () => {
      await writer.end();
      if (limits.durable) await file.sync();
      await file.close();
    });
    await Promise.allSettled([beside, written]);
    await Promise.all([beside, written]);
    return bytes;
  } finally {
    await writer.settle();
    await file.close();
  }
}

class TurnWriter {
  readonly #file: FileHandle;
  #filling = Buffer.allocUnsafeSlow(writeBytes);
  #writing = Buffer.allocUnsafeSlow(writeBytes);
  #used = 0;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  get full(): boolean {
    return this.#used === writeBytes;
  }

  take(piece: Uint8Array, from: number): number {
    const room = Math.min(writeBytes - this.#used, piece.length - from);
    this.#filling.set(from === 0 && room === piece.length ? piece : piece.subarray(from, from + room), this.#used);
    this.#used += room;
    return room;
  }

  /** Waits for the buffer that is being written, then sends this one on its way. */
  async turn(): Promise<void> {
    await this.#pending;
    [this.#filling, this.#writing] = [this.#writing, this.#filling];
    const [buffer, length] = [this.#writing, this.#used];
    this.#used = 0;
    this.#pending = writeAll(this.#file, buffer, length);
    // Waited for at the next turn; a failure in between is no unhandled one.
    this.#pending.catch(() => {});
  }

  async end(): Promise<void> {
    if (this.#used > 0) await this.turn();
    await this.#pending;
  }

  async settle(): Promise<void> {
    await this.#pending.catch(() => {});
  }
}

async function writeAll(file: FileHandle, buffer: Buffer, length: number): Promise<void> {
  for (let at = 0; at < length; ) {
    const { bytesWritten } = await file.write(buffer, at, length - at);
    at += bytesWritten;
  }
}

async function failing<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ClaimcheckError) throw error;
    const what = (error as NodeJS.ErrnoException).code ?? 'unwritable';
    throw new ClaimcheckError('StorageUnavailable', `storage: ${what}`, {}, { cause: error });
  }
}
