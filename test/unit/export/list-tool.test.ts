import { exportFromTool } from '../../../aws/export-from-tool.ts';
import type { WrapperAnswer } from '../../../aws/tool-wrapper.ts';
import type { RowSource } from '../../../core/export/export-rows.ts';
import { exportWarnings } from '../../../core/export/list-export.ts';
import { contentBytes } from '../../../core/store/content-size.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import { recallResult } from '../../../core/store/keep-stored.ts';
import type { Kept } from '../../../core/store/keeping.ts';
import type { ToolContext } from '../../../core/tool/tool-definition.ts';
import { MemoryExportStore } from '../../fakes/memory-export-store.ts';
import { MemoryResultStore } from '../../fakes/memory-result-store.ts';
import { rowsTool, run, runId, runWorld, session } from '../../fakes/run-world.ts';
import { ref, request, resultId } from '../store/keep-request.ts';
import { lines, parsed } from './exported.ts';

const tool = { ...rowsTool, intake: 'wrapper' as const, exports: true };
const context: ToolContext = {
  runId,
  turn: 1,
  index: 0,
  toolUseId: 'use-1',
  tool: 'rows',
  owner: run.owner,
  session,
  roles: ['analyst'],
  deadline: new Date(Date.now() + 60_000).toISOString(),
  resultId,
  availableUntil: '2026-12-30T12:00:00.000Z',
};
const made = (count: number, total: number | null = count): RowSource => ({
  rows: Array.from({ length: count }, (_, id) => ({
    id,
    text: id === count - 1 ? '=1+1' : `row ${id}`,
    ...(total === null ? {} : { n: String(total) }),
  })),
  ...(total === null ? {} : { totalColumn: 'n' }),
});
const key = `${run.owner}/${resultId}`;

interface World {
  readonly answer: WrapperAnswer;
  readonly kept: Kept;
  readonly payload: Record<string, unknown>;
  readonly ports: Awaited<ReturnType<typeof runWorld>> & { readonly exports: MemoryExportStore };
}

async function listed(
  source: RowSource,
  change: (stores: { bodies: MemoryResultStore; exports: MemoryExportStore }) => void = () => {},
  view = {},
): Promise<World> {
  const world = await runWorld({ tools: [tool] });
  const exports = new MemoryExportStore();
  const ports = { ...world, exports };
  change({ bodies: ports.store, exports });
  const answer = await exportFromTool(context, source, {
    bodies: ports.store,
    exports,
    inlineBytes: 24_576,
    maxBytes: 1e9,
    fileName: 'rows',
    ...view,
  });
  const { stored, ...result } = answer;
  const kept = await keepResult(
    request({ tool, result, ...(stored === undefined ? {} : { reported: stored }) }),
    ports,
  );
  const [first] = kept.content;
  const payload = first !== undefined && 'text' in first && first.text.startsWith('{') ? JSON.parse(first.text) : {};
  return { answer, kept, payload, ports };
}

test.each([
  ['below', 30, 100, true],
  ['at', 100, 100, false],
  ['above', 100, 100, false],
])('limit %s the matches: %i of %i rows', async (_name, rows, total, truncated) => {
  const { payload, kept, ports } = await listed(made(rows, total));
  expect(payload).toMatchObject({
    ref,
    download_url: `${ports.baseUrl}/exports/${resultId}`,
    total_matching: total,
    rows_exported: rows,
    rows_inline: rows,
    truncated,
    inline_truncated: false,
    available_until: '2026-12-30T12:00:00.000Z',
  });
  expect(Object.keys(payload)).toEqual([
    'download_url',
    'ref',
    'total_matching',
    'rows_exported',
    'rows_inline',
    'truncated',
    'inline_truncated',
    'available_until',
    'profile',
    'data',
  ]);
  expect(kept.content.at(-1)).toMatchObject({
    json: {
      data_reference: {
        ref,
        records: rows,
        coverage: truncated ? { reasons: ['upstream_partial'], upstream_total: total } : { input_complete: true },
      },
    },
  });
});

test('no match: true total, an empty list and a file of its header', async () => {
  const { payload, ports } = await listed({ rows: [], columns: ['id', 'text'], totalColumn: 'n', total: () => 0 });
  expect(payload).toMatchObject({
    total_matching: 0,
    rows_exported: 0,
    rows_inline: 0,
    truncated: false,
    inline_truncated: false,
    data: [],
  });
  expect(ports.exports.files.get(key)?.content.toString()).toBe('\ufeffid,text\r\n');
});

test('many rows: inline rows are a prefix within the budget, both files hold the tail, and the catalogue knows the CSV', async () => {
  const { payload, kept, ports } = await listed(made(20_000, 48_211));
  const data = payload['data'] as { id: number }[];
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  expect(data.length).toBeGreaterThan(50);
  expect(data.map(({ id }) => id)).toEqual(data.map((_, at) => at));
  expect(payload).toMatchObject({
    rows_inline: data.length,
    inline_truncated: true,
    truncated: true,
    total_matching: 48_211,
  });
  expect((payload['profile'] as { records: number }).records).toBe(20_000);
  const csv = parsed(ports.exports.files.get(key)?.content.toString() ?? '');
  expect(csv.at(-1)).toEqual(['19999', "'=1+1"]);
  const typed = lines([...ports.store.bodies.values()][0]?.content.toString() ?? '');
  expect(typed).toHaveLength(20_000);
  expect(typed.at(-1)).toEqual({ id: 19_999, text: '=1+1' });
  expect([...ports.catalogue.entries.values()]).toMatchObject([
    { ref, exportId: resultId, records: 20_000, fileName: 'rows.ndjson' },
  ]);
  expect(ports.exports.files.get(key)?.metadata).toMatchObject({ tools: ['rows'], runId, fileName: 'rows.csv' });
});

test('a source that names no total gives null, never the number exported', async () => {
  const { payload } = await listed(made(10, null));
  expect(payload).toMatchObject({ total_matching: null, truncated: null, rows_exported: 10 });
});

test.each([
  ['the CSV is refused', ({ exports }: { exports: MemoryExportStore }) => exports.failing.add('putCsv')],
  ['the typed copy is refused', ({ bodies }: { bodies: MemoryResultStore }) => bodies.failing.add('putBody')],
  ['the CSV cannot be confirmed', ({ exports }: { exports: MemoryExportStore }) => exports.failing.add('headCsv')],
  ['the typed copy cannot be confirmed', ({ bodies }: { bodies: MemoryResultStore }) => bodies.failing.add('headBody')],
  ['the index is refused', ({ bodies }: { bodies: MemoryResultStore }) => bodies.failing.add('putIndex')],
])('%s: no reference, the rows read still come and say that nothing was kept', async (_name, fail) => {
  const { payload, kept, ports } = await listed(made(20_000, 48_211), (stores) => void fail(stores as never));
  expect(kept).toMatchObject({ status: 'success', stored: null });
  expect(payload).toMatchObject({
    download_url: null,
    ref: null,
    available_until: null,
    rows_exported: 0,
    total_matching: 48_211,
    truncated: true,
    inline_truncated: true,
  });
  expect(payload['warnings']).toEqual([expect.stringContaining('nothing was kept')]);
  expect((payload['data'] as unknown[]).slice(0, 2)).toEqual([
    { id: 0, text: 'row 0' },
    { id: 1, text: 'row 1' },
  ]);
  expect(JSON.stringify(kept.content)).not.toContain(resultId);
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  expect(ports.store.indexes.size + ports.catalogue.entries.size).toBe(0);
});

test('when one file fails the other is given up: no CSV stands without its typed copy', async () => {
  const { ports } = await listed(made(20_000), ({ bodies }) => bodies.failing.add('putBody'));
  expect(ports.exports.files.size).toBe(0);
  expect(ports.exports.aborted).toBe(1);
});

test('objects of another call do not count', async () => {
  const world = await runWorld({ tools: [tool] });
  const exports = new MemoryExportStore();
  const other = { ...context, turn: 7 };
  const { stored } = await exportFromTool(other, made(10), {
    bodies: world.store,
    exports,
    inlineBytes: 1_000,
    maxBytes: 1e9,
    fileName: 'rows',
  });
  const kept = await keepResult(
    request({ tool, result: { status: 'success', content: [{ text: '[]' }] }, reported: stored }),
    { ...world, exports },
  );
  expect(kept.stored).toBeNull();
});

test('no owner, no export: a clear error, and nothing is written', async () => {
  for (const owner of ['', undefined, 'a/b', '../x']) {
    const bodies = new MemoryResultStore();
    const exports = new MemoryExportStore();
    const options = { bodies, exports, inlineBytes: 1_000, maxBytes: 1e9, fileName: 'rows' };
    await expect(exportFromTool({ ...context, owner } as ToolContext, made(3), options)).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('owner'),
    });
    expect(bodies.calls.length + exports.files.size).toBe(0);
  }
});

test('a list above the storage limit is an error with what was seen, and no part stands as if it were whole', async () => {
  const bodies = new MemoryResultStore();
  const exports = new MemoryExportStore();
  const answer = await exportFromTool(context, made(50_000), {
    bodies,
    exports,
    inlineBytes: 10_000,
    maxBytes: 100_000,
    fileName: 'rows',
  });
  expect(answer).toMatchObject({ status: 'error', content: [{ text: expect.stringContaining('OversizeResult') }] });
  expect(answer.stored).toBeUndefined();
  expect(exports.files.size).toBe(0);
});

test('fields that a role does not keep reach neither file, nor the profile, nor the rows shown', async () => {
  const { payload, ports } = await listed(made(3_000, 4_000), () => {}, { view: { analyst: ['id'] } });
  expect(payload).toMatchObject({ total_matching: 4_000, rows_exported: 3_000 });
  const files = ports.exports.files.get(key)?.content.toString() ?? '';
  expect(files.startsWith('\ufeffid\r\n0\r\n')).toBe(true);
  for (const text of [files, JSON.stringify(payload), [...ports.store.bodies.values()][0]?.content.toString() ?? '']) {
    expect(text).not.toContain('row 1');
  }
});

test('an attempt whose answer was lost is found again, with its file', async () => {
  const { ports } = await listed(made(50));
  const kept = await recallResult(request({ tool, result: { status: 'success', content: [] } }), ports);
  expect(kept?.stored).toMatchObject({ ref, records: 50 });
  expect(JSON.stringify(kept?.content[0])).toContain(`/exports/${resultId}`);
});

const items = [
  { id: 7, name: 'inner' },
  { id: 8, name: 'inner too' },
];

test('a single row that holds a list of its own is one row, as it is for any other number', async () => {
  const { payload, kept } = await listed({ rows: [{ id: 1, items }], columns: ['id', 'items'], total: () => 1 });
  expect(payload).toMatchObject({
    rows_exported: 1,
    rows_inline: 1,
    truncated: false,
    inline_truncated: false,
    data: [{ id: 1, items }],
  });
  expect(kept).toMatchObject({ stored: { records: 1 }, oversize: false });
});

test('a view holds for a single row as for many: what is not kept is gone, lists inside it too', async () => {
  for (const count of [1, 2]) {
    const rows = Array.from({ length: count }, (_, id) => ({ id, items, secret: 's' }));
    const { payload, ports } = await listed({ rows }, () => {}, { view: { analyst: ['id'] } });
    expect(payload['data']).toEqual(rows.map(({ id }) => ({ id })));
    expect(ports.exports.files.get(key)?.content.toString()).not.toMatch(/items|secret|inner/);
  }
});

test('an empty list is no document either', async () => {
  const { kept } = await listed({ rows: [], columns: ['id'], total: () => 0 });
  expect(kept.stored).toMatchObject({ records: 0, unit: 'records' });
});

test('a list of more rows than a spreadsheet opens is warned of', () => {
  expect(exportWarnings(1_048_575, 0)).toEqual([]);
  expect(exportWarnings(1_048_576, 2)).toEqual([
    expect.stringContaining('2 cells are'),
    expect.stringContaining('1,048,576 rows'),
  ]);
});
