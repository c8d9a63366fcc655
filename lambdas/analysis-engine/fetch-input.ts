import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { EngineInput } from '../../core/analysis/engine.ts';
import { recordLines } from '../../core/analysis/record-lines.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { RecordWalker } from '../../core/scan/record-walker.ts';

/** Widest record that is taken in; a wider one is refused, since leaving it out would falsify every count. */
const maxRecordBytes = 16 * 1024 * 1024;
const pieceBytes = 64 * 1024;
const flushBytes = 1024 * 1024;

/**
 * Fetches one input and writes its records as NDJSON to `file`. The digest of the whole body is checked before anybody
 * may read the file. Answers the number of records. Throws `StorageUnavailable` when the body cannot be had or is not
 * the one that was asked for, `AnalysisLimit` for a record that is too wide.
 */
export async function fetchInput(input: EngineInput, file: string, signal: AbortSignal): Promise<number> {
  const hash = createHash('sha256');
  const lines = new LineFile(input);
  const target = await open(file, 'w');
  let bytes = 0;
  try {
    for await (const chunk of body(input, signal)) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes > input.bytes) break;
      for (let at = 0; at < chunk.length; at += pieceBytes) lines.write(chunk.subarray(at, at + pieceBytes));
      if (lines.pending >= flushBytes) await target.write(lines.take());
    }
    if (bytes !== input.bytes || hash.digest('hex') !== input.sha256) {
      throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy does not match its digest`);
    }
    lines.end();
    await target.write(lines.take());
    return lines.records;
  } finally {
    await target.close();
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

/** Collects the lines of the records that the core's own scanner finds. */
class LineFile {
  records = 0;
  pending = 0;
  readonly #walker: RecordWalker | null;
  #skip: number;
  #more = true;
  #pieces: Uint8Array[] = [];

  constructor(input: EngineInput) {
    this.#skip = input.recordStart ?? Number.POSITIVE_INFINITY;
    const line = recordLines(input);
    const sink = {
      record: (buffer: Uint8Array, start: number, end: number) => {
        this.#add(line(buffer.subarray(start, end)));
      },
      wide: (bytes: number) => {
        throw new ClaimcheckError(
          'AnalysisLimit',
          `${input.name}: record ${this.records} has ${bytes} bytes, at most ${maxRecordBytes} can be analysed`,
        );
      },
    };
    this.#walker = input.recordStart === null ? null : new RecordWalker(input, input.recordStart, sink, maxRecordBytes);
  }

  write(piece: Uint8Array): void {
    const passed = Math.min(this.#skip, piece.length);
    this.#skip -= passed;
    if (!this.#more || this.#walker === null || passed === piece.length) return;
    this.#more = this.#walker.write(piece.subarray(passed));
  }

  end(): void {
    if (this.#more) this.#walker?.end();
  }

  take(): Uint8Array {
    const all = Buffer.concat(this.#pieces, this.pending);
    this.#pieces = [];
    this.pending = 0;
    return all;
  }

  #add(line: Uint8Array): void {
    this.records += 1;
    // The record's buffer is used again for the next one.
    const copy = Buffer.allocUnsafe(line.length + 1);
    copy.set(line, 0);
    copy[line.length] = 0x0a;
    this.#pieces.push(copy);
    this.pending += copy.length;
  }
}
