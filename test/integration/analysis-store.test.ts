import { createHash } from 'node:crypto';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { signedBodyUrl } from '../../aws/analysis-inputs.ts';
import { analysisStaging } from '../../aws/analysis-staging.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { analyzeResult } from '../../core/analysis/analyze-result.ts';
import { readResult } from '../../core/read/read-result.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { newId } from '../../core/reference/reference.ts';
import type { Run } from '../../core/run/run.ts';
import { defaultSettings } from '../../core/settings.ts';
import { keepResult } from '../../core/store/keep-result.ts';
import type { ToolDefinition } from '../../core/tool/tool-definition.ts';
import { runJob } from '../../lambdas/analysis-engine/run-job.ts';
import { AnalysisHost } from '../fakes/analysis-host.ts';
import { FaultyProxy, type ProxiedRequest } from '../fakes/faulty-proxy.ts';
import { run as base, rowsTool, runWorld, success } from '../fakes/run-world.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

// The broker's core and the engine's own programs over a real S3 server; every request of either goes by the proxy.
jest.setTimeout(120_000);
const bucket = 'claimcheck-analysis';
const run: Run = { ...base, owner: ownerKey('Grüße@example.com') };
const otherTool: ToolDefinition = { ...rowsTool, name: 'salaries', roles: ['hr'] };
const count = 60_000;
const rows = JSON.stringify(
  Array.from({ length: count }, (_, n) => ({ id: n, text: n === count - 1 ? 'the last' : `row ${n} of many` })),
);
let services: EmulatedServices;
let proxy: FaultyProxy;
let engine: AnalysisHost;
let direct: S3Client;
let client: S3Client;
let signer: S3Client;

beforeAll(async () => {
  services = await emulatedServices();
  proxy = new FaultyProxy(services.url);
  const address = await proxy.start();
  direct = services.s3();
  client = services.s3(address);
  signer = services.s3(address, { requestChecksumCalculation: 'WHEN_REQUIRED' });
  await direct.send(new CreateBucketCommand({ Bucket: bucket }));
  engine = new AnalysisHost();
}, 180_000);
afterAll(async () => {
  proxy?.stop();
  await services?.stop();
  await engine?.stop();
});
beforeEach(() => {
  proxy.fault = () => undefined;
  proxy.requests.length = 0;
});

/** The engine has addresses and no credentials: what it asks for carries its right in the query. */
const byEngine = () => proxy.requests.filter(({ query }) => query.has('X-Amz-Signature'));
const placeOf = ({ method, path }: ProxiedRequest) => `${method} ${decodeURIComponent(path).split('/')[2] ?? ''}`;
const keys = async (prefix: string) =>
  ((await direct.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }))).Contents ?? []).map(
    ({ Key }) => Key ?? '',
  );

async function world(keepMaxBytes = defaultSettings.analysis.keepMaxBytes) {
  const settings = { ...defaultSettings, analysis: { ...defaultSettings.analysis, keepMaxBytes } };
  const made = {
    ...(await runWorld({ tools: [rowsTool, otherTool], settings })),
    store: new S3ResultStore(client, bucket),
  };
  const held = { roles: ['ops', 'hr'] };
  const ports = {
    ...made,
    engine: { run: (job: Parameters<typeof runJob>[0]) => runJob(job, engine.host) },
    staging: analysisStaging(client, signer, bucket),
    roles: { rolesOf: async () => held.roles },
    signedUrl: signedBodyUrl(client, bucket),
    limits: { deadlineMs: 30_000, maxOutputBytes: 100_000 },
  };
  const keep = async (by: Run, tool: ToolDefinition = rowsTool, until = '2026-12-20T00:00:00.000Z') => {
    const resultId = newId();
    await keepResult(
      {
        ...{ turn: 1, index: 0, input: {}, callDigest: resultId, supersedes: null, run: by, tool },
        ...{ result: success({ text: rows }), resultId, availableUntil: until },
      },
      made,
    );
    proxy.requests.length = 0;
    return `${by.session}/${resultId}`;
  };
  let index = 0;
  const analyze = (input: Record<string, unknown>, by: Partial<Run> = {}) => {
    index += 1;
    return analyzeResult({ ...run, ...by }, { turn: 2, index }, input, ports);
  };
  return { made, held, ports, keep, analyze };
}

describe('a kept answer larger than what the engine hands over', () => {
  test('is whole in the store: by one upload, looked at, and a result like any other', async () => {
    const { made, keep, analyze } = await world();
    const ref = await keep(run);
    const sql = 'SELECT id, text, id * 2 AS twice FROM data ORDER BY id';
    const answer = JSON.parse((await analyze({ inputs: { data: ref }, sql, keep: true })).text);
    expect(answer).toMatchObject({ row_count: count, kept: { records: count, derived_from: [ref] } });
    expect(answer.kept.bytes).toBeGreaterThan(2 * 1024 * 1024);
    expect(byEngine().map(placeOf)).toEqual(['GET results', 'PUT staging']);
    const last = await readResult(run, { ref: answer.kept.ref, offset: count - 1, limit: 1 }, made);
    expect(JSON.parse(last.text).data).toEqual([{ id: count - 1, text: 'the last', twice: 2 * (count - 1) }]);
    // What stands under the reference is what was uploaded, and the catalogue knows its digest.
    const entry = await made.catalogue.find(run.owner, answer.kept.ref);
    const body = await direct.send(
      new GetObjectCommand({ Bucket: bucket, Key: `results/${run.owner}/${answer.kept.ref}/body` }),
    );
    const bytes = (await body.Body?.transformToByteArray()) ?? new Uint8Array();
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(entry?.sha256);
    expect(body.ContentType).toBe('application/x-ndjson');
    expect(entry).toMatchObject({ gates: ['rows'], derivedFrom: [ref], availableUntil: '2026-12-20T00:00:00.000Z' });
    // The source is what it was.
    const source = await readResult(run, { ref, offset: count - 1, limit: 1 }, made);
    expect(source.text).toContain('the last');
  });

  test('more than may be kept is refused, and says so', async () => {
    const { made, keep, analyze } = await world(1024 * 1024);
    const ref = await keep(run);
    const before = made.catalogue.entries.size;
    await expect(analyze({ inputs: { data: ref }, sql: 'SELECT * FROM data', keep: true })).rejects.toMatchObject({
      code: 'AnalysisLimit',
      message: expect.stringContaining(`${count} rows are more than the 1048576 bytes`),
    });
    expect(byEngine().map(placeOf)).toEqual(['GET results']);
    expect(made.catalogue.entries.size).toBe(before);
  });

  test.each([
    ['the store refuses the upload', { status: 503, code: 'SlowDown' }],
    ['its right is refused', { status: 403, code: 'AccessDenied' }],
    // A server in between that says yes and passes nothing on.
    ['it never arrives, whatever the engine was told', { status: 200, code: 'Fine' }],
  ])('%s: StorageUnavailable, and nothing that points at nothing', async (_, fault) => {
    const { made, keep, analyze } = await world();
    const ref = await keep(run);
    const [entries, stored] = [made.catalogue.entries.size, await keys('results/')];
    proxy.fault = (request) => (placeOf(request) === 'PUT staging' ? fault : undefined);
    await expect(analyze({ inputs: { data: ref }, sql: 'SELECT * FROM data', keep: true })).rejects.toMatchObject({
      code: 'StorageUnavailable',
      message: expect.stringMatching(/^keep: /),
    });
    expect(made.catalogue.entries.size).toBe(entries);
    expect(await keys('results/')).toEqual(stored);
    proxy.fault = () => undefined;
    const again = JSON.parse((await analyze({ inputs: { data: ref }, sql: 'SELECT * FROM data', keep: true })).text);
    expect(again.kept.records).toBe(count);
  });

  test('the store’s answer is lost: the upload counts, once', async () => {
    const { keep, analyze } = await world();
    const ref = await keep(run);
    const before = (await keys('staging/')).length;
    let lost = false;
    proxy.fault = (request) => {
      if (placeOf(request) !== 'PUT staging' || lost) return undefined;
      lost = true;
      return 'lose';
    };
    const answer = JSON.parse((await analyze({ inputs: { data: ref }, sql: 'SELECT * FROM data', keep: true })).text);
    expect(answer.kept.records).toBe(count);
    expect(byEngine().map(placeOf)).toEqual(['GET results', 'PUT staging', 'PUT staging']);
    expect(await keys('staging/')).toHaveLength(before + 1);
  });
});

describe('the right to upload', () => {
  const put = async (url: string, headers: Record<string, string>, body = 'one') =>
    (await fetch(url, { method: 'PUT', headers, body })).status;

  test('is for one object, created once, under the owner, and for nothing else', async () => {
    const staging = analysisStaging(client, signer, bucket);
    const place = { owner: run.owner, id: newId() };
    const { url, headers } = await staging.upload(place, 'image/png', 100);
    expect(headers).toEqual({ 'content-type': 'image/png', 'if-none-match': '*' });
    const { 'if-none-match': _, ...unconditional } = headers as Record<string, string>;
    expect(await put(url, unconditional)).toBe(403);
    expect(await put(url, { ...headers, 'content-type': 'text/html' })).toBe(403);
    expect(await put(url.replace(place.id, newId()), headers)).toBe(403);
    expect(await put(url.replace('/staging/', '/results/'), headers)).toBe(403);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    expect(await staging.look(place)).toBeUndefined();
    expect(await put(url, headers)).toBe(200);
    expect(await put(url, headers, 'two')).toBe(412);
    expect(await staging.look(place)).toMatchObject({ bytes: 3 });
    expect(await keys(`staging/${run.owner}/`)).toContain(`staging/${run.owner}/${place.id}`);
    await expect(staging.upload({ owner: run.owner, id: '../x' }, 'image/png', 1)).rejects.toThrow('expected an id');
  });

  test('is gone after its time', async () => {
    const { url } = await analysisStaging(client, signer, bucket).upload({ owner: run.owner, id: newId() }, 'a/b', 1);
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('120');
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-type;host;if-none-match');
    expect(url).not.toMatch(/checksum/i);
  });
});

describe('what never reaches an engine, by what was asked of the store', () => {
  type World = Awaited<ReturnType<typeof world>>;
  const cases: readonly (readonly [string, string, (world: World) => Promise<unknown>])[] = [
    [
      'another owner’s',
      'NotFound',
      async ({ keep, analyze }) =>
        analyze({ inputs: { data: await keep({ ...run, owner: ownerKey('bob') }) }, sql: 'SELECT 1' }),
    ],
    [
      'another run’s, of another chat',
      'NotFound',
      async ({ keep, analyze }) =>
        analyze(
          { inputs: { data: await keep(run) }, sql: 'SELECT 1' },
          { runId: 'e'.repeat(32), session: 'c'.repeat(32) },
        ),
    ],
    [
      'an expired one',
      'Expired',
      async ({ keep, analyze }) =>
        analyze({ inputs: { data: await keep(run, rowsTool, '2026-11-30T11:59:59.000Z') }, sql: 'SELECT 1' }),
    ],
    [
      'one whose role was taken away',
      'RoleRevoked',
      async ({ keep, analyze, held }) => {
        const ref = await keep(run);
        held.roles = ['hr'];
        return analyze({ inputs: { data: ref }, sql: 'SELECT 1' });
      },
    ],
    [
      'a good one beside a bad one',
      'NotFound',
      async ({ keep, analyze }) =>
        analyze({
          inputs: { a: await keep(run), b: await keep({ ...run, owner: ownerKey('bob') }) },
          sql: 'SELECT 1',
          keep: true,
        }),
    ],
    [
      'a good one beside one whose role was taken away',
      'RoleRevoked',
      async ({ keep, analyze, held }) => {
        const inputs = { a: await keep(run), b: await keep({ ...run, roles: ['hr'] }, otherTool) };
        held.roles = ['ops'];
        return analyze({ inputs, sql: 'SELECT 1', chart: { type: 'bar', x: 'id', y: 'id' } }, { roles: ['ops', 'hr'] });
      },
    ],
  ];

  test.each(cases)('%s', async (_, code, attempt) => {
    const made = await world();
    await expect(attempt(made)).rejects.toMatchObject({ code });
    expect(byEngine()).toEqual([]);
    // Nobody else fetched a body for it either.
    expect(proxy.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/body'))).toEqual([]);
  });

  test('and one’s own is fetched once, from its own key and no other', async () => {
    const { keep, analyze } = await world();
    const ref = await keep(run);
    await analyze({ inputs: { data: ref }, sql: 'SELECT count(*) FROM data' });
    const key = `results/${run.owner}/${ref}/body`;
    expect(byEngine().map(({ method, path }) => [method, decodeURIComponent(path)])).toEqual([
      ['GET', `/${bucket}/${key}`],
    ]);
  });
});
