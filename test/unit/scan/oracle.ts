import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { chunkCount } from '../../../core/scan/chunk-schedule.ts';
import { locateRecord } from '../../../core/scan/record-locator.ts';
import { RecordWalker, walkRecords } from '../../../core/scan/record-walker.ts';
import { ResultScanner, type ScanOptions } from '../../../core/scan/result-scanner.ts';
import type { ScanSummary } from '../../../core/scan/scan-summary.ts';

/** What a plain recursive reading of the whole parsed value says about its list of rows. */
export interface Expected {
  readonly path: string | null;
  readonly rows: readonly unknown[];
}

/** The rule of the list of rows, told naively. `text` must be what `JSON.stringify` makes of the value. */
export function expectedList(value: unknown): Expected {
  if (Array.isArray(value)) return { path: '', rows: value };
  let level: { value: unknown; path: string }[] = [{ value, path: '' }];
  while (level.length > 0) {
    let best: { bytes: number; path: string; rows: unknown[] } | null = null;
    const next: typeof level = [];
    for (const at of level) {
      if (Array.isArray(at.value)) {
        if (at.value.length >= 2) {
          const bytes = Buffer.byteLength(JSON.stringify(at.value));
          if (best === null || bytes > best.bytes) best = { bytes, path: at.path, rows: at.value };
        } else at.value.forEach((element, i) => void next.push({ value: element, path: `${at.path}[${i}]` }));
      } else if (typeof at.value === 'object' && at.value !== null) {
        for (const [key, member] of Object.entries(at.value)) next.push({ value: member, path: step(at.path, key) });
      }
    }
    if (best !== null) return best;
    level = next;
  }
  return { path: null, rows: [value] };
}

function step(path: string, key: string): string {
  if (!/^[^\s.[\]"'\\\p{C}]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Follows a path of `ScanSummary.path`. */
export function follow(value: unknown, path: string): unknown {
  let at = value;
  for (const match of path.matchAll(/\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|([^.[\]]+)/g)) {
    const key = match[1] !== undefined ? (JSON.parse(match[1]) as string) : (match[2] ?? (match[3] as string));
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Cuts bytes at random; `sizes` are used in turn. */
export function pieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const out: Uint8Array[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? bytes.length);
    // A copy that is overwritten later would show any use of a piece after its turn.
    out.push(new Uint8Array(bytes.subarray(at, at + size)));
    at += size;
  }
  return out;
}

export function scanPieces(bytes: Uint8Array, sizes: readonly number[], options: ScanOptions): ScanSummary {
  const scanner = new ResultScanner(options);
  for (const piece of pieces(bytes, sizes)) {
    scanner.write(piece);
    piece.fill(0x5d);
  }
  return scanner.end();
}

/** Throws when a preview of a JSON value breaks one of the rules that hold for every budget. */
export function checkJsonPreview(summary: ScanSummary, value: unknown, budget: number): void {
  const { preview } = summary;
  const size = Buffer.byteLength(preview.text);
  if (size !== preview.bytes) throw new Error(`preview says ${preview.bytes} bytes, has ${size}`);
  if (size > budget) throw new Error(`preview has ${size} bytes, budget ${budget}`);
  if (size > summary.bytes) throw new Error(`preview has ${size} bytes, the result ${summary.bytes}`);
  if (budget < 2) return;
  const shown: unknown = JSON.parse(preview.text);
  if (preview.complete && !isDeepStrictEqual(shown, value)) throw new Error('complete, but not the value');
  if (budget >= summary.bytes && !preview.complete) throw new Error('a full budget is not the full value');
  // A path too long to tell leads nowhere.
  if (preview.shown === 0 || summary.path === null || summary.path.endsWith('…')) return;
  const rows = follow(shown, summary.path) as unknown[];
  const original = follow(value, summary.path) as unknown[];
  if (!Array.isArray(rows) || rows.length !== preview.shown) throw new Error(`shown ${preview.shown}, found another`);
  if (!isDeepStrictEqual(rows, original.slice(0, rows.length))) throw new Error('records differ from the first k');
}

/** Throws unless every record is found through the index, singly and in one walk, and every digest is right. */
export async function checkIndex(bytes: Uint8Array, summary: ScanSummary, records: readonly unknown[]): Promise<void> {
  const { chunks } = summary;
  const expected = chunkCount(bytes.length);
  if (chunks.recordsBefore.length !== expected || chunks.firstOffset.length !== expected) throw new Error('table size');
  if (chunks.digests.length !== expected * 32) throw new Error('digests size');
  if (createHash('sha256').update(bytes).digest('hex') !== summary.sha256) throw new Error('sha256');
  let number = 0;
  const parse = (record: Uint8Array) => JSON.parse(Buffer.from(record).toString()) as unknown;
  for await (const record of walkRecords(pieces(bytes, [1000, 7, 70_000]), summary, { maxRecordBytes: 1e9 })) {
    if (!(record instanceof Uint8Array) || !isDeepStrictEqual(parse(record), records[number]))
      throw new Error(`walk ${number}`);
    number += 1;
  }
  if (number !== records.length) throw new Error(`walked ${number} of ${records.length}`);
  const step = Math.max(1, Math.floor(records.length / 50));
  for (let n = 0; n < records.length; n += step) {
    const place = locateRecord(summary, n);
    if (place === null) throw new Error(`no place for ${n}`);
    const found: unknown[] = [];
    const walker = new RecordWalker(
      summary,
      place.recordStart,
      {
        record: (b, start, end) => void found.push(parse(b.subarray(start, end))),
        wide: () => void found.push('wide'),
      },
      1e9,
    );
    walker.write(bytes.subarray(place.recordStart, place.end));
    if (place.end === bytes.length) walker.end();
    if (!isDeepStrictEqual(found[place.skip], records[n])) throw new Error(`record ${n} not found`);
  }
  if (locateRecord(summary, records.length) !== null) throw new Error('a place past the end');
}
