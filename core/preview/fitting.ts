import { isUtf8 } from 'node:buffer';
import type { ListHead } from '../scan/list-collector.ts';
import { markOddValues } from '../scan/odd-values.ts';

/** How the first k records of a list are written, and how many bytes that takes. */
export interface RecordText {
  /** Whole records that can be written at all. */
  readonly available: number;
  /** Bytes of the first k records with what stands between them. */
  size(k: number): number;
  bytes(k: number): Buffer;
}

/** Most records that fit `room`; their size grows with their number. */
export function fitting(text: RecordText, room: number): number {
  let fits = 0;
  let above = text.available + 1;
  while (above - fits > 1) {
    const middle = (fits + above) >> 1;
    if (text.size(middle) <= room) fits = middle;
    else above = middle;
  }
  return fits;
}

/**
 * The records as they stand, one slice from byte `from` (relative to the list's start) to the k-th record's end. Only where
 * something between must not be shown (a malformed record) or cannot be (NaN, bytes that are not UTF-8), record by
 * record with `separator` between.
 */
export function recordText(head: ListHead, from: number, separator: string): RecordText {
  const { bytes, spans } = head;
  const available = spans.length / 2;
  const shownBytes = available === 0 ? bytes.subarray(0, 0) : bytes.subarray(from, spans.at(-1));
  if (head.odd.size === 0 && head.gaps.size === 0 && isUtf8(shownBytes)) {
    return {
      available,
      size: (k) => (k === 0 ? 0 : (spans[2 * k - 1] as number) - from),
      bytes: (k) => asBuffer(bytes.subarray(from, k === 0 ? from : spans[2 * k - 1])),
    };
  }
  const lead = mended(bytes.subarray(from, Math.max(from, spans[0] ?? from)));
  const keepLead = !head.gaps.has(0);
  const records = Array.from({ length: available }, (_, k) => {
    const record = bytes.subarray(spans[2 * k], spans[2 * k + 1]);
    return mended(head.odd.has(k) ? markOddValues(record) : record);
  });
  const gap = Buffer.from(separator);
  const start = keepLead ? lead.length : 0;
  const sizes: number[] = [0];
  for (const [k, record] of records.entries()) {
    sizes.push((k === 0 ? start : (sizes[k] as number) + gap.length) + record.length);
  }
  return {
    available,
    size: (k) => sizes[k] as number,
    bytes: (k) => {
      const parts: Buffer[] = keepLead && k > 0 ? [lead] : [];
      for (let i = 0; i < k; i++) {
        if (i > 0) parts.push(gap);
        parts.push(records[i] as Buffer);
      }
      return Buffer.concat(parts);
    },
  };
}

/** Bytes that are not UTF-8 as the replacement character, as any reader would show them. */
export function mended(bytes: Uint8Array): Buffer {
  const buffer = asBuffer(bytes);
  return isUtf8(bytes) ? buffer : Buffer.from(buffer.toString());
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Longest prefix of at most `room` bytes that ends between two characters. */
export function characterPrefix(bytes: Uint8Array, room: number): Uint8Array {
  if (bytes.length <= room) return bytes;
  let end = Math.max(0, room);
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
