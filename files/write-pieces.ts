import { type FileHandle, open } from 'node:fs/promises';
import { ClaimcheckError } from '../core/errors.ts';
import type { BodyLimits } from '../core/store/result-store.ts';
import { ThreadDigests } from './digests/thread-digests.ts';
import { ThreadWriter } from './digests/thread-writer.ts';
import { TurnWriter } from './turn-writer.ts';

/** Writes the pieces of one body to a file that it was given, and closes it. */
export interface PieceWriter {
  /** Takes a piece, which may be overwritten as soon as this has returned, or what it answers has settled. */
  write(piece: Uint8Array): Promise<void> | undefined;
  /** All of it has been written once this has settled. */
  end(signal: AbortSignal | undefined): Promise<void>;
  /** Nothing is written any more, and the file is closed. Never throws for a write before. */
  close(): Promise<void>;
}

/**
 * Writes a body to a new file and answers its bytes. `meanwhile` is told how many as soon as they are known, runs beside
 * the last write and has ended when this has. Throws `OversizeResult` past `maxBytes`, `StorageUnavailable` when the
 * file system fails or the signal says that it takes too long, and what the body itself or `meanwhile` throws.
 */
export async function writePieces(
  path: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  limits: BodyLimits & { readonly durable: boolean },
  meanwhile: (bytes: number) => Promise<void> = async () => {},
): Promise<number> {
  const file = await failing(() => open(path, 'wx', 0o600));
  let writer: PieceWriter | undefined;
  let bytes = 0;
  try {
    for await (const piece of body instanceof Uint8Array ? [body] : body) {
      if (limits.signal?.aborted === true) throw new ClaimcheckError('StorageUnavailable', 'storage: it took too long');
      bytes += piece.length;
      if (bytes > limits.maxBytes) {
        const facts = { seenBytes: bytes, maxBytes: limits.maxBytes };
        throw new ClaimcheckError('OversizeResult', `result: ${bytes} bytes seen, at most ${limits.maxBytes}`, facts);
      }
      writer ??= writerOf(file, limits, piece);
      const taken = writer.write(piece);
      if (taken !== undefined) await failing(() => taken);
    }
    const beside = meanwhile(bytes);
    const written = failing(async () => {
      await writer?.end(limits.signal);
      if (limits.durable) await file.sync();
      await (writer ?? file).close();
    });
    await Promise.allSettled([beside, written]);
    await Promise.all([beside, written]);
    return bytes;
  } finally {
    // Of a close that failed was heard above, if the body was to stand.
    await (writer ?? file).close().catch(() => {});
  }
}

/** Where a thread has the bytes already, to hash them, it writes them as well. */
function writerOf(file: FileHandle, { digests }: BodyLimits, first: Uint8Array): PieceWriter {
  const had = digests?.(first);
  if (!(had instanceof ThreadDigests) || !had.endsWith(first, 0)) return new TurnWriter(file);
  const written = had.writeTo(file, first.length);
  if (written === undefined) return new TurnWriter(file);
  return new ThreadWriter(file, had, written, (piece) => digests?.(piece) === had);
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
