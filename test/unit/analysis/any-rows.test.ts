import duckdb, { type Connection } from '@duckdb/node-bindings';
import { anyRows } from '../../../lambdas/analysis-engine/any-rows.ts';
import { plainRows } from '../../../lambdas/analysis-engine/plain-rows.ts';

let connection: Connection;
beforeAll(async () => {
  connection = await duckdb.connect(await duckdb.open(':memory:'));
});
afterAll(() => duckdb.disconnect_sync(connection));

const stream = async (sql: string) => duckdb.execute_prepared_streaming(await duckdb.prepare(connection, sql));

async function firstRow(sql: string, rowsOf: typeof plainRows = anyRows) {
  let row: readonly string[] = [];
  const piece = await rowsOf(await stream(sql))?.next();
  piece?.visit((cells) => {
    row = cells;
    return false;
  });
  for (const cell of row) expect(() => JSON.parse(cell)).not.toThrow();
  return row;
}

const pairs = '(VALUES (1, 2), (1, 2), (3, 4)) t(a, b)';

test.each([
  [
    'a row without names is a list of its values',
    "SELECT row(1, 'x', NULL, DATE '2026-09-01')",
    '[1,"x",null,"2026-09-01"]',
  ],
  ['as the value of an aggregate', `SELECT arg_max((a, b), a) FROM ${pairs}`, '[3,4]'],
  ['in a list', 'SELECT [row(1, 2), NULL, row(3, 4)]', '[[1,2],null,[3,4]]'],
  ['in a field', 'SELECT {r: row(1, 2)}', '{"r":[1,2]}'],
  ['as a value of a map', "SELECT map(['k'], [row(1, 2)])", '{"k":[1,2]}'],
  ['as a key of a map', `SELECT histogram((a, b)) FROM ${pairs}`, '{"[1,2]":2,"[3,4]":1}'],
  ['in a union', 'SELECT union_value(k := row(1, 2))', '[1,2]'],
  ['of one value', 'SELECT row(7)', '{"":7}'],
  ['a struct keeps its order', "SELECT {'b': 1, '1': 2, '0': 3}", '{"b":1,"1":2,"0":3}'],
  [
    'and each of its names',
    "SELECT {'__proto__': {'x': 1}, 'constructor': 2}",
    '{"__proto__":{"x":1},"constructor":2}',
  ],
  ['and one that is empty', 'SELECT json_transform(\'{"a":{"":5}}\', \'{"a":{"":"INTEGER"}}\')', '{"a":{"":5}}'],
  ['a struct as a key', "SELECT map([{'a': 1}, {'a': 2}], [3, 4])", '{"{\\"a\\":1}":3,"{\\"a\\":2}":4}'],
  [
    'digits of any number in it',
    "SELECT {'n': 170141183460469231731687303715884105727, 'd': 1.10::DECIMAL(9, 2)}",
    '{"n":170141183460469231731687303715884105727,"d":1.10}',
  ],
  ['no struct', 'SELECT NULL::STRUCT(a INTEGER)', 'null'],
  ['a struct of nulls', 'SELECT {a: NULL::INTEGER}', '{"a":null}'],
])('%s', async (_, sql, text) => {
  expect(await firstRow(sql)).toEqual([text]);
});

test.each(['DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS'])(
  'both ends of all time as a %s',
  async (type) => {
    expect(await firstRow(`SELECT 'infinity'::${type}, '-infinity'::${type}`)).toEqual(['"infinity"', '"-infinity"']);
    expect(await firstRow(`SELECT '2026-09-01'::${type}`)).toEqual([expect.stringMatching(/^"2026-09-01/)]);
  },
);

test('a text that begins with a byte order mark keeps it', async () => {
  const texts = ["chr(65279) || 'x'", "chr(65279) || 'more than twelve bytes'"];
  expect(await firstRow(`SELECT ${texts.join(', ')}`, plainRows)).toEqual([
    '"\ufeffx"',
    '"\ufeffmore than twelve bytes"',
  ]);
});
