import { ClaimcheckError } from '../errors.ts';

/** One marked piece of a record that is wider than a page. The pieces in order are the record's own bytes. */
export interface RecordPart {
  readonly part: number;
  readonly of: number;
  readonly text: string;
}

/**
 * Bytes of one part: half of what an answer may hold, since a quote or line feed doubles when it is written inside
 * JSON. Depends on the setting alone, so that all parts of a record are cut alike whoever asks.
 */
export function partBytes(maxBytes: number, envelopeBytes: number): number {
  return Math.max(64, Math.floor((maxBytes - envelopeBytes - 64) / 2));
}

/** Where part `part` of a text of `bytes` bytes stands; ends are moved forward to whole characters by `cutPart`. */
export function partRange(part: number, bytes: number, size: number): { start: number; end: number; of: number } {
  const of = Math.max(1, Math.ceil(bytes / size));
  if (part > of) throw new ClaimcheckError('InvalidInput', `part: this record has ${of} parts, found ${part}`);
  return { start: (part - 1) * size, end: Math.min(part * size, bytes), of };
}

/**
 * The text of a part. `bytes` holds the record from `start` on and up to three bytes beyond the part's end, so that a
 * character over the border goes wholly to the part in which it begins.
 */
export function cutPart(bytes: Uint8Array, length: number, first: boolean): string {
  let from = 0;
  if (!first) while (from < bytes.length && from < 3 && continues(bytes[from])) from += 1;
  let to = Math.min(length, bytes.length);
  while (to < bytes.length && to < length + 3 && continues(bytes[to])) to += 1;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', from, to);
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
