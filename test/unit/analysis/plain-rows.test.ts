import duckdb, { type Connection } from '@duckdb/node-bindings';
import { anyRows } from '../../../lambdas/analysis-engine/any-rows.ts';
import { plainRows, type Rows, valuesOf } from '../../../lambdas/analysis-engine/plain-rows.ts';

let connection: Connection;
beforeAll(async () => {
  connection = await duckdb.connect(await duckdb.open(':memory:'));
});
afterAll(() => duckdb.disconnect_sync(connection));

const stream = async (sql: string) => duckdb.execute_prepared_streaming(await duckdb.prepare(connection, sql));

async function all(rows: Rows) {
  const cells: (readonly string[])[] = [];
  let count = 0;
  for (let piece = await rows.next(); piece !== null; piece = await rows.next()) {
    count += piece.count;
    piece.visit((row) => cells.push(row) > 0);
  }
  expect(count).toBe(cells.length);
  return { columns: rows.columns, cells };
}

test.each([
  'SELECT true AS yes, false AS no, NULL::BOOLEAN AS unknown',
  'SELECT (-128)::TINYINT, 127::TINYINT, 255::UTINYINT, (-32768)::SMALLINT, 65535::USMALLINT',
  'SELECT (-2147483648)::INTEGER, 4294967295::UINTEGER, 18446744073709551615::UBIGINT',
  'SELECT (-9223372036854775807 - 1)::BIGINT, 9223372036854775807::BIGINT, 9007199254740993::BIGINT',
  "SELECT '-170141183460469231731687303715884105728'::HUGEINT, '170141183460469231731687303715884105727'::HUGEINT, (-1)::HUGEINT, 18446744073709551616::HUGEINT",
  "SELECT 0.1::DOUBLE, 'nan'::DOUBLE, '-infinity'::DOUBLE, (-0.0)::DOUBLE, 1e300::DOUBLE, 0.1::FLOAT, 'inf'::FLOAT",
  "SELECT '', 'twelve bytes', 'thirteen byte', 'ü€😀', 'a \"quote\" \\ and\n', repeat('x', 100000)",
  "SELECT n, CASE WHEN n % 3 > 0 THEN n END AS some, repeat('ü', n % 20) AS s, n / 7 AS d FROM range(5000) r(n)",
  'SELECT n FROM range(0) r(n)',
  'SELECT NULL::VARCHAR AS nothing FROM range(70)',
])('%s reads as the package reads it', async (sql) => {
  const plain = plainRows(await stream(sql));
  expect(plain).not.toBeNull();
  const read = await all(plain as Rows);
  expect(read).toEqual(await all(anyRows(await stream(sql))));
  for (const cell of read.cells.flat()) expect(() => JSON.parse(cell)).not.toThrow();
});

test.each([
  "SELECT 1, '[1]'::JSON",
  'SELECT [1, 2]',
  "SELECT DATE '2026-09-01'",
  'SELECT 1.10::DECIMAL(9, 2)',
  "SELECT uuid '123e4567-e89b-12d3-a456-426614174000'",
  "SELECT 'a'::ENUM ('a', 'b')",
  'SELECT {a: 1}',
])('%s is for the package', async (sql) => {
  expect(plainRows(await stream(sql))).toBeNull();
});

test('a visit ends where it is told to', async () => {
  const piece = await plainRows(await stream('SELECT n FROM range(100) r(n)'))?.next();
  const seen: (readonly string[])[] = [];
  piece?.visit((cells) => seen.push(cells) < 3);
  expect(seen).toEqual([['0'], ['1'], ['2']]);
});

test('a text is a value, never a part of the statement', async () => {
  const text = "'; SELECT 2 --";
  expect(await valuesOf(connection, 'SELECT $1::VARCHAR, length($2::VARCHAR)', text, 'abc')).toEqual([[text, 3]]);
});
