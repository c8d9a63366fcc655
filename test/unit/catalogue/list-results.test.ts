import { randomBytes } from 'node:crypto';
import type { CatalogueEntry } from '../../../core/catalogue/catalogue.ts';
import { listResults } from '../../../core/catalogue/list-results.ts';
import { recordRefreshFailure } from '../../../core/catalogue/versions.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import type { Run } from '../../../core/run/run.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { type ToolDefinition, toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts';
import { ada, aSession, entryOf, indexOf } from '../../fakes/stored-result.ts';

const secret = randomBytes(32);
const index = indexOf(Buffer.from('[{"id":1,"name":"CONTENT-9f"}]'));
const tool = (name: string, roles: string[]) => ({ name, roles }) as unknown as ToolDefinition;
const run = {
  runId: '2'.repeat(32),
  owner: ada,
  session: aSession,
  roles: ['clerk'],
  admittedReferences: [],
} as unknown as Run;
const id = (n: number) => n.toString(16).padStart(32, '0');
const entry = (n: number, change: Partial<CatalogueEntry> = {}): CatalogueEntry =>
  entryOf(index, {
    ref: `${aSession}/${id(n)}`,
    acquiredAt: new Date(Date.UTC(2026, 4, 1, 0, 0, n)).toISOString(),
    ...change,
  });

function ports(entries: readonly CatalogueEntry[], granted: readonly string[] = [], maxBytes = 16 * 1024) {
  return {
    catalogue: new MemoryCatalogue(entries),
    grants: { all: async () => granted.map((ref) => ({ ref, via: 'hand-off' as const, grantedAt: '' })) },
    tools: toolCatalogue([tool('listing', ['clerk']), tool('salaries', ['payroll'])]),
    settings: { ...defaultSettings, list: { maxBytes } },
    secret,
    clock: { now: () => new Date('2026-06-01T00:00:00Z') },
  };
}

test.each([
  [
    'field names of control characters',
    { fields: Array.from({ length: 60 }, (_, n) => `${n}${'\u0001'.repeat(120)}`) },
  ],
  ['field names of another script', { fields: Array.from({ length: 200 }, (_, n) => `${n}${'漢'.repeat(120)}`) }],
  ['one absurd field name', { fields: ['x'.repeat(100_000), 'id'] }],
  ['an absurd file name', { fileName: 'y'.repeat(50_000) }],
])('one result with %s does not take the catalogue away', async (_name, change) => {
  const entries = [entry(1), entry(2, change), entry(3)];
  const { text, total } = await listResults(run, {}, ports(entries));
  const rows = JSON.parse(text).results as { ref: string; fields: string[]; fields_left_out?: number }[];
  expect([rows.length, total]).toEqual([3, 3]);
  const odd = rows.find(({ ref }) => ref === entries[1]?.ref);
  expect((odd?.fields.length ?? 0) + (odd?.fields_left_out ?? 0)).toBe(entries[1]?.fields.length);
});

test('every row once, newest first, each page under its cap, never content', async () => {
  const entries = Array.from({ length: 300 }, (_, n) => entry(n));
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listResults(run, { cursor }, ports(entries));
    expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(16 * 1024);
    expect(page.text).not.toContain('CONTENT-9f');
    const parsed = JSON.parse(page.text);
    seen.push(...parsed.results.map((row: { ref: string }) => row.ref));
    expect(parsed.total).toBe(300);
    expect(seen.length + parsed.left).toBe(300);
    cursor = parsed.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(entries.map((row) => row.ref).reverse());
});

test('rows that may not be seen are neither shown nor counted', async () => {
  const hidden = [
    entry(1, { gates: ['salaries'], tool: 'salaries' }),
    entry(2, { gates: ['listing', 'salaries'] }),
    entry(3, { owner: ownerKey('bob') }),
    entry(4, { ref: `${'b'.repeat(32)}/${id(4)}` }),
    entry(5, { availableUntil: '2026-05-31T00:00:00Z' }),
  ];
  const page = await listResults(run, {}, ports([...hidden, entry(9)]));
  expect(JSON.parse(page.text)).toMatchObject({ total: 1, shown: 1, left: 0, next_cursor: null });
  expect(page.text).toContain(id(9));
  for (const row of hidden) expect(page.text).not.toContain(row.ref);
});

test('results of another session that the run was admitted with or handed are listed', async () => {
  const other = (n: number) => `${'b'.repeat(32)}/${id(n)}`;
  const entries = [entry(1, { ref: other(1) }), entry(2, { ref: other(2) }), entry(3, { ref: other(3) })];
  const admitted = { ...run, admittedReferences: [other(1)] } as Run;
  const { total, text } = await listResults(admitted, {}, ports(entries, [other(2)]));
  expect(total).toBe(2);
  expect(text).not.toContain(other(3));
});

test('a cursor of another session, tool filter or owner is refused', async () => {
  const entries = Array.from({ length: 100 }, (_, n) => entry(n));
  const { nextCursor } = await listResults(run, {}, ports(entries, [], 4096));
  for (const [who, query] of [
    [{ ...run, owner: ownerKey('bob') }, {}],
    [{ ...run, session: 'b'.repeat(32) }, {}],
    [run, { tool: 'listing' }],
  ] as const) {
    await expect(listResults(who as Run, { ...query, cursor: nextCursor ?? '' }, ports(entries))).rejects.toMatchObject(
      {
        code: 'InvalidInput',
      },
    );
  }
});

test('an open population names hits held and no total; a failed refresh is a fact beside the old version', async () => {
  const search = entry(1, { population: 'open', records: 25 });
  const listed = ports([search]);
  await recordRefreshFailure(
    search,
    { runId: '', code: 'ToolUnavailable', at: '2026-05-03T00:00:00.000Z', rolesDigest: '' },
    listed.catalogue,
  );
  const { results } = JSON.parse((await listResults(run, {}, listed)).text);
  expect(results).toMatchObject([
    { status: 'refresh_failed', failure: 'ToolUnavailable', version: 2, supersedes: search.ref },
    {
      status: 'stored',
      version: 1,
      records: 25,
      total: null,
      input_complete: null,
      note: 'the search was executed, 25 hits are held',
    },
  ]);
});

test('many fields are counted, not all listed', async () => {
  const fields = Array.from({ length: 900 }, (_, n) => `column_${n}`);
  const { results } = JSON.parse((await listResults(run, {}, ports([entry(1, { fields })]))).text);
  expect(results[0]).toMatchObject({ fields: fields.slice(0, 40), fields_left_out: 860 });
});
