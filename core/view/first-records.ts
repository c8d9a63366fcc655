import { ClaimcheckError } from '../errors.ts';
import type { ViewTable } from '../http/responses.ts';
import { VerifiedBody } from '../read/verified-body.ts';
import { chunkStart } from '../scan/chunk-schedule.ts';
import { CsvRows, csvFields } from '../scan/csv-rows.ts';
import type { ResultIndex } from '../store/result-index.ts';
import { elements, members } from './json-members.ts';

/** Rows and columns of the table, and characters of one cell: what a page can show, far below the gateway's limit. */
export const viewLimits = { rows: 50, columns: 60, cell: 300, bytes: 1024 * 1024, textBytes: 16 * 1024 } as const;

export interface FirstRecords {
  readonly table: ViewTable | null;
  readonly text: string | null;
}

/**
 * The first whole records of a stored result, as a table: only records that were read whole and whose chunk matched its
 * digest. Texts give their first lines. Throws `StorageUnavailable` for a damaged copy, `NotFound` for one that is gone.
 */
export async function firstRecords(
  index: ResultIndex,
  range: (start: number, end: number) => Promise<Uint8Array | undefined>,
): Promise<FirstRecords> {
  const limit = index.kind === 'text' ? viewLimits.textBytes : viewLimits.bytes;
  const start = startOf(index);
  const whole = index.bytes <= start + limit;
  const bytes = start < 0 ? Buffer.alloc(0) : await firstBytes(index, start, limit, range);
  if (index.kind === 'text') return { table: null, text: wholeLines(bytes, whole) };
  if (index.kind === 'csv' || index.kind === 'tsv') return { table: delimitedTable(index, bytes, whole), text: null };
  const text = bytes.toString('utf8');
  // A document without a list of rows is itself the one record.
  const records = index.kind === 'json' && index.path === null ? [whole ? text.trim() : ''] : elements(text);
  return { table: recordTable(records, index.records), text: null };
}

/** Where the first record begins, from the commit record; -1 when there is none. */
function startOf(index: ResultIndex): number {
  if (index.kind === 'json' && index.path === null) return 0;
  if (index.kind === 'csv' || index.kind === 'tsv') return index.table?.dataOffset ?? 0;
  if (index.kind !== 'json') return 0;
  const chunk = index.chunks.firstOffset.findIndex((offset) => offset >= 0);
  return chunk < 0 ? -1 : chunkStart(chunk) + (index.chunks.firstOffset[chunk] ?? 0);
}

async function firstBytes(
  index: ResultIndex,
  start: number,
  limit: number,
  range: (start: number, end: number) => Promise<Uint8Array | undefined>,
): Promise<Buffer> {
  const body = new VerifiedBody(
    index,
    {
      range,
      whole: async () => {
        throw new Error('view: reads ranges only');
      },
    },
    () => new ClaimcheckError('NotFound', 'Not found.'),
  );
  const end = Math.min(index.bytes, start + limit);
  const parts: Uint8Array[] = [];
  for await (const chunk of body.chunks(start, end)) {
    parts.push(chunk.bytes.subarray(Math.max(0, start - chunk.offset), Math.max(0, end - chunk.offset)));
    // What is not pulled is not fetched.
    if (chunk.offset + chunk.bytes.length >= end) break;
  }
  return Buffer.concat(parts);
}

function recordTable(records: Iterable<string>, total: number): ViewTable {
  const rows: ReadonlyMap<string, string>[] = [];
  const columns = new Set<string>();
  for (const record of records) {
    if (record === '') continue;
    // Records that are no objects have one column without a name of its own.
    const cells = new Map(record.startsWith('{') ? members(record) : [['value', record] as const]);
    for (const key of cells.keys()) columns.add(key);
    rows.push(cells);
    if (rows.length === viewLimits.rows) break;
  }
  return tableOf(
    [...columns],
    rows.map((row) => (column) => row.get(column)),
    total,
  );
}

function delimitedTable(index: ResultIndex, bytes: Buffer, whole: boolean): ViewTable {
  const { header, delimiter } = index.table ?? { header: [], delimiter: ',' };
  const rows: (readonly string[])[] = [];
  let rowStart = 0;
  const finder = new CsvRows(
    {
      rowStart: (at) => {
        rowStart = at;
      },
      rowEnd: (end) => {
        if (rows.length < viewLimits.rows) rows.push(csvFields(bytes.subarray(rowStart, end), delimiter));
      },
    },
    delimiter.charCodeAt(0),
    0,
  );
  finder.write(bytes, 0, bytes.length);
  if (whole) finder.end();
  const columns = header.length > 0 ? header : (rows[0] ?? []).map((_, position) => `column ${position + 1}`);
  const cells = rows.map((row) => {
    const byName = new Map(columns.map((name, position) => [name, row[position]] as const));
    return (column: string) => {
      const value = byName.get(column);
      return value === undefined ? undefined : JSON.stringify(value);
    };
  });
  return tableOf(columns, cells, index.records);
}

function tableOf(
  columns: readonly string[],
  rows: readonly ((column: string) => string | undefined)[],
  total: number,
): ViewTable {
  const shown = columns.slice(0, viewLimits.columns);
  return {
    columns: shown,
    rows: rows.map((cell) => shown.map((column) => shortened(cell(column)))),
    shown: rows.length,
    total,
    columns_left_out: columns.length - shown.length,
  };
}

/** A long value is shown by its beginning, as a text that says so; the download has it whole. */
function shortened(json: string | undefined): string | null {
  if (json === undefined) return null;
  if (json.length <= viewLimits.cell) return json;
  const text = json.startsWith('"') ? (JSON.parse(json) as string) : json;
  return JSON.stringify(
    `${Array.from(text.slice(0, viewLimits.cell)).slice(0, -1).join('')}… (${text.length} characters)`,
  );
}

/** Whole lines only, unless there is but one. */
function wholeLines(bytes: Buffer, whole: boolean): string {
  const end = whole ? bytes.length : bytes.lastIndexOf(0x0a) + 1 || bytes.length;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
