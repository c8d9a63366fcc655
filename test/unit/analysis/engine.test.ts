import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { EngineAnswer, EngineTable } from '../../../core/analysis/engine.ts';
import { AnalysisHost } from '../../fakes/analysis-host.ts';

jest.setTimeout(120_000);
const engine = new AnalysisHost();
beforeAll(() => engine.start());
afterAll(() => engine.stop());

const count = 3_000;
const rows = Array.from({ length: count }, (_, i) => ({
  id: i + 1,
  region: ['eu', 'us', 'ap'][i % 3],
  at: new Date(Date.UTC(2026, 0, 1) + i * 3_600_000).toISOString(),
  details: { ms: i % 100, tags: [i % 7] },
  ...(i === count - 1 ? { late: 'only the last record says so' } : {}),
}));

function table(answer: EngineAnswer): EngineTable {
  if (answer.outcome !== 'table') throw new Error(JSON.stringify(answer));
  return answer;
}

const values = (answer: EngineAnswer) =>
  table(answer).rows.map((row) => row.map((cell) => JSON.parse(cell) as unknown));

describe('what a query can do', () => {
  const data = () => engine.input('rows', JSON.stringify({ report: { rows } }, null, 2));
  const other = () => engine.input('names', 'code,name\neu,Europe\nus,"United States"\nap,Asia\n');
  const ask = (sql: string) =>
    engine.sql(sql, [
      { ...data(), name: 'data' },
      { ...other(), name: 'names' },
    ]);

  test.each([
    [
      'group by',
      'SELECT region, count(*) FROM data GROUP BY region ORDER BY region',
      [
        ['ap', 1000],
        ['eu', 1000],
        ['us', 1000],
      ],
    ],
    [
      'a field that only the last record has',
      'SELECT id, late FROM data WHERE late IS NOT NULL',
      [[count, 'only the last record says so']],
    ],
    [
      'window functions',
      'SELECT region, id FROM data QUALIFY row_number() OVER (PARTITION BY region ORDER BY id DESC) = 1 ORDER BY id',
      [
        ['eu', 2998],
        ['us', 2999],
        ['ap', 3000],
      ],
    ],
    [
      'a join between inputs',
      'WITH t AS (SELECT region, max(id) AS top FROM data GROUP BY 1) SELECT name, top FROM t JOIN names ON code = region ORDER BY name',
      [
        ['Asia', 3000],
        ['Europe', 2998],
        ['United States', 2999],
      ],
    ],
    ['quantiles', 'SELECT quantile_cont(id, 0.5), median(details.ms) FROM data', [[1500.5, 49.5]]],
    [
      'nested fields and lists',
      'SELECT sum(details.ms), count(*) FROM data WHERE list_contains(details.tags, 6)',
      [[rows.filter((r) => r.details.tags[0] === 6).reduce((sum, r) => sum + r.details.ms, 0), 428]],
    ],
    ['numbers beyond a double', 'SELECT sum(id::HUGEINT * 9007199254740993) FROM data', []],
    [
      'dates',
      `SELECT date_trunc('month', "at") AS m, count(*) FROM data GROUP BY m ORDER BY m LIMIT 1`,
      [['2026-01-01 00:00:00', 744]],
    ],
    [
      'set operations and subqueries',
      'SELECT max(id) FROM data UNION ALL SELECT (SELECT min(id) FROM data)',
      [[3000], [1]],
    ],
    ['a table of numbers', 'SELECT count(*) FROM range(5) r(n) WHERE n NOT IN (SELECT id FROM data)', [[1]]],
    [
      'cube and having',
      'SELECT count(*) FROM (SELECT region, count(*) FROM data GROUP BY CUBE (region) HAVING count(*) >= 1000)',
      [[4]],
    ],
    ['patterns', "SELECT count(*) FROM names WHERE regexp_matches(name, '^[A-Z][a-z]+$')", [[2]]],
  ])('%s', async (_, sql, expected) => {
    const answer = await ask(sql);
    // Digit by digit: no double holds it.
    if (sql.includes('HUGEINT')) expect(table(answer).rows[0]?.[0]).toBe((4501500n * 9007199254740993n).toString());
    else expect(values(answer)).toEqual(expected);
    expect(answer).toMatchObject({
      inputs: [
        { name: 'data', records: count },
        { name: 'names', records: 3 },
      ],
    });
  });

  test('texts that look like dates until the last record stay texts', async () => {
    const texts = [...Array.from({ length: 5_000 }, () => '2026-09-01T00:00:00Z'), 'not known'];
    const dated = engine.input('dated', JSON.stringify(texts.map((at, id) => ({ id, at }))));
    expect(dated.types).toEqual({ id: 'integer', at: 'string' });
    const answer = await engine.sql('SELECT "at", count(*) FROM dated GROUP BY 1 ORDER BY 2', [dated]);
    expect(values(answer)).toEqual([
      ['not known', 1],
      ['2026-09-01T00:00:00Z', 5_000],
    ]);
  });

  test('a fraction in the last record of a column of whole numbers is not rounded', async () => {
    const records = Array.from({ length: 5_000 }, (_, id) => ({ id, n: 1 }));
    const numbers = engine.input('numbers', JSON.stringify([...records, { id: 5_000, n: 0.5 }]));
    expect(numbers.types).toEqual({ id: 'integer', n: 'number' });
    expect(values(await engine.sql('SELECT sum(n) FROM numbers', [numbers]))).toEqual([[5_000.5]]);
  });

  test('NaN in the last record of a column of numbers is a text, no number', async () => {
    const records = Array.from({ length: 5_000 }, (_, id) => `{"id":${id},"rate":0.5}`);
    const rates = engine.input('rates', `[${records.join(',')},{"id":5000,"rate":NaN}]`);
    const answer = await engine.sql('SELECT rate FROM rates ORDER BY id DESC LIMIT 1', [rates]);
    expect(values(answer)).toEqual([['NaN']]);
    expect(table(answer).inputs[0]?.columns[1]).not.toEqual({ name: 'rate', type: 'DOUBLE' });
  });

  test('SUMMARIZE and DESCRIBE tell the columns', async () => {
    expect(values(await ask('SUMMARIZE data')).map(([name]) => name)).toEqual([
      'id',
      'region',
      'at',
      'details',
      'late',
    ]);
    expect(values(await ask('DESCRIBE names')).map(([name]) => name)).toEqual(['code', 'name']);
  });

  test('rows that find no room are counted', async () => {
    const limits = { deadlineMs: 20_000, maxOutputBytes: 2_000 };
    const answer = table(await engine.sql('SELECT id FROM data', [{ ...data(), name: 'data' }], { limits }));
    expect(answer.rowCount).toBe(count);
    expect(answer.rows.length).toBeGreaterThan(50);
    expect(answer.rows.length).toBeLessThan(400);
  });

  test('a slip is answered with the place and the columns, and nothing of the host', async () => {
    const answer = await ask('SELECT regin FROM data');
    expect(answer).toMatchObject({ outcome: 'error', code: 'AnalysisFailed' });
    const { message } = answer as { message: string };
    expect(message).toContain('LINE 1: SELECT regin FROM data');
    expect(message).toContain('region VARCHAR');
    expect(message).not.toContain(engine.folder);
    expect(await ask('SELECT id FRM data')).toMatchObject({ message: expect.stringContaining('at character 15') });
  });
});

describe('records of every kind are rows', () => {
  const read = (body: string | Uint8Array, sql = 'SELECT * FROM data') => engine.sql(sql, [engine.input('data', body)]);

  test('a table of text: numbers where a whole column is numbers, identifiers stay as they are', async () => {
    const answer = await read(
      'id,price,code\n1,2.5,007\n2,,8\n3,10,9\n',
      'SELECT sum(price), max(id), min(code) FROM data',
    );
    expect(values(answer)).toEqual([[12.5, 3, '007']]);
  });

  test('lines of a text', async () => {
    expect(values(await read('one\ntwo\nlast', "SELECT line, text FROM data WHERE text LIKE 'l%'"))).toEqual([
      [3, 'last'],
    ]);
  });

  test('records that are no objects', async () => {
    expect(values(await read('[1,2,40]', 'SELECT sum(value) FROM data'))).toEqual([[43]]);
  });

  test('fields of mixed types', async () => {
    expect(values(await read('[{"a":1},{"a":"x"},{"a":[2]}]'))).toEqual([[1], ['x'], [[2]]]);
  });

  test('no records', async () => {
    expect(values(await read('[]', 'SELECT count(*) FROM data'))).toEqual([[0]]);
  });

  test('keys that mean something to JavaScript, and a key twice (case H040)', async () => {
    const body = readFileSync(path.join(import.meta.dirname, '../../fixtures/cases/proto-keys.json'));
    const answer = table(await read(body, 'SELECT * FROM data ORDER BY id'));
    expect(answer.columns.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length']),
    );
    expect(answer.rowCount).toBe(4);
    const a = answer.columns.findIndex(({ name }) => name === 'a');
    expect(answer.rows[2]?.[a]).toBe('2');
    const scripted = await engine.script('return rows().toArray ? 0 : [...rows()].map((r) => Object.keys(r))', [
      engine.input('data', body),
    ]);
    expect(scripted).toMatchObject({ outcome: 'value' });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('halves of surrogate pairs', async () => {
    expect(values(await read('[{"a":"x\\ud800y"},{"a":"\\ud83d\\ude00"}]'))).toEqual([['x\ufffdy'], ['😀']]);
  });
});

describe('scripts', () => {
  const data = () => engine.input('data', JSON.stringify(rows));

  test('see every record, keep what they compute', async () => {
    const script = `const sums = {}; let last; for (const r of rows("data")) { sums[r.region] = (sums[r.region] ?? 0) + r.id; last = r; }
      return { sums, last: last.late };`;
    const answer = await engine.script(script, [data()]);
    expect(answer).toMatchObject({ outcome: 'value', inputs: [{ records: count }] });
    const sums = { eu: 0, us: 0, ap: 0 };
    for (const row of rows) sums[row.region as 'eu'] += row.id;
    expect(JSON.parse((answer as { text: string }).text)).toEqual({ sums, last: 'only the last record says so' });
  });

  test('walk over the rows within a walk, each at its own place', async () => {
    const two = engine.input('data', JSON.stringify(rows.slice(0, 40)));
    const script = 'let n = 0; for (const a of rows()) for (const b of rows("data")) if (a.id < b.id) n++; return n';
    expect(await engine.script(script, [two])).toMatchObject({ text: String((40 * 39) / 2) });
  });

  test('a slip is answered with its line', async () => {
    const answer = await engine.script('const x = {};\nreturn x.y.z;', [data()]);
    expect(answer).toMatchObject({ code: 'AnalysisFailed', message: expect.stringMatching(/cannot read.*\(line 2\)/) });
  });

  test.each([
    ['an endless loop', 'for (;;);'],
    ['a builtin that asks nobody', 'const a = []; a.length = 2 ** 32 - 1; return a.lastIndexOf(1);'],
    ['all the memory', 'const a = []; for (;;) a.push("x".repeat(1e6) + a.length);'],
  ])('%s ends with a limit, and the next run is well', async (_, script) => {
    const limits = { deadlineMs: 1_000, maxOutputBytes: 10_000 };
    const started = Date.now();
    expect(await engine.script(script, [data()], { limits })).toMatchObject({ code: 'AnalysisLimit' });
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(await engine.script('let n = 0; for (const r of rows()) n++; return n', [data()])).toMatchObject({
      text: String(count),
    });
  });
});

describe('walks over rows in a script', () => {
  const few = () => engine.input('data', '[{"n":1},{"n":2},{"n":3}]');
  test.each([
    ['to the end, again and again', 'for (const r of rows()) n += r.n', 6],
    ['left before the end, again and again', 'for (const r of rows()) { n += r.n; break }', 1],
    ['one inside the other', 'for (const a of rows()) for (const b of rows()) n += a.n * b.n', 36],
    ['left by a failure', 'try { for (const r of rows()) { n += r.n; throw 0 } } catch {}', 1],
    ['by hand', 'const walk = rows(); n += walk.next().value.n; walk.return()', 1],
  ])('%s: as often as it likes', async (_, walk, each) => {
    const answer = await engine.script(`let n = 0; for (let i = 0; i < 250; i++) { ${walk} } return n`, [few()]);
    expect(answer).toMatchObject({ text: String(250 * each) });
  });

  test('too many at once are told as that', async () => {
    const script = 'const open = []; for (;;) { const walk = rows(); walk.next(); open.push(walk) }';
    expect(await engine.script(script, [few()])).toMatchObject({
      code: 'AnalysisFailed',
      message: expect.stringContaining('rows: more than 100 walks at once'),
    });
  });
});

describe('texts that mean another query to an engine', () => {
  const few = () => engine.input('data', '[{"n":1},{"n":2},{"n":3}]');

  test('a character that ends the text there', async () => {
    const answer = await engine.sql('SELECT count(*) FROM data\0 WHERE n > 2', [few()]);
    expect(answer).toMatchObject({ code: 'AnalysisFailed', message: expect.stringMatching(/^sql: .*U\+0000/) });
  });

  test('a number beyond all numbers is named as that', async () => {
    const answer = await engine.sql('SELECT n < 1e999 FROM data', [few()]);
    expect(answer).toMatchObject({
      code: 'AnalysisFailed',
      message: expect.stringContaining('beyond what a double holds'),
    });
  });

  test('a row without names is answered with all its values', async () => {
    const answer = await engine.sql('SELECT (n, n * 2) FROM data ORDER BY n DESC LIMIT 1', [few()]);
    expect(table(answer).rows).toEqual([['[3,6]']]);
  });
});

describe('patterns that never end (case H031)', () => {
  const { value, patterns } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '../../fixtures/cases/patterns.json'), 'utf8'),
  ) as { value: string; patterns: string[] };
  const limits = { deadlineMs: 15_000, maxOutputBytes: 10_000 };

  test.each(patterns)('%s', async (pattern) => {
    const data = engine.input('data', JSON.stringify([{ value }]));
    const sql = `SELECT regexp_matches(value, '${pattern.replaceAll("'", "''")}') FROM data`;
    const asked = await engine.sql(sql, [data], { limits });
    // DuckDB's patterns are linear: an answer, or a pattern that it says is none.
    if (asked.outcome === 'error') expect(asked).toMatchObject({ code: 'AnalysisFailed' });
    else expect(values(asked)).toHaveLength(1);
    const script = `return new RegExp(${JSON.stringify(pattern)}, "u").test(${JSON.stringify(value)})`;
    const run = await engine.script(script, [data], { limits: { ...limits, deadlineMs: 1_000 } });
    if (run.outcome === 'error') expect(['AnalysisFailed', 'AnalysisLimit']).toContain(run.code);
    else expect(run).toMatchObject({ text: expect.stringMatching(/^(true|false)$/) });
  });

  test('the engine lives on', async () => {
    expect(values(await engine.sql('SELECT count(*) FROM data', [engine.input('data', '[1]')]))).toEqual([[1]]);
  });
});

describe('inputs', () => {
  test('a body that is not the one asked for answers nothing', async () => {
    const input = engine.input('data', '[{"a":1}]');
    engine.bodies.set('data', Buffer.from('[{"a":2}]'));
    expect(await engine.sql('SELECT * FROM data', [input])).toMatchObject({ code: 'StorageUnavailable' });
  });

  test('a body that is gone', async () => {
    const input = { ...engine.input('data', '[{"a":1}]'), url: engine.url('elsewhere') };
    const answer = await engine.sql('SELECT * FROM data', [input]);
    expect(answer).toMatchObject({ code: 'StorageUnavailable' });
    expect((answer as { message: string }).message).not.toContain('127.0.0.1');
  });

  test('nothing is left in the scratch folder', async () => {
    await engine.sql('SELECT 1', [engine.input('data', '[{"a":1}]')]);
    await engine.sql('SELECT nothing', [engine.input('data', '[{"a":1}]')]);
    expect(await readdir(path.join(engine.host.scratch, 'lane-0'))).toEqual([]);
  });
});
