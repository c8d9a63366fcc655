import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { downloadObjects } from '../../../aws/object-url.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import { newId, parseReference } from '../../../core/reference/reference.ts';
import { encodeMetadata } from '../../../core/store/body-metadata.ts';
import type { MetricName } from '../../../core/telemetry/telemetry.ts';

const owner = ownerKey('olivia');
const target = { kind: 'result', session: newId(), id: newId() } as const;
const counted: MetricName[] = [];
/** Answers to come; the last one stays. */
let answers: readonly (readonly [status: number, headers: Record<string, string>])[] = [];
const asked: { readonly method: string; readonly path: string; readonly headers: Record<string, unknown> }[] = [];

const server = createServer((request, response) => {
  asked.push({ method: request.method ?? '', path: (request.url ?? '').split('?')[0] ?? '', headers: request.headers });
  const [status, headers] = answers[Math.min(asked.length - 1, answers.length - 1)] ?? [500, {}];
  response.writeHead(status, headers).end();
});
let s3: S3Client;
const objects = () => downloadObjects(s3, 'bucket', { decision: () => {}, count: (metric) => counted.push(metric) });

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  s3 = new S3Client({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
    maxAttempts: 3,
  });
});
beforeEach(() => {
  asked.length = 0;
  counted.length = 0;
});
afterAll(() => {
  s3.destroy();
  server.closeAllConnections();
  server.close();
});

const stored = Object.fromEntries(
  Object.entries(
    encodeMetadata({
      tools: ['service_status', 'flights'],
      runId: newId(),
      turn: 1,
      index: 0,
      availableUntil: '2026-12-30T00:00:00Z',
      format: 1,
      contentType: 'application/json',
      fileName: 'Größe 検索.json',
    }),
  ).map(([name, value]) => [`x-amz-meta-${name}`, value]),
);

test('one HEAD of the exact key, and the metadata comes back as it was meant', async () => {
  answers = [[200, { 'content-length': '42', 'content-type': 'application/json', ...stored }]];
  expect(await objects().look(owner, target)).toEqual({
    bytes: 42,
    contentType: 'application/json',
    tools: ['service_status', 'flights'],
    availableUntil: '2026-12-30T00:00:00Z',
    fileName: 'Größe 検索.json',
  });
  expect(asked.map(({ method, path }) => [method, path])).toEqual([
    ['HEAD', `/bucket/results/olivia/${target.session}/${target.id}/body`],
  ]);
});

test('missing and hidden are the same answer; the hidden one is counted', async () => {
  answers = [[404, {}]];
  expect(await objects().look(owner, target)).toBeUndefined();
  expect(counted).toEqual([]);
  asked.length = 0;
  answers = [[403, {}]];
  expect(await objects().look(owner, target)).toBeUndefined();
  expect(counted).toEqual(['HiddenObject']);
});

test('a busy store is asked again; one that stays busy or breaks is trouble, never "not found"', async () => {
  answers = [
    [503, {}],
    [200, { 'content-length': '1', ...stored }],
  ];
  expect(await objects().look(owner, target)).toMatchObject({ bytes: 1 });
  expect(asked).toHaveLength(2);
  for (const status of [503, 500]) {
    asked.length = 0;
    answers = [[status, {}]];
    await expect(objects().look(owner, target)).rejects.toMatchObject({ code: 'StorageUnavailable' });
  }
});

test('an object without our metadata names no tool and no date, so the gate refuses it', async () => {
  answers = [[200, { 'content-length': '1', 'x-amz-meta-cc-tools': 'service_status' }]];
  expect(await objects().look(owner, target)).toMatchObject({ tools: [], availableUntil: '' });
});

test('the signed address opens one object, for its time, with nothing but its own signature', async () => {
  const address = new URL(
    await objects().signedUrl(
      owner,
      target,
      { disposition: 'attachment; filename="a.json"', contentType: 'application/json' },
      60,
    ),
  );
  expect(parseReference(address.pathname.replace('/bucket/results/olivia/', '').replace('/body', '')).id).toBe(
    target.id,
  );
  const query = Object.fromEntries(address.searchParams);
  expect(query).toMatchObject({
    'X-Amz-Expires': '60',
    'X-Amz-SignedHeaders': 'host',
    'response-content-disposition': 'attachment; filename="a.json"',
    'response-cache-control': 'no-store',
    'x-id': 'GetObject',
  });
});
