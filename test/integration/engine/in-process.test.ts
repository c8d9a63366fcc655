import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { readerTools } from '../../../adapters/reader-tools.ts';
import { S3ResultStore } from '../../../aws/s3-result-store.ts';
import type { EngineJob } from '../../../core/analysis/engine.ts';
import type { Kept } from '../../../core/store/keeping.ts';
import type { ResultStore } from '../../../core/store/result-store.ts';
import { silentTelemetry } from '../../../core/telemetry/telemetry.ts';
import { References } from '../../../core/wrap/references.ts';
import { inProcessEngine } from '../../../engine/in-process.ts';
import { storeUrl } from '../../../engine/store-reader.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';
import { type EmulatedServices, emulatedServices } from '../ministack.ts';

jest.setTimeout(120_000);
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-analysis-test-'));
const rows = Array.from({ length: 40_000 }, (_, id) => ({
  id,
  region: ['eu-west-1', 'eu-central-1', 'us-east-1'][id % 3],
  status: id % 7 === 0 || id === 39_999 ? 'failing' : 'healthy',
  latency: (id * 7919) % 1_000,
}));
const failing = rows.filter(({ status }) => status === 'failing');
let services: EmulatedServices;

beforeAll(async () => {
  services = await emulatedServices();
});
afterAll(async () => {
  await services?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const stores: Readonly<Record<string, () => Promise<ResultStore>>> = {
  'a folder': async () => new FileResultStore(join(folder, 'store')),
  S3: async () => {
    const client = services.s3();
    await client.send(new CreateBucketCommand({ Bucket: 'analysis' }));
    return new S3ResultStore(client, 'analysis', silentTelemetry);
  },
};

describe.each(Object.keys(stores))('analyze_result in this process, over %s', (name) => {
  let references: References;
  let ref = '';
  const jobs: EngineJob[] = [];
  const ada = { owner: 'Ada', session: 'chat' };
  const analyze = async (input: object, context: Parameters<References['run']>[0] = ada) => {
    const answer = await references.analyze(references.run(context), input, { toolUseId: 'use' });
    return { ...answer, json: answer.status === 'success' ? JSON.parse(answer.text) : null };
  };

  beforeAll(async () => {
    const store = await (stores[name] as NonNullable<(typeof stores)[string]>)();
    const analysis = await inProcessEngine({ store });
    const { engine } = analysis;
    const watched = {
      run: (job: EngineJob) => {
        jobs.push(job);
        return engine.run(job);
      },
    };
    references = new References({
      store,
      catalogue: new FileCatalogue(join(folder, `catalogue-${name}`)),
      analysis: { ...analysis, engine: watched },
      tools: { secrets: { roles: ['auditor'] } },
    });
    const run = references.run(ada);
    const kept = await references.keep(
      { run, tool: 'rows', toolUseId: 'a', input: {} },
      { kind: 'value', value: { rows } },
    );
    ref = ((kept as Kept).stored as NonNullable<Kept['stored']>).ref;
  });

  it('is offered, and computes over every record', async () => {
    expect(readerTools(references).map((tool) => tool.name)).toEqual(['list_results', 'read_result', 'analyze_result']);
    const { json } = await analyze({
      inputs: { data: ref },
      sql: `SELECT region, count(*) AS n FROM data WHERE status = 'failing' GROUP BY region ORDER BY region`,
    });
    const direct = ['eu-central-1', 'eu-west-1', 'us-east-1'].map((region) => [
      region,
      failing.filter((row) => row.region === region).length,
    ]);
    expect(json.rows).toEqual(direct);
    expect(json.inputs.data.coverage).toMatchObject({ loaded: 40_000, total: 40_000, input_complete: true });
  });

  it('runs scripts, to the last record', async () => {
    const { json } = await analyze({
      inputs: { data: ref },
      script: 'let last; for (const row of rows("data")) last = row; return last;',
    });
    expect(json.result).toEqual(rows.at(-1));
  });

  it('answers within the room of a message, computed once', async () => {
    const before = jobs.length;
    const input = { inputs: { data: ref }, sql: 'SELECT * FROM data' };
    const { text } = await references.analyze(references.run(ada), input, { maxBytes: 8_192 });
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(8_192);
    expect(JSON.parse(text).row_count).toBe(40_000);
    expect(jobs.length).toBe(before + 1);
  });

  it('draws charts and keeps answers as results of the same store, which can be analysed again', async () => {
    const { json } = await analyze({
      inputs: { data: ref },
      sql: `SELECT region, count(*) AS n FROM data WHERE status = 'failing' GROUP BY region`,
      chart: { type: 'bar', x: 'region', y: 'n' },
      keep: true,
    });
    expect(json.chart.marks).toBe(3);
    const again = await analyze({ inputs: { counts: json.kept.ref }, sql: 'SELECT sum(n) FROM counts' });
    expect(again.json.rows).toEqual([[failing.length]]);
  });

  it('keeps an answer that is larger than what is handed over, whole', async () => {
    const { json } = await analyze({
      inputs: { data: ref },
      sql: `SELECT a.id, a.region, a.status, a.latency, repeat_free.n FROM data a, (SELECT 1 AS n UNION ALL SELECT 2) AS repeat_free`,
      keep: true,
    });
    expect(json.kept).toMatchObject({ records: 80_000, derived_from: [ref] });
    expect(json.kept.bytes).toBeGreaterThan(4 * 1024 * 1024);
    const again = await analyze({ inputs: { kept: json.kept.ref }, sql: 'SELECT count(*), max(id), sum(n) FROM kept' });
    expect(again.json.rows).toEqual([[80_000, 39_999, 120_000]]);
  });

  it('another owner, another session, an unknown reference: NotFound in the same words, and no engine hears of it', async () => {
    const before = jobs.length;
    const input = (given: string) => ({ inputs: { data: given }, sql: 'SELECT 1' });
    const unknown = await analyze(input(`${'0'.repeat(32)}/${'1'.repeat(32)}`));
    expect(unknown).toMatchObject({ status: 'error', text: expect.stringMatching(/^NotFound: /) });
    expect(await analyze(input(ref), { owner: 'Bob', session: 'chat' })).toEqual(unknown);
    expect(await analyze(input(ref), { ...ada, session: 'another' })).toEqual(unknown);
    expect(jobs.length).toBe(before);
    // Admitted with it, her next chat may.
    const admitted = await analyze(input(ref), { ...ada, session: 'another', references: [ref] });
    expect(admitted.status).toBe('success');
  });

  it('a role that is gone closes the result, its kept answer too', async () => {
    const auditor = { ...ada, run: 'audit', roles: ['auditor'] };
    const run = references.run(auditor);
    const kept = (await references.keep(
      { run, tool: 'secrets', toolUseId: 's', input: {} },
      { kind: 'value', value: rows },
    )) as Kept;
    const secret = (kept.stored as NonNullable<Kept['stored']>).ref;
    const derived = await analyze({ inputs: { s: secret }, sql: 'SELECT count(*) AS n FROM s', keep: true }, auditor);
    expect(derived.json.rows).toEqual([[40_000]]);
    const before = jobs.length;
    const later = { ...ada, run: 'audit-2', roles: [], references: [secret, derived.json.kept.ref] };
    for (const closed of [secret, derived.json.kept.ref]) {
      const answer = await analyze({ inputs: { s: closed }, sql: 'SELECT 1' }, later);
      expect(answer).toMatchObject({ status: 'error', text: expect.stringMatching(/^(RoleRevoked|NotFound): /) });
    }
    expect(jobs.length).toBe(before);
  });

  it('what a program does wrong is told to be mended; what it must not do is refused; nothing is left behind', async () => {
    const wrong = await analyze({ inputs: { data: ref }, sql: 'SELECT latencyy FROM data' });
    expect(wrong.text).toMatch(/^AnalysisFailed: .*latencyy/s);
    expect(wrong.text).not.toContain(tmpdir());
    for (const sql of [`SELECT * FROM read_text('/etc/passwd')`, `COPY data TO '/tmp/x.csv'`]) {
      expect((await analyze({ inputs: { data: ref }, sql })).text).toMatch(/^AnalysisFailed: sql: /);
    }
    const many = await Promise.all(
      [1, 2, 3].map((n) => analyze({ inputs: { data: ref }, sql: `SELECT count(*) + ${n} FROM data` })),
    );
    expect(many.map(({ json }) => json.rows[0][0])).toEqual([40_001, 40_002, 40_003]);
    // What was staged for a kept answer is read no more, and goes with the process.
    const left = readdirSync(tmpdir()).filter((file) => file.startsWith(`claimcheck-analysis-${process.pid}-`));
    expect(left.filter((file) => !file.includes('-staged-'))).toEqual([]);
  });
});

it('without an engine the tool is not offered at all', () => {
  const references = new References({ store: new FileResultStore(folder), catalogue: new FileCatalogue(folder) });
  expect(readerTools(references).map(({ name }) => name)).toEqual(['list_results', 'read_result']);
});

it('a copy that was changed behind the store’s back is never computed over', async () => {
  const own = join(folder, 'changed');
  const store = new FileResultStore(own);
  const { engine } = await inProcessEngine({ store });
  const address = { owner: 'ada', session: 'a'.repeat(32), id: 'b'.repeat(32) } as never;
  const body = Buffer.from('[{"n":1},{"n":2}]');
  await store.putBody(
    address,
    body,
    {
      tools: ['rows'],
      runId: 'c'.repeat(32),
      turn: 0,
      index: 0,
      availableUntil: '2030-01-01T00:00:00.000Z',
      format: 1,
      contentType: 'application/json',
    },
    { maxBytes: 1_000 },
  );
  const input = {
    name: 'data',
    url: storeUrl(address),
    bytes: body.length,
    sha256: 'f'.repeat(64),
    kind: 'json',
  } as const;
  const job = {
    inputs: [{ ...input, path: '', table: null, recordStart: 1 }],
    program: { kind: 'sql', text: 'SELECT sum(n) FROM data' },
    chart: null,
    limits: { deadlineMs: 10_000, maxOutputBytes: 10_000 },
  } as const;
  expect(await engine.run(job)).toMatchObject({ outcome: 'error', code: 'StorageUnavailable' });
});

it.each([
  ['the first chunk', 1_000],
  ['the last chunk', -1_000],
])('a byte that was changed behind the store’s back in %s is found before anything answers', async (_, where) => {
  const own = mkdtempSync(join(folder, 'altered-'));
  const store = new FileResultStore(own);
  const references = new References({
    store,
    catalogue: new FileCatalogue(join(own, 'catalogue')),
    analysis: await inProcessEngine({ store }),
  });
  const run = references.run({ owner: 'Ada', session: 'chat' });
  const kept = await references.keep({ run, tool: 'rows', toolUseId: 'a', input: {} }, { kind: 'value', value: rows });
  const { ref } = (kept as Kept).stored as NonNullable<Kept['stored']>;
  const ask = () =>
    references.analyze(run, { inputs: { data: ref }, sql: 'SELECT count(*) AS n FROM data' }, { toolUseId: 'use' });
  expect(JSON.parse((await ask()).text).rows).toEqual([[40_000]]);

  const file = readdirSync(own, { recursive: true, encoding: 'utf8' }).find((name) => basename(name) === 'body') ?? '';
  const body = readFileSync(join(own, file));
  const at = body.indexOf('"latency":1', where < 0 ? body.length - 20_000 : where) + '"latency":'.length;
  body[at] = 0x32;
  chmodSync(join(own, file), 0o600);
  writeFileSync(join(own, file), body);
  expect(await ask()).toMatchObject({
    status: 'error',
    text: expect.stringMatching(/^StorageUnavailable: .*does not match its digest/),
  });
});
