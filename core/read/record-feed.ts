import { chunkStart } from '../scan/chunk-schedule.ts';
import { chunkOfRecord } from '../scan/record-locator.ts';
import { recordSpans, type Span } from '../scan/record-spans.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { BodyChunk, VerifiedBody } from './verified-body.ts';

/** One whole record of a stored copy; a line of text with its line end. */
export interface FedRecord {
  /** Counted from 0, as offsets are. */
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** Its own bytes, valid until the next batch is asked for; null when it is wider than what is held at once. */
  readonly bytes: Uint8Array | null;
}

/** A record wider than this is not held: only its parts or its picked fields are. Bounds a read's memory. */
export const heldRecordBytes = 4 * 1024 * 1024;

type Located = Pick<ResultIndex, 'kind' | 'path' | 'table' | 'records' | 'bytes' | 'chunks'>;

/**
 * The records, in batches of a chunk each, from number `offset` on, found by the stored index: the first request starts at the chunk in which the
 * record starts, whatever the size of the result. `count` and `maxBytes` are what the reader will take at most, so
 * that no request asks for more than that needs.
 */
export async function* recordsFrom(
  index: Located,
  body: VerifiedBody,
  offset: number,
  expected: { readonly count: number; readonly maxBytes: number },
): AsyncGenerator<readonly FedRecord[]> {
  if (offset >= index.records) return;
  const first = chunkOfRecord(index.chunks, offset);
  const start = chunkStart(first) + (index.chunks.firstOffset[first] as number);
  const next = offset + expected.count;
  const endOfSelection = next >= index.records ? index.bytes : recordStartBound(index, next);
  const skipped = chunkStart(first + 1) - start;
  const end = Math.min(endOfSelection, start + skipped + expected.maxBytes);
  yield* feed(index, body.chunks(start, Math.max(end, start + 1)), {
    from: start,
    number: index.chunks.recordsBefore[first] as number,
    offset,
  });
}

/** All records in batches, from one request for the whole body. */
export async function* allRecords(index: Located, body: VerifiedBody): AsyncGenerator<readonly FedRecord[]> {
  const first = index.chunks.firstOffset.findIndex((at) => at >= 0);
  if (first < 0 || index.records === 0) {
    for await (const _ of body.all()) {
      // Nothing to hand out, and still every byte is checked.
    }
    return;
  }
  const from = chunkStart(first) + (index.chunks.firstOffset[first] as number);
  yield* feed(index, body.all(), { from, number: 0, offset: 0 });
}

async function* feed(
  index: Located,
  chunks: AsyncIterable<BodyChunk>,
  at: { readonly from: number; readonly number: number; readonly offset: number },
): AsyncGenerator<readonly FedRecord[]> {
  const walker = recordSpans(index, at.from);
  let number = at.number;
  /** Pieces of the open record that earlier chunks held; null once it is too wide. */
  let held: Uint8Array[] | null = [];
  let heldBytes = 0;
  let position = at.from;
  const bytesOf = (start: number, end: number, piece: Uint8Array): Uint8Array | null => {
    if (start >= position) return piece.subarray(start - position, end - position);
    if (held === null || end - start > heldRecordBytes) return null;
    return Buffer.concat([...held, piece.subarray(0, Math.max(0, end - position))]).subarray(0, end - start);
  };
  const fed = (spans: readonly Span[], piece: Uint8Array): FedRecord[] => {
    const batch: FedRecord[] = [];
    for (const { start, past: end } of spans) {
      if (number >= at.offset) batch.push({ number, start, end, bytes: bytesOf(start, end, piece) });
      number += 1;
    }
    return batch;
  };
  for await (const chunk of chunks) {
    if (chunk.offset + chunk.bytes.length <= position) continue;
    const piece = chunk.bytes.subarray(Math.max(0, position - chunk.offset));
    const batch = fed(walker.write(piece), piece);
    if (batch.length > 0) yield batch;
    if (walker.open < 0 || number < at.offset) {
      // A record that is passed over is not held.
      held = walker.open < 0 ? [] : null;
      heldBytes = 0;
    } else if (walker.open >= position) {
      held = [piece.subarray(walker.open - position)];
      heldBytes = position + piece.length - walker.open;
    } else {
      held?.push(piece);
      heldBytes += piece.length;
    }
    if (heldBytes > heldRecordBytes) held = null;
    position += piece.length;
  }
  const batch = fed(walker.end(), new Uint8Array(0));
  if (batch.length > 0) yield batch;
}

/** An offset at or after which the record starts, at most one chunk off. */
function recordStartBound(index: Located, record: number): number {
  return Math.min(chunkStart(chunkOfRecord(index.chunks, record) + 1), index.bytes);
}
