import { isUtf8 } from 'node:buffer';
import { answerText, type ReadAnswer, readAnswer } from './answer.ts';
import { coverageOfRead } from './read-coverage.ts';
import type { ReadLimits, ReadSource } from './read-records.ts';
import type { Selection } from './selection.ts';

/**
 * Bytes `[start, end)` of the stored copy as text. Both ends are moved back to whole characters, so consecutive reads
 * by `next_offset` put together are the copy itself. Unit of the coverage: bytes.
 */
export async function readBytes(source: ReadSource, selection: Selection, limits: ReadLimits): Promise<ReadAnswer> {
  const { index, version } = source;
  const { room } = limits;
  const range = selection.bytes ?? { start: 0, end: 0 };
  const wanted = Math.min(range.end, index.bytes);
  const held = await bytesFrom(source, Math.max(0, range.start - 3), Math.min(wanted, range.start + room.bytes) + 3);
  const start = range.start >= index.bytes ? range.start : characterStart(held, range.start);
  const coverage = (end: number, exact: boolean) =>
    coverageOfRead(index, {
      bytes: true,
      offset: start,
      limit: Math.max(0, range.end - start),
      delivered: Math.max(0, end - start),
      projected: start > 0 || end < index.bytes,
      cut: !exact,
      stoppedBy: end < wanted && end < characterStart(held, wanted) ? room.bound : null,
    });
  let end = Math.max(start, characterStart(held, wanted));
  // A range inside one character gives that character.
  if (end === start && wanted > start) end = characterEnd(held, start);
  for (;;) {
    const bytes = held.bytes.subarray(Math.max(0, start - held.from), Math.max(0, end - held.from));
    const exact = isUtf8(bytes);
    const data = JSON.stringify(Buffer.from(bytes).toString('utf8'));
    const facts = coverage(end, exact);
    const over = Buffer.byteLength(answerText(data, facts, version)) - room.bytes;
    if (over <= 0 || end <= start) return readAnswer(data, selection, facts, version, []);
    // Escapes make up to six bytes of one: a proportional step first, then at least what is over.
    const share = (end - start) / Math.max(1, Buffer.byteLength(data));
    end = Math.max(start, characterStart(held, end - Math.max(1, Math.floor(over * Math.min(1, share)))));
  }
}

interface Held {
  readonly from: number;
  readonly bytes: Uint8Array;
}

async function bytesFrom(source: ReadSource, start: number, end: number): Promise<Held> {
  const stop = Math.min(end, source.index.bytes);
  const pieces: Uint8Array[] = [];
  if (start < stop) {
    for await (const chunk of source.body.chunks(start, stop)) {
      pieces.push(chunk.bytes.subarray(Math.max(0, start - chunk.offset), stop - chunk.offset));
      if (chunk.offset + chunk.bytes.length >= stop) break;
    }
  }
  return { from: start, bytes: Buffer.concat(pieces) };
}

/** The start of the character that the byte at `offset` belongs to; `offset` itself where the copy ends. */
function characterStart(held: Held, offset: number): number {
  let at = Math.min(offset, held.from + held.bytes.length);
  for (let back = 0; back < 3 && at > held.from && continues(held.bytes[at - held.from]); back += 1) at -= 1;
  return at;
}

function characterEnd(held: Held, offset: number): number {
  let at = offset + 1;
  while (continues(held.bytes[at - held.from])) at += 1;
  return at;
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
