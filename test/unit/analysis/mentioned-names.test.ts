import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { mentionedNames } from '../../../core/analysis/mentioned-names.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
});
afterAll(() => connection.closeSync());

async function names(sql: string) {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  return mentionedNames(JSON.parse(String(reader.getRows()[0]?.[0])), ['data', 'Other']);
}

const columns = ['a', 'b', 'c', 'd'];

test.each([
  ['SELECT a FROM data', 'a'],
  ['SELECT "A" FROM data WHERE data.b > 1', 'ab'],
  ['SELECT count(*) FROM data', ''],
  ['SELECT count() FROM data', ''],
  ['SELECT a, sum(b) FROM data GROUP BY ALL ORDER BY ALL', 'ab'],
  ['SELECT a FROM data ORDER BY c DESC, 1', 'ac'],
  ['SELECT a FROM data t JOIN other o USING (b) WHERE o.c = 1', 'abc'],
  ['SELECT DISTINCT ON (b) a FROM data', 'ab'],
  ['SELECT row_number() OVER w, a FROM data WINDOW w AS (PARTITION BY b ORDER BY c)', 'abc'],
  ['SELECT a FROM data QUALIFY rank() OVER (ORDER BY d) = 1', 'ad'],
  ['SELECT list_transform([a], x -> x + b) FROM data', 'ab'],
  ['SELECT (SELECT max(b) FROM other WHERE other.c = data.a) FROM data', 'abc'],
  ['WITH t AS (SELECT a, b FROM data) SELECT t.a FROM t', 'ab'],
  ['SELECT a FROM data UNION ALL BY NAME SELECT b FROM data', 'ab'],
  ['SELECT CASE WHEN b IS NULL THEN a END FROM data GROUP BY CUBE (a, b)', 'ab'],
  ['SELECT max(a) FILTER (WHERE c) FROM data TABLESAMPLE 10%', 'ac'],
])('%s sees %s', async (sql, seen) => {
  const mentioned = await names(sql);
  expect(mentioned).not.toBeNull();
  expect(columns.filter((name) => mentioned?.has(name)).join('')).toBe(seen);
});

test.each([
  'SELECT * FROM data',
  'FROM data',
  'SELECT data.* FROM data',
  'SELECT * EXCLUDE (a) FROM data',
  'SELECT a FROM (SELECT * FROM data)',
  'SELECT a FROM (FROM data)',
  "SELECT COLUMNS('a|b') FROM data",
  'SELECT max(COLUMNS(*)) FROM data',
  'SELECT a FROM data ORDER BY COLUMNS(* EXCLUDE (a))',
  'SELECT a FROM data ORDER BY data.*, a',
  'SELECT data FROM data',
  'SELECT d FROM data d',
  'SELECT count(d) FROM data AS d',
  'SELECT to_json(Other) FROM other',
  'SELECT main.data FROM data',
  'SELECT hash(memory.main.Other) FROM other',
  'WITH t AS (SELECT a FROM data) SELECT t FROM t',
  'SELECT #1 FROM data',
  'SELECT a FROM data NATURAL JOIN other',
  'SELECT x FROM data AS d(x)',
  'WITH t(x) AS (SELECT a FROM data) SELECT x FROM t',
  'SUMMARIZE data',
  'DESCRIBE data',
  'SELECT a FROM data WHERE (SELECT count(*) FROM (SUMMARIZE data)) > 0',
  'SELECT EXISTS (FROM data)',
])('%s may see every column', async (sql) => {
  expect(await names(sql)).toBeNull();
});
