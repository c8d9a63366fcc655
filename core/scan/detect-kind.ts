import type { BodyOptions, BodyScan } from './body-scan.ts';
import { detectCsv } from './csv-header.ts';
import { CsvScan } from './csv-scan.ts';
import { JsonScan } from './json-scan.ts';
import { LineScan } from './line-scan.ts';
import { NdjsonScan } from './ndjson-scan.ts';
import type { RecordSink } from './record-sink.ts';
import type { ResultKind } from './scan-summary.ts';

/** Bytes of a body's head that its kind is told by. */
export const detectionBytes = 64 * 1024;

export interface KindOptions {
  readonly headBytes: number;
  readonly maxRecordBytes: number;
  readonly inHand?: Uint8Array | undefined;
  /** The body is NDJSON, whatever it looks like: one row, or none, is no document. */
  readonly lines?: boolean | undefined;
  /** Makes a profile for a list of records; null: none is wanted. Lines of text have no columns. */
  readonly jsonSink: (() => RecordSink) | null;
  readonly csvSink: ((delimiter: string, header: readonly string[]) => RecordSink) | null;
}

/** A scan that has taken the head already. */
export interface StartedScan {
  readonly kind: ResultKind;
  readonly scan: BodyScan;
}

/** Bytes of the UTF-8 byte-order mark that a body starts with: no part of any record, but counted in offsets. */
export function bomLength(head: Uint8Array): number {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}

/** Tells the kind of a body by its head (the whole body when `atEnd`) and starts the scan of that kind on it. */
export function startScan(head: Uint8Array, atEnd: boolean, options: KindOptions): StartedScan {
  const from = bomLength(head);
  const base = from;
  const body: BodyOptions = { ...options, sink: options.jsonSink };
  if (options.lines === true) {
    const lines = new NdjsonScan(body, base, null);
    lines.write(head, from, head.length);
    return { kind: 'ndjson', scan: lines.settled() };
  }
  if (mayBeJson(head, from)) {
    const json = new JsonScan(body, base);
    json.write(head, from, head.length);
    const verdict = json.verdict(atEnd);
    if (verdict === 'json') return { kind: 'json', scan: json.settled() };
    if (verdict === 'lines') {
      const lines = new NdjsonScan(body, base, null);
      lines.write(head, from, head.length);
      if (lines.convincing(atEnd)) return { kind: 'ndjson', scan: lines.settled() };
    }
  }
  const table = detectCsv(head, from, atEnd);
  if (table !== null) {
    const { csvSink } = options;
    const sink = csvSink === null ? null : () => csvSink(table.delimiter, table.header);
    const rows = new CsvScan({ ...options, sink }, base, table);
    rows.write(head, from, head.length);
    return { kind: table.delimiter === '\t' ? 'tsv' : 'csv', scan: rows };
  }
  const text = new LineScan({ ...options, sink: null }, base);
  text.write(head, from, head.length);
  return { kind: 'text', scan: text };
}

function mayBeJson(head: Uint8Array, from: number): boolean {
  for (let i = from; i < head.length; i++) {
    const c = head[i] as number;
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) continue;
    return '{["-0123456789tfnNI'.includes(String.fromCharCode(c));
  }
  return false;
}
