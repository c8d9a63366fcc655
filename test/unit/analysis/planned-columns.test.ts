import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { knownTypes } from '../../../core/analysis/known-types.ts';
import { plannedColumns } from '../../../core/analysis/planned-columns.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

jest.setTimeout(120_000);
const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-planned-'));
let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
});
afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true });
});

type Row = Readonly<Record<string, unknown>>;

function planOf(rows: readonly Row[]) {
  const types = knownTypes(scanBytes(Buffer.from(JSON.stringify(rows)), { previewBytes: 0, profile: true }));
  return types === null ? null : plannedColumns(types, rows);
}

/** What DuckDB makes of all the records. */
async function found(rows: readonly Row[]) {
  const file = path.join(folder, 'rows.ndjson');
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  const described = await connection.runAndReadAll(
    `DESCRIBE SELECT * FROM read_json('${file}', format='newline_delimited', records=true, sample_size=-1, map_inference_threshold=-1)`,
  );
  return described.getRows().map(([name, type]) => ({ name, type }));
}

const two = (most: number) => fc.integer({ min: 1, max: most }).map((n) => String(n).padStart(2, '0'));
const day = fc.tuple(two(12), two(28)).map(([m, d]) => `2026-${m}-${d}`);
const time = fc.tuple(two(23), two(59)).map(([h, m]) => `${h}:${m}:07`);
const at = (shape: (d: string, t: string) => string) => fc.tuple(day, time).map(([d, t]) => shape(d, t));
const hex = (length: number) => fc.integer({ min: 0, max: 15 }).map((n) => n.toString(16).repeat(length));
/** Each column takes its texts from one of these, or from two. */
const texts: readonly fc.Arbitrary<string>[] = [
  day,
  time,
  at((d, t) => `${d}T${t}Z`),
  at((d, t) => `${d}T${t}`),
  at((d, t) => `${d} ${t}`),
  at((d, t) => `${d}T${t}.125Z`),
  at((d, t) => `${d}T${t}+02:00`),
  at((d, t) => `${d} ${t} UTC`),
  at((d, t) => `${d}T${t.slice(0, 5)}Z`),
  day.map((d) => d.replaceAll('-', '/')),
  day.map((d) => `${d.slice(5)}-2026`),
  day.map((d) => `${d.slice(8)}.${d.slice(5, 7)}.2026`),
  fc.uuid(),
  fc.uuid().map((id) => id.replaceAll('-', '')),
  fc.uuid().map((id) => `{${id}}`),
  hex(32),
  hex(8),
  fc.nat().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.ipV4(),
  fc.emailAddress(),
  fc.constantFrom('infinity', '-infinity', 'epoch', 'now', 'today', 'noon', 'am', 'PM', 'true', 'null', 'NaN', '', ' '),
  fc.constantFrom('eu-west-1', 'ok', 'failing', 'Zürich', 'abc', '12:30', '1 day', '2026', '20260901', '12_30', '007'),
  fc.string(),
];
const column = fc
  .tuple(fc.constantFrom(...texts), fc.constantFrom(...texts), fc.boolean())
  .chain(([one, other, both]) => fc.array(both ? fc.oneof(one, other) : one, { minLength: 6, maxLength: 6 }));

const whole = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.maxSafeInteger(),
  fc.constantFrom(null, 0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);

test('whole numbers of any sign are planned as DuckDB finds them', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(whole, { minLength: 1, maxLength: 4 }), async (values) => {
      const rows = values.map((n, id) => ({ id, n }));
      const plan = planOf(rows);
      fc.pre(plan !== null);
      expect(plan?.map(({ name, type }) => ({ name, type }))).toEqual(await found(rows));
      for (const { type } of plan ?? []) seen.add(type);
    }),
    { numRuns: 200, maxSkipsPerRun: 40 },
  );
  expect([...seen].sort()).toEqual(['BIGINT', 'HUGEINT']);
});

test('what is planned is what DuckDB finds', async () => {
  let planned = 0;
  await fc.assert(
    fc.asyncProperty(fc.tuple(column, column), async ([a, b]) => {
      const rows = a.map((value, n) => ({ n, b: b[n] === '' ? null : b[n], half: n / 2, a: value, yes: n > 2 }));
      const plan = planOf(rows);
      fc.pre(plan !== null);
      planned += 1;
      expect(plan?.map(({ name, type }) => ({ name, type }))).toEqual(await found(rows));
    }),
    { numRuns: 300, maxSkipsPerRun: 40 },
  );
  expect(planned).toBeGreaterThan(200);
});

test('usual columns are planned', () => {
  const row = {
    id: 7,
    rate: 0.5,
    ok: true,
    status: 'failing',
    code: '007',
    day: '2026-09-01',
    at: '2026-09-01T10:00:00Z',
    key: '123e4567-e89b-12d3-a456-426614174000',
    late: null,
  };
  expect(planOf([row, { ...row, rate: 2, late: 1 }])).toEqual([
    { name: 'id', type: 'BIGINT' },
    { name: 'rate', type: 'DOUBLE' },
    { name: 'ok', type: 'BOOLEAN' },
    { name: 'status', type: 'VARCHAR' },
    { name: 'code', type: 'VARCHAR' },
    { name: 'day', type: 'DATE', format: '%Y-%m-%d' },
    { name: 'at', type: 'TIMESTAMP', format: '%Y-%m-%dT%H:%M:%SZ' },
    { name: 'key', type: 'UUID' },
    { name: 'late', type: 'BIGINT' },
  ]);
});

test.each([
  ['texts that may be dates in many ways', [{ a: '01/02/2026' }]],
  ['two ways to write an instant', [{ a: '2026-09-01T10:00:00Z', b: '2026-09-01 10:00:00' }]],
  ['a text that no record has yet', [{ a: null }, { a: 'x' }]],
  ['a column that the first records do not have', [{ a: 1 }, { b: 1 }]],
])('left open: %s', (_, rows: readonly Row[]) => {
  const types = knownTypes(scanBytes(Buffer.from(JSON.stringify(rows)), { previewBytes: 0, profile: true }));
  expect(types).not.toBeNull();
  expect(plannedColumns(types ?? {}, rows.slice(0, 1))).toBeNull();
});
