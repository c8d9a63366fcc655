import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { EngineAnswer, EngineJob, EngineUploads } from '../../../core/analysis/engine.ts';
import { RowSpool } from '../../../lambdas/analysis-engine/row-spool.ts';
import { AnalysisHost } from '../../fakes/analysis-host.ts';

jest.setTimeout(60_000);
let engine: AnalysisHost;
beforeAll(async () => {
  engine = await new AnalysisHost().start();
});
beforeEach(() => {
  engine.puts.length = 0;
  engine.refusals = [];
});
afterAll(() => engine.stop());

const count = 5_000;
const rows = JSON.stringify(
  Array.from({ length: count }, (_, n) => ({ id: n, note: n === count - 1 ? 'the last, äöü' : `note ${n}` })),
);
const limits = { deadlineMs: 20_000, maxOutputBytes: 20_000 };
let places = 0;

function uploads(names: readonly (keyof EngineUploads)[] = ['answer'], maxBytes?: number): EngineUploads {
  places += 1;
  const one = (name: keyof EngineUploads) =>
    names.includes(name) ? engine.upload(`place-${places}-${name}`, maxBytes) : null;
  return { answer: one('answer'), picture: one('picture'), drawing: one('drawing') };
}

const sql = (text: string, more: Partial<EngineJob> = {}) =>
  engine.sql(text, [engine.input('data', rows)], { limits, ...more });
const script = (text: string, more: Partial<EngineJob> = {}) =>
  engine.script(text, [engine.input('data', rows)], { limits, ...more });
const digest = (algorithm: string, body: Uint8Array, encoding: 'hex' | 'base64') =>
  createHash(algorithm).update(body).digest(encoding);
const sent = (at = 0) => engine.puts[at] as (typeof engine.puts)[number];

test('rows that do not fit the answer go whole into the store, the last one too', async () => {
  const answer = await sql('SELECT id, note, id AS id FROM data ORDER BY id', { uploads: uploads() });
  expect(answer).toMatchObject({ outcome: 'table', rowCount: count });
  if (answer.outcome !== 'table') throw new Error('no table');
  expect(answer.rows.length).toBeLessThan(count);
  expect(engine.puts).toHaveLength(1);
  const { headers, body } = sent();
  const lines = body.toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines).toHaveLength(count);
  // A name that comes twice hides nothing.
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ id: count - 1, note: 'the last, äöü', id_2: count - 1 });
  expect(answer.uploaded).toEqual({ bytes: body.length, sha256: digest('sha256', body, 'hex') });
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'if-none-match': '*',
    'content-length': String(body.length),
    'content-md5': digest('md5', body, 'base64'),
  });
});

test('what fits the answer is handed over in it', async () => {
  const answer = await sql('SELECT id FROM data ORDER BY id LIMIT 10', { uploads: uploads() });
  expect(answer).toMatchObject({ rowCount: 10, uploaded: null });
  expect(engine.puts).toEqual([]);
});

test('more than may be kept is not sent, and the answer says how many rows there are', async () => {
  const answer = await sql('SELECT * FROM data', { uploads: uploads(['answer'], 50_000) });
  expect(answer).toMatchObject({ rowCount: count, uploaded: null });
  expect(engine.puts).toEqual([]);
});

test('records that had to be written anew are kept whole too', async () => {
  const odd = engine.input('odd', `[{"a":1,"a":2},${'{"a":3},'.repeat(9_000)}{"a":4}]`);
  const answer = await engine.sql('SELECT a FROM data', [{ ...odd, name: 'data' }], { limits, uploads: uploads() });
  expect(answer).toMatchObject({ rowCount: 9_002, uploaded: { bytes: 9_002 * '{"a":1}\n'.length } });
});

test('a script’s list and a script’s value', async () => {
  const list = await script('return [...rows("data")]', { uploads: uploads() });
  if (list.outcome !== 'value') throw new Error(JSON.stringify(list));
  expect(list.cut).toEqual({ bytes: sent().body.length, items: count });
  expect(JSON.parse(sent().body.toString('utf8')).at(-1)).toEqual({ id: count - 1, note: 'the last, äöü' });
  const shown = JSON.parse(list.text);
  expect(shown.length).toBeGreaterThan(10);
  expect(Buffer.byteLength(list.text)).toBeLessThanOrEqual(limits.maxOutputBytes);
  const value = await script('return {all: [...rows("data")]}', { uploads: uploads() });
  expect(value).toMatchObject({ text: 'null', cut: { items: null }, uploaded: { bytes: sent(1).body.length } });
  // Without the right to leave it, it is refused as before.
  expect(await script('return [...rows("data")]')).toMatchObject({ outcome: 'error', code: 'AnalysisLimit' });
});

describe('a store that does not take it', () => {
  const attempt = (): Promise<EngineAnswer> => sql('SELECT * FROM data', { uploads: uploads() });
  const refused = { outcome: 'error', code: 'StorageUnavailable' };

  test.each([
    ['refuses twice', [503, 503], 2, refused],
    ['refuses once', [500], 2, { outcome: 'table' }],
    ['says that the right is over', [403], 1, refused],
    ['loses its answer after it took everything', ['cut'], 2, { outcome: 'table' }],
    ['holds something already', [412], 1, refused],
  ] as const)('%s', async (_, refusals, tries, expected) => {
    engine.refusals = [...refusals];
    const answer = await attempt();
    expect(answer).toMatchObject(expected);
    expect(engine.puts).toHaveLength(tries);
    // Neither the address nor what the store said.
    expect(JSON.stringify(answer)).not.toMatch(/secret|127\.0\.0\.1|place-/);
  });

  test('is not there', async () => {
    const answer = { url: 'http://127.0.0.1:9/x', headers: {}, maxBytes: 1_000_000 };
    const said = await sql('SELECT * FROM data', { uploads: { answer, picture: null, drawing: null } });
    expect(said).toMatchObject(refused);
  });
});

describe('pictures', () => {
  const chart = { type: 'point', x: 'id', y: 'id', series: 'g', width: 1_600, height: 1_200 } as const;
  const roomy = { deadlineMs: 20_000, maxOutputBytes: 4 * 1024 * 1024 };
  const drawn = (limit: number, more: Partial<EngineJob>) =>
    sql(`SELECT id, id % 20 AS g FROM data LIMIT ${limit}`, { chart, limits: roomy, ...more });

  test('small ones stay in the answer, large ones go into the store', async () => {
    const small = await drawn(20, { uploads: uploads(['picture', 'drawing']) });
    expect(small).toMatchObject({ chart: { svg: expect.stringContaining('<svg'), png: expect.any(String) } });
    expect(engine.puts).toEqual([]);
    const large = await drawn(5_000, { uploads: uploads(['picture', 'drawing']) });
    const [png, svg] = [sent(0).body, sent(1).body];
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(svg.toString('utf8')).toMatch(/^<svg[\s\S]*<\/svg>/);
    expect(large).toMatchObject({
      chart: {
        marks: 5_000,
        png: { bytes: png.length, sha256: digest('sha256', png, 'hex') },
        svg: { bytes: svg.length, sha256: digest('sha256', svg, 'hex') },
      },
    });
  });

  test('a chart that fails leaves no rows behind', async () => {
    const answer = await sql('SELECT * FROM data', { chart, uploads: uploads(['answer', 'picture', 'drawing']) });
    expect(answer).toMatchObject({ outcome: 'error', code: 'AnalysisLimit' });
    expect(engine.puts).toEqual([]);
  });
});

test('nothing of an upload stays on the scratch disk', async () => {
  expect(await sql('SELECT * FROM data', { uploads: uploads() })).toMatchObject({
    uploaded: { sha256: expect.any(String) },
  });
  const left = readdirSync(engine.host.scratch, { recursive: true }).map(String);
  expect(left.filter((name) => name.includes('kept'))).toEqual([]);
});

describe('the file that the rows go through', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-spool-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const pieces = (...sizes: readonly number[]) => Readable.from(sizes.map((size) => Buffer.alloc(size, 'x')));

  test('takes exactly what may be kept', async () => {
    const spool = new RowSpool(path.join(folder, 'exact'), 100);
    spool.take(pieces(60, 40));
    const body = Buffer.alloc(100, 'x');
    expect(await spool.whole()).toEqual({
      file: path.join(folder, 'exact'),
      bytes: 100,
      sha256: digest('sha256', body, 'hex'),
      md5: digest('md5', body, 'base64'),
    });
  });

  test('and of more nothing, however much a process sends', async () => {
    const file = path.join(folder, 'over');
    const spool = new RowSpool(file, 100);
    spool.take(pieces(60, 41, 1_000_000, 1));
    expect(await spool.whole()).toBeNull();
    expect(statSync(file).size).toBeLessThanOrEqual(100);
  });

  test('a disk that takes nothing is a limit, and its place is not told', async () => {
    const spool = new RowSpool(path.join(folder, 'no', 'such', 'folder'), 100);
    spool.take(pieces(1));
    const failure = await spool.whole().catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: 'AnalysisLimit' });
    expect(String(failure)).not.toContain(folder);
  });
});
