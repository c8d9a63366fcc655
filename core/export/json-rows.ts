import { ClaimcheckError } from '../errors.ts';
import { walkRecords } from '../scan/record-walker.ts';
import type { ScanSummary } from '../scan/scan-summary.ts';
import { members } from '../view/json-members.ts';
import { JsonText } from './json-text.ts';
import type { Row } from './row-value.ts';

const rowsPerBatch = 128;
/** Widest record that is held to be written as one row. */
const maxRecordBytes = 64 * 1024 * 1024;

/**
 * The rows of a JSON or NDJSON body, in batches, as the scan found its list. Numbers keep their own digits. Throws
 * `OversizeResult` for a record that is too wide for one row.
 */
export async function* jsonRows(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  found: Pick<ScanSummary, 'kind' | 'path' | 'table' | 'chunks' | 'records' | 'bytes'>,
): AsyncGenerator<readonly unknown[]> {
  let batch: unknown[] = [];
  for await (const record of walkRecords(body, found, { maxRecordBytes })) {
    if (!(record instanceof Uint8Array)) {
      throw new ClaimcheckError('OversizeResult', `record ${batch.length}: too wide for one row`, {
        seenBytes: record.wideBytes,
        maxBytes: maxRecordBytes,
      });
    }
    batch.push(jsonRow(Buffer.from(record.buffer, record.byteOffset, record.length).toString('utf8')));
    if (batch.length === rowsPerBatch) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * One record as a row. Parsing loses digits that a double does not hold; a record that is written back to the very same
 * text has lost nothing. Of a repeated key the last value counts.
 */
export function jsonRow(record: string): unknown {
  const parsed: unknown = JSON.parse(record);
  if (JSON.stringify(parsed) === record) return parsed;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return exact(record.trim(), parsed);
  // Without a prototype: `__proto__` and `constructor` are columns like any other.
  const row = Object.create(null) as Record<string, unknown>;
  for (const [key, text] of members(record.trimStart())) row[key] = exact(text, (parsed as Row)[key]);
  return row;
}

function exact(text: string, value: unknown): unknown {
  if (typeof value === 'number') return String(value) === text ? value : new JsonText(text);
  return typeof value === 'object' && value !== null ? new JsonText(compact(text)) : value;
}

/** JSON text on one line: white space outside strings goes, every digit stays. */
function compact(text: string): string {
  return text.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\r\n]+/g, (_, quoted?: string) => quoted ?? '');
}
