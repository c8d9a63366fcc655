import { createHash } from 'node:crypto';
import { previewCoverage } from '../coverage/compute.ts';
import type { ScanSummary } from '../scan/scan-summary.ts';
import type { ScanOptions } from './keep-result.ts';

/** A scan of the whole text in memory: the list of rows is the first array found. */
export async function plainScan(pieces: AsyncIterable<Uint8Array>, options: ScanOptions): Promise<ScanSummary> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(Buffer.from(piece));
  const body = Buffer.concat(parts);
  const text = body.toString('utf8');
  const list = jsonList(text);
  const rows = list?.rows.map((row) => JSON.stringify(row)) ?? text.split('\n').filter(Boolean);
  let shown = 0;
  let bytes = 2;
  for (const row of rows) {
    bytes += Buffer.byteLength(row, 'utf8') + 1;
    if (bytes > options.previewBytes) break;
    shown += 1;
  }
  const complete = body.length <= options.previewBytes;
  const head = rows.slice(0, shown);
  const preview = complete ? text : list === undefined ? head.join('\n') : `[${head.join(',')}]`;
  const unit = list === undefined ? 'lines' : 'records';
  const facts = { unit, total: rows.length, shown: complete ? rows.length : shown, complete } as const;
  return {
    kind: list === undefined ? 'text' : 'json',
    path: list?.path ?? '',
    unit,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    records: rows.length,
    otherLists: [],
    parseLoss: null,
    table: null,
    fields: Object.keys((list?.rows[0] ?? {}) as object),
    upstream: null,
    chunks: { recordsBefore: [], firstOffset: [], digests: '' },
    preview: { text: preview, bytes: Buffer.byteLength(preview), shown: facts.shown, complete, shortened: false },
    coverage: previewCoverage({ ...facts, storage: 'stored' }),
    profile: null,
  };
}

function jsonList(text: string): { readonly path: string; readonly rows: readonly unknown[] } | undefined {
  try {
    return find(JSON.parse(text), '');
  } catch {
    return undefined;
  }
}

function find(value: unknown, path: string): { readonly path: string; readonly rows: readonly unknown[] } | undefined {
  if (Array.isArray(value)) return { path, rows: value };
  if (typeof value !== 'object' || value === null) return undefined;
  const found = Object.entries(value).map(([key, inner]) => find(inner, path === '' ? key : `${path}.${key}`));
  return found.filter((one) => one !== undefined).sort((left, right) => right.rows.length - left.rows.length)[0];
}
