import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { EngineInput } from '../../core/analysis/engine.ts';
import { RecordRuns } from '../../core/analysis/record-runs.ts';
import { ClaimcheckError } from '../../core/errors.ts';

/** Widest record that is taken in; a wider one is refused, since leaving it out would falsify every count. */
const maxRecordBytes = 16 * 1024 * 1024;
const flushBytes = 1024 * 1024;
/** Most pieces of one system call (`IOV_MAX`). */
const vectorLength = 1_024;

export interface FetchedInput {
  readonly records: number;
  /** Some values are texts that were numbers to Python (NaN, infinities). */
  readonly marked: boolean;
  /** Bytes of the longest line. */
  readonly longest: number;
}

/**
 * Fetches one input and writes its records as NDJSON to `file`. The digest of the whole body is checked before anybody
 * may read the file. Throws `StorageUnavailable` when the body cannot be had or is not
 * the one that was asked for, `AnalysisLimit` for a record that is too wide.
 */
export async function fetchInput(input: EngineInput, file: string, signal: AbortSignal): Promise<FetchedInput> {
  const hash = createHash('sha256');
  let records = 0;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const runs =
    input.recordStart === null
      ? null
      : new RecordRuns(
          input,
          input.recordStart,
          {
            lines: (piece, count) => {
              records += count;
              pending.push(piece);
              pendingBytes += piece.length;
            },
            wide: (wide) => {
              throw new ClaimcheckError(
                'AnalysisLimit',
                `${input.name}: record ${records} has ${wide} bytes, at most ${maxRecordBytes} can be analysed`,
              );
            },
          },
          maxRecordBytes,
        );
  const target = await open(file, 'w');
  // One write is under way while the next pieces are read.
  let written: Promise<unknown> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await written;
    const pieces = pending;
    pending = [];
    pendingBytes = 0;
    written = writeAll(target, pieces);
    // Awaited later: a failure in between is no unhandled one.
    written.catch(() => {});
  };
  let bytes = 0;
  let skip = input.recordStart ?? 0;
  let more = runs !== null;
  try {
    for await (const chunk of body(input, signal)) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes > input.bytes) break;
      const passed = Math.min(skip, chunk.length);
      skip -= passed;
      if (more && passed < chunk.length) more = runs?.write(chunk.subarray(passed)) ?? false;
      if (pendingBytes >= flushBytes) await flush();
    }
    if (bytes !== input.bytes || hash.digest('hex') !== input.sha256) {
      throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy does not match its digest`);
    }
    if (more) runs?.end();
    await flush();
    await written;
    return { records, marked: runs?.marked ?? false, longest: runs?.longest ?? 0 };
  } finally {
    await written.catch(() => {});
    await target.close();
  }
}

/** The system may take less than it was given; what is left goes again. */
async function writeAll(target: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < pieces.length; at += vectorLength) {
    const some = pieces.slice(at, at + vectorLength);
    const wanted = some.reduce((sum, piece) => sum + piece.length, 0);
    const { bytesWritten } = await target.writev(some);
    if (bytesWritten < wanted) await target.writeFile(Buffer.concat(some).subarray(bytesWritten));
  }
}

async function* body(input: EngineInput, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let answer: Response;
  try {
    answer = await fetch(input.url, { redirect: 'error', signal });
  } catch {
    // Its message may hold the address, which is a right to read.
    throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy cannot be fetched right now`);
  }
  if (answer.status !== 200 || answer.body === null) {
    await answer.body?.cancel();
    throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy is not there (${answer.status})`);
  }
  try {
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) yield chunk;
  } catch {
    throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy came short`);
  }
}
