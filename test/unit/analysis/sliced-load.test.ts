import path from 'node:path';
import type { EngineAnswer, EngineInput } from '../../../core/analysis/engine.ts';
import { fetchInput } from '../../../lambdas/analysis-engine/fetch-input.ts';
import { readBody } from '../../../lambdas/analysis-engine/read-body.ts';
import { runJob } from '../../../lambdas/analysis-engine/run-job.ts';
import { AnalysisHost } from '../../fakes/analysis-host.ts';

jest.setTimeout(240_000);
const sliceBytes = 64 * 1024;
const engine = new AnalysisHost(2048, { sliceBytes });
beforeAll(() => engine.start());
afterAll(() => engine.stop());

// Enough for several slices.
const count = 2_000;
const pad = (n: number) => String(n).padStart(2, '0');
const record = (n: number) => ({
  id: n,
  region: ['eu', 'us', 'ap'][n % 3],
  at: `2026-${pad((n % 12) + 1)}-${pad((n % 28) + 1)}T${pad(n % 24)}:00:00Z`,
  day: `2026-01-${pad((n % 28) + 1)}`,
  key: `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
  latency: n % 400,
  change: (n % 7) - 3,
  loss: -1 - n,
  rate: n % 97 === 0 ? null : (n % 97) / 100,
  ok: n % 2 === 0,
  big: 9_007_199_254_740_991 - n,
  // Only a text that can be no date makes a column of texts known ahead.
  note: n % 5 === 0 ? null : `${n % 3 === 0 ? '' : 'text '}},{"id":${n}} and "quotes", ${'x'.repeat(n % 500)}`,
});
const records = Array.from({ length: count }, (_, n) => record(n));

/** The same bytes, with and without what is known of its types: the second way reads everything before it begins. */
function bothWays(name: string, body: string | Uint8Array): readonly [EngineInput, EngineInput] {
  const known = engine.input(name, body);
  expect(known.types).not.toBeNull();
  return [known, { ...known, types: null }];
}

/** What is answered, without what was said of the columns that nobody asked for. */
function said(answer: EngineAnswer) {
  if (answer.outcome !== 'table') return answer;
  const { columns, rows, rowCount, inputs } = answer;
  return { columns, rows, rowCount, inputs };
}

async function same(inputs: readonly [EngineInput, EngineInput], sql: string) {
  const run = (input: EngineInput, lane: number) =>
    engine.run({ inputs: [input], program: { kind: 'sql', text: sql } }, lane);
  const [ahead, whole] = await Promise.all([run(inputs[0], 0), run(inputs[1], 1)]);
  expect(said(ahead)).toEqual(said(whole));
  return ahead;
}

test('the records of these tests come in several slices, each once', async () => {
  const slices: number[] = [];
  const { records: all, even } = await fetchInput(
    engine.input('data', JSON.stringify(records)),
    path.join(engine.folder, 'fetched'),
    AbortSignal.timeout(20_000),
    (slice) => slices.push(slice.records),
    undefined,
    sliceBytes,
  );
  expect(slices.length).toBeGreaterThan(5);
  expect(slices.reduce((sum, each) => sum + each, 0)).toBe(count);
  expect({ all, even }).toEqual({ all: count, even: true });
});

describe('records that are loaded while they are fetched answer as those that are loaded at the end', () => {
  let inputs: readonly [EngineInput, EngineInput];
  beforeAll(() => {
    inputs = bothWays('list', JSON.stringify(records)).map((input) => ({ ...input, name: 'data' })) as [
      EngineInput,
      EngineInput,
    ];
  });

  test.each([
    'SELECT region, count(*), sum(latency), avg(rate), sum(big) FROM data GROUP BY region ORDER BY ALL',
    'SELECT * FROM data WHERE id IN (0, 97, 1999) ORDER BY id',
    'SELECT count(*) FROM data',
    'SELECT id FROM data LIMIT 5',
    'SELECT rowid, id FROM data WHERE rowid % 999 = 0',
    'SELECT date_trunc(\'month\', "at") AS m, max(day), count(DISTINCT key) FROM data GROUP BY m ORDER BY m',
    'SELECT d FROM data d WHERE id = 7',
    'SELECT main.data FROM data WHERE id = 7',
    'SELECT memory.main.data FROM data WHERE id = 7',
    'SELECT id FROM data NATURAL JOIN (SELECT 7 AS id) WHERE ok IS NOT NULL',
    'SELECT x FROM data AS d(x) ORDER BY x DESC LIMIT 1',
    'SELECT #2 FROM data LIMIT 1',
    "SELECT COLUMNS('^r') FROM data ORDER BY ALL LIMIT 3",
    'WITH t AS (FROM data SELECT latency, note) SELECT max(latency), max(note) FROM t',
    'SELECT a.id FROM data a JOIN data b USING (id) WHERE b.latency = 399 ORDER BY ALL LIMIT 3',
    'SUMMARIZE (SELECT id, rate FROM data)',
    'DESCRIBE data',
    'SELECT "ID", "Region" FROM data ORDER BY Id LIMIT 2',
    'SELECT note FROM data WHERE note IS NOT NULL ORDER BY id DESC LIMIT 1',
    'SELECT typeof(change), typeof(loss), typeof(latency), sum(hash(change)) FROM data GROUP BY ALL',
    'SELECT sum(change), avg(change), min(change), sum(change * big * big), sum(loss * change) FROM data',
    'SELECT change, count(*), change // 2, change % 2, change / 2 FROM data GROUP BY change ORDER BY change',
    'SELECT sum(big * big) FROM data',
    'SELECT epoch_ms(change) FROM data',
    'SELECT regin FROM data',
    'SELECT latency FROM data WHERE nothing = 1',
    'SELECT id FRM data',
    "SELECT read_text('/etc/passwd') FROM data",
    'SELECT CAST(region AS INTEGER) FROM data',
  ])('%s', async (sql) => {
    await same(inputs, sql);
  });

  test('a sum beyond 64 bits, digit by digit', async () => {
    const answer = await same(inputs, 'SELECT sum(big), sum(big::HUGEINT * big) FROM data');
    const big = records.map((each) => BigInt(each.big));
    const sums = [big.reduce((a, b) => a + b, 0n), big.reduce((a, b) => a + b * b, 0n)];
    expect(answer).toMatchObject({ rows: [sums.map(String)], inputs: [{ records: count }] });
  });

  test.each([
    ['lines', records.map((each) => JSON.stringify(each)).join('\n')],
    ['as Python writes a list', `[${records.map((each) => JSON.stringify(each)).join(', ')}]`],
    ['over many lines', JSON.stringify(records, null, 1)],
    ['inside a document', JSON.stringify({ total: count, items: records, next: { page: 2 } })],
    ['with another list behind', JSON.stringify({ items: records, others: records.slice(0, 9) })],
  ])('%s', async (_, body) => {
    const answer = await same(bothWays('data', body), 'SELECT count(*), sum(id), max(note) FROM data');
    expect(answer).toMatchObject({ rows: [[String(count), String((count * (count - 1)) / 2), expect.any(String)]] });
  });
});

/** Records of which only the last is not like the others: nothing at the head of the body tells. */
const flat = Array.from({ length: 6_000 }, (_, n) => ({ id: n, at: '2026-09-01T10:00:00Z', s: `text ${n}` }));
const ending = (last: string) => `${JSON.stringify(flat).slice(0, -1)},${last}]`;

test.each([
  ['a text among dates', ending('{"id":1,"at":"not known","s":"x"}'), 'not known'],
  ['a date written in another way', ending('{"id":1,"at":"2027-09-01","s":"x"}'), null],
  ['a date with a fraction', ending('{"id":1,"at":"2027-09-01T10:00:00.5Z","s":"x"}'), null],
  ['an offset', ending('{"id":1,"at":"2027-09-01T10:00:00+02:00","s":"x"}'), null],
  [
    'a key twice',
    ending('{"id":1,"at":"2027-09-01T10:00:00Z","at":"2028-09-01T10:00:00Z","s":"x"}'),
    '2028-09-01 10:00:00',
  ],
  ['half a surrogate pair', ending('{"id":1,"at":"2027-09-01T10:00:00Z","s":"\\ud800"}'), '2027-09-01 10:00:00'],
  ['an empty record', ending('{},{"id":1,"at":"2027-09-01T10:00:00Z","s":"x"}'), '2027-09-01 10:00:00'],
  ['another gap', ending(' {"id":1,"at":"2027-09-01T10:00:00Z","s":"x"}'), '2027-09-01 10:00:00'],
  ['another gap before others', ending(' {"id":1,"at":null},{"id":2,"s":"y"}'), '2026-09-01 10:00:00'],
  ['a text that ends like a record', ending('{"id":1,"at":"2027-09-01T10:00:00Z","s":"},{"}'), '2027-09-01 10:00:00'],
  ['keys in another order', ending('{"s":"},{","at":"2027-09-01T10:00:00Z","id":1}'), '2027-09-01 10:00:00'],
  ['a wide record', ending(`{"id":1,"at":"2027-09-01T10:00:00Z","s":"${'w'.repeat(600_000)}"}`), '2027-09-01 10:00:00'],
  ['a key written in another way', ending('{"id":1,"\\u0061t":"2027-09-01T10:00:00Z","s":"x"}'), '2027-09-01 10:00:00'],
  ['a null', ending('{"id":1,"at":null,"s":null}'), '2026-09-01 10:00:00'],
  [
    'a date in another way, a key twice and another gap',
    ending('{"id":1,"at":"2027-09-01"},{"id":1,"at":"x","at":"y","s":"x"}, {"id":1,"at":null},{"id":2}'),
    'y',
  ],
  [
    'every other record empty, and a null',
    ending('{"id":1,"at":null}').replaceAll('},{', '},{},{'),
    '2026-09-01 10:00:00',
  ],
])('%s in the last record', async (_, body, latest) => {
  const inputs = bothWays('data', body);
  const answer = await same(inputs, 'SELECT max("at"), count(*), max(length(s)), sum(id) FROM data');
  const all = (JSON.parse(body) as unknown[]).length;
  expect(answer).toHaveProperty('rows.0.1', String(all));
  if (latest !== null) expect(answer).toHaveProperty('rows.0.0', JSON.stringify(latest));
  await same(inputs, 'SELECT * FROM data ORDER BY id DESC, s LIMIT 3');
});

test.each([
  ['a blank line', '\n\n'],
  ['a carriage return', '\r\n'],
  ['an empty record', '\n{}\n'],
])('%s between the last two lines', async (_, end) => {
  const lines = flat.map((each) => JSON.stringify(each));
  const body = [lines.slice(0, -1).join('\n'), lines.at(-1)].join(end);
  const all = body.split(/\s*\n\s*/).length;
  const answer = await same(bothWays('data', body), 'SELECT count(*), max(id) FROM data');
  expect(answer).toMatchObject({ rows: [[String(all), String(flat.length - 1)]], inputs: [{ records: all }] });
});

test('a key twice in the first slice and another gap in the last', async () => {
  const body = ending(' {"id":7},{"id":0}').replace('{"id":0,', '{"id":1,"id":0,');
  const answer = await same(bothWays('data', body), 'SELECT count(*), sum(id) FROM data');
  expect(answer).toMatchObject({
    rows: [[String(flat.length + 2), String((flat.length * (flat.length - 1)) / 2 + 7)]],
  });
});

test('bytes that are no UTF-8, of which the index knows nothing', async () => {
  const { types } = engine.input('data', ending('{"id":1,"at":"2027-09-01T10:00:00Z","s":"z#"}'));
  const body = Buffer.from(ending('{"id":1,"at":"2027-09-01T10:00:00Z","s":"z#"}'));
  body[body.lastIndexOf('#')] = 0xff;
  const input = { ...engine.input('data', body), types: types ?? null };
  const answer = await same([input, { ...input, types: null }], 'SELECT max(s) FROM data');
  expect(answer).toMatchObject({ rows: [['"z\ufffd"']] });
});

test('a body that is read twice has the time of one', async () => {
  const signals: AbortSignal[] = [];
  const read: typeof readBody = (input, signal, take) => {
    signals.push(signal);
    return readBody(input, signal, take);
  };
  const answer = await runJob(
    {
      inputs: [engine.input('data', ending('{},{"id":1,"at":null,"s":"x"}'))],
      program: { kind: 'sql', text: 'SELECT count(*) FROM data' },
      chart: null,
      limits: { deadlineMs: 20_000, maxOutputBytes: 1_000 },
    },
    { ...engine.host, read },
  );
  expect(answer).toMatchObject({ rows: [[String(flat.length + 2)]] });
  expect(signals).toHaveLength(2);
  expect(signals[1]).toBe(signals[0]);
});

test('slices of a body that is not the one asked for answer nothing', async () => {
  const input = engine.input('data', JSON.stringify(flat));
  engine.bodies.set('data', Buffer.from(JSON.stringify(flat).replace('text 5999', 'text 9999')));
  expect(await engine.sql('SELECT max(s) FROM data', [input])).toMatchObject({ code: 'StorageUnavailable' });
});

test('two inputs, one in slices and one whole', async () => {
  const answer = await engine.sql('SELECT name, count(*) FROM data JOIN names ON code = id % 3 GROUP BY 1 ORDER BY 1', [
    engine.input('data', JSON.stringify(flat)),
    engine.input('names', 'code,name\n0,zero\n1,one\n'),
  ]);
  expect(answer).toMatchObject({
    rows: [
      ['"one"', '2000'],
      ['"zero"', '2000'],
    ],
    inputs: [{ records: flat.length }, { records: 2 }],
  });
});
