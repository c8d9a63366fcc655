import { chunkCount } from '../scan/chunk-schedule.ts';
import type { ChunkTable } from '../scan/scan-summary.ts';
import { type ResultIndex, resultFormat } from './result-index.ts';

const newline = 0x0a;
const wordBytes = 4;
const digestBytes = 32;

/**
 * A commit record as it is stored: one line of JSON without the chunk table, then the table's columns for n chunks as
 * bytes: how many records start in each (little-endian 32-bit integers), where the first of them starts (the same, -1:
 * none does), the digests. As JSON text the table of a long result would take longer to parse than the read it is for.
 */
export function encodeIndex(index: ResultIndex): Uint8Array {
  const { chunks, ...facts } = index;
  const count = chunks.firstOffset.length;
  const table = Buffer.allocUnsafe(count * wordBytes * 2);
  for (let i = 0; i < count; i++) {
    const before = chunks.recordsBefore[i] as number;
    table.writeInt32LE((chunks.recordsBefore[i + 1] ?? index.records) - before, i * wordBytes);
    table.writeInt32LE(chunks.firstOffset[i] as number, (count + i) * wordBytes);
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`, 'utf8'), table, chunks.digests]);
}

/** The commit record that the bytes are; undefined when they are none, or of a format from the future. */
export function decodeIndex(bytes: Uint8Array): ResultIndex | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = buffer.indexOf(newline);
  if (end < 0) return undefined;
  const facts = parsed(buffer.toString('utf8', 0, end));
  if (facts === undefined) return undefined;
  const count = chunkCount(facts.bytes);
  const table = bytes.subarray(end + 1);
  if (table.length !== count * (wordBytes * 2 + digestBytes)) return undefined;
  const chunks = chunkTable(table, count, facts.records);
  return chunks === undefined ? undefined : { ...facts, chunks };
}

function parsed(text: string): Omit<ResultIndex, 'chunks'> | undefined {
  try {
    const facts = JSON.parse(text) as Partial<ResultIndex> | null;
    const whole = [facts?.format, facts?.bytes, facts?.records].every((value) => Number.isSafeInteger(value));
    return whole && (facts as ResultIndex).format <= resultFormat ? (facts as ResultIndex) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when the records in the chunks are not as many as the commit record says. */
function chunkTable(table: Uint8Array, count: number, total: number): ChunkTable | undefined {
  const words = new DataView(table.buffer, table.byteOffset, table.length);
  const recordsBefore = new Array<number>(count);
  const firstOffset = new Array<number>(count);
  let records = 0;
  for (let i = 0; i < count; i++) {
    recordsBefore[i] = records;
    records += words.getInt32(i * wordBytes, true);
    firstOffset[i] = words.getInt32((count + i) * wordBytes, true);
  }
  // With no chunk at all there is no place for the records of an empty body.
  if (count > 0 && records !== total) return undefined;
  return { recordsBefore, firstOffset, digests: new Uint8Array(table.subarray(count * wordBytes * 2)) };
}
