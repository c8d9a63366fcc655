import { isUtf8 } from 'node:buffer';
import { ClaimcheckError } from '../errors.ts';
import { FieldPicker } from './field-picker.ts';
import type { ReadSource } from './read-records.ts';
import { type FedRecord, heldRecordBytes } from './record-feed.ts';
import { cutPart, partBytes, partRange } from './record-part.ts';
import { recordWriter } from './record-text.ts';
import type { Selection } from './selection.ts';

/** One part of a record, or the whole of it when it has only one. */
export interface WideRecord {
  readonly part: number;
  readonly of: number;
  readonly text: string;
  readonly exact: boolean;
}

/** A character has at most four bytes: this many more show where the one over a part's end ends. */
const borderBytes = 3;

/**
 * The part of a record that the selection asks for, the first by default. Without fields it is read straight from its
 * place in the copy, however wide the record is; with fields the picked values are held, the record is not.
 */
export async function readWide(
  record: FedRecord,
  source: ReadSource,
  selection: Selection,
  maxBytes: number,
  envelopeBytes: number,
): Promise<WideRecord> {
  const size = partBytes(maxBytes, envelopeReserve(envelopeBytes));
  const fits = maxBytes - envelopeBytes;
  const part = selection.part ?? 1;
  if (selection.fields === null && record.bytes === null) {
    const range = partRange(part, record.end - record.start, size);
    const from = record.start + range.start;
    const bytes = await slice(source, from, Math.min(record.start + range.end + borderBytes, record.end));
    const text = cutPart(bytes, range.end - range.start, part === 1);
    return { part, of: range.of, text, exact: isUtf8(Buffer.from(text)) };
  }
  const text = selection.fields === null ? ownText(record, source) : await pickedText(record, source, selection.fields);
  if (text.bytes.length <= fits && part === 1)
    return { part, of: 1, text: text.bytes.toString('utf8'), exact: text.exact };
  const range = partRange(part, text.bytes.length, size);
  const piece = text.bytes.subarray(range.start, Math.min(range.end + borderBytes, text.bytes.length));
  return { part, of: range.of, text: cutPart(piece, range.end - range.start, part === 1), exact: text.exact };
}

/** Envelopes differ by some digits between the parts of one record; the cut must not. */
function envelopeReserve(envelopeBytes: number): number {
  return Math.ceil((envelopeBytes + 256) / 1024) * 1024;
}

function ownText(record: FedRecord, source: ReadSource): { bytes: Buffer; exact: boolean } {
  const bytes = record.bytes as Uint8Array;
  if (source.index.table === null)
    return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), exact: isUtf8(bytes) };
  const { text, exact } = recordWriter(source.index, null).write(bytes);
  return { bytes: Buffer.from(text), exact };
}

async function pickedText(
  record: FedRecord,
  source: ReadSource,
  fields: readonly string[],
): Promise<{ bytes: Buffer; exact: boolean }> {
  if (record.bytes !== null) {
    const { text, exact } = recordWriter(source.index, fields).write(record.bytes);
    return { bytes: Buffer.from(text), exact };
  }
  if (source.index.table !== null) throw tooWide();
  const picker = new FieldPicker(fields, heldRecordBytes);
  picker.begin();
  for await (const chunk of source.body.chunks(record.start, record.end)) {
    const from = Math.max(0, record.start - chunk.offset);
    const to = Math.min(chunk.bytes.length, record.end - chunk.offset);
    picker.write(chunk.bytes, from, to);
    if (chunk.offset + to >= record.end) break;
  }
  if (picker.overflow) throw tooWide();
  const bytes = picker.end();
  return { bytes, exact: isUtf8(bytes) };
}

async function slice(source: ReadSource, start: number, end: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of source.body.chunks(start, end)) {
    pieces.push(chunk.bytes.subarray(Math.max(0, start - chunk.offset), end - chunk.offset));
    if (chunk.offset + chunk.bytes.length >= end) break;
  }
  return Buffer.concat(pieces);
}

function tooWide(): ClaimcheckError {
  return new ClaimcheckError(
    'SelectionTooLarge',
    `fields: the picked values of this one record are over ${heldRecordBytes} bytes; pick smaller ones, or read parts`,
  );
}
