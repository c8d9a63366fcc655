import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { newId } from '../../core/reference/reference.ts';
import type { BodyMetadata } from '../../core/store/result-store.ts';
import { FaultyProxy, type ProxiedRequest } from '../fakes/faulty-proxy.ts';
import { RecordingTelemetry } from '../fakes/run-world.ts';
import { indexOf } from '../fakes/stored-result.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

const MiB = 1024 * 1024;
const bucket = 'results';
const limits = { maxBytes: 100 * MiB };
const metadata: BodyMetadata = {
  tools: ['rows'],
  runId: 'a'.repeat(32),
  turn: 1,
  index: 0,
  availableUntil: '2026-12-30T00:00:00.000Z',
  format: 1,
  contentType: 'application/json',
};
let services: EmulatedServices;
let proxy: FaultyProxy;
let direct: S3Client;
let store: S3ResultStore;
let telemetry: RecordingTelemetry;
let address: { owner: ReturnType<typeof ownerKey>; session: string; id: string };

beforeAll(async () => {
  services = await emulatedServices();
  proxy = new FaultyProxy(services.url);
  direct = services.s3();
  await direct.send(new CreateBucketCommand({ Bucket: bucket }));
  const client = services.s3(await proxy.start());
  telemetry = new RecordingTelemetry();
  store = new S3ResultStore(client, bucket, telemetry);
}, 180_000);
afterAll(async () => {
  proxy?.stop();
  await services?.stop();
});
beforeEach(() => {
  proxy.fault = () => undefined;
  proxy.requests.length = 0;
  telemetry.counts.length = 0;
  address = { owner: ownerKey('Grüße@example.com'), session: newId(), id: newId() };
});

const isPut = ({ method, query }: ProxiedRequest) => method === 'PUT' && !query.has('partNumber');
const isComplete = ({ method, query }: ProxiedRequest) => method === 'POST' && query.has('uploadId');
const first = (times: number, is: (request: ProxiedRequest) => boolean, fault: ReturnType<FaultyProxy['fault']>) => {
  let left = times;
  return (request: ProxiedRequest) => {
    if (!is(request) || left === 0) return undefined;
    left -= 1;
    return fault;
  };
};

/** `bytes` bytes whose end is the only part that says END, in pieces of 100,000. */
async function* stream(bytes: number): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(100_000, 'row,');
  for (let left = bytes - 3; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
  yield Buffer.from('END');
}
const repeatable = (bytes: number): AsyncIterable<Uint8Array> => ({ [Symbol.asyncIterator]: () => stream(bytes) });
const digest = async (pieces: AsyncIterable<Uint8Array>) => {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
};
const objects = async () =>
  (
    (
      await direct.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: `results/${address.owner}/${address.session}/` }),
      )
    ).Contents ?? []
  ).map((object) => object.Key?.split('/').at(-1));
const unfinished = async () => (await direct.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [];

it('a small body: head, whole and range come back as written', async () => {
  const body = Buffer.from('{"rows":[1,2,3],"name":"検索"}');
  const stored = await store.putBody(address, body, { ...metadata, fileName: '検索 結果.json' }, limits);
  const head = await store.headBody(address);
  expect(head).toEqual({
    bytes: body.length,
    etag: stored.etag,
    metadata: { ...metadata, fileName: '検索 結果.json' },
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of (await store.readBody(address, stored.etag)) ?? []) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(body);
  expect(Buffer.from((await store.readRange(address, stored.etag, 9, 16)) ?? [])).toEqual(body.subarray(9, 16));
});

it('case H053: every name is stored and comes back, or its beginning', async () => {
  const { rows } = JSON.parse(readFileSync('test/fixtures/cases/metadata-values.json', 'utf8')) as { rows: string[] };
  for (const fileName of rows) {
    const here = { ...address, id: newId() };
    await store.putBody(here, Buffer.from(fileName), { ...metadata, fileName }, limits);
    const back = (await store.headBody(here))?.metadata.fileName ?? '?';
    expect(fileName.startsWith(back)).toBe(true);
    if (fileName.length < 100) expect(back).toBe(fileName);
  }
});

it('a stream of 20 MB travels in parts, whole, and leaves no upload open', async () => {
  const stored = await store.putBody(address, stream(20_000_000), metadata, limits);
  expect(stored.bytes).toBe(20_000_000);
  expect(proxy.requests.filter(({ query }) => query.has('partNumber'))).toHaveLength(3);
  expect(await digest((await store.readBody(address, stored.etag)) ?? stream(3))).toBe(
    await digest(stream(20_000_000)),
  );
  expect(await unfinished()).toEqual([]);
});

it.each([
  ['one byte under a part', 8 * MiB - 1, 0],
  ['just one part', 8 * MiB, 0],
  ['one byte over', 8 * MiB + 1, 2],
])('%s', async (_name, bytes, parts) => {
  const stored = await store.putBody(address, stream(bytes), metadata, limits);
  expect(proxy.requests.filter(({ query }) => query.has('partNumber'))).toHaveLength(parts);
  expect(await digest((await store.readBody(address, stored.etag)) ?? stream(3))).toBe(await digest(stream(bytes)));
});

it('nothing is overwritten; the same again is a success', async () => {
  const body = Buffer.from('first');
  const stored = await store.putBody(address, body, metadata, limits);
  expect((await store.putBody(address, body, metadata, limits)).etag).toBe(stored.etag);
  await expect(store.putBody(address, Buffer.from('other'), metadata, limits)).rejects.toMatchObject({
    code: 'StorageUnavailable',
  });
  await expect(store.putBody(address, body, { ...metadata, index: 1 }, limits)).rejects.toMatchObject({
    code: 'StorageUnavailable',
  });
  expect((await store.headBody(address))?.etag).toBe(stored.etag);
});

describe('a lost answer is no failure', () => {
  it('of a put', async () => {
    proxy.fault = first(1, isPut, 'lose');
    const stored = await store.putBody(address, Buffer.from('whole'), metadata, limits);
    expect(stored.etag).toBe((await store.headBody(address))?.etag);
    expect(await objects()).toEqual(['body']);
  });

  it('of the end of a multipart upload', async () => {
    proxy.fault = first(1, isComplete, 'lose');
    const stored = await store.putBody(address, stream(17_000_000), metadata, limits);
    expect(stored).toMatchObject({ bytes: 17_000_000, etag: (await store.headBody(address))?.etag });
    expect(await unfinished()).toEqual([]);
  });
});

describe('a conflict starts the upload again, at most twice', () => {
  const conflict = { status: 409, code: 'ConditionalRequestConflict' };

  it.each([
    ['bytes', Buffer.from('whole'), isPut],
    ['pieces that can be walked again', repeatable(17_000_000), isComplete],
  ])('%s', async (_name, body, is) => {
    proxy.fault = first(2, is, conflict);
    const stored = await store.putBody(address, body, metadata, limits);
    expect((await store.headBody(address))?.bytes).toBe(stored.bytes);
    const other = { ...address, id: newId() };
    proxy.fault = first(3, is, conflict);
    await expect(store.putBody(other, body, metadata, limits)).rejects.toMatchObject({ code: 'StorageUnavailable' });
    expect(await unfinished()).toEqual([]);
  });

  it('a generator cannot be walked again: the upload is refused, nothing stays', async () => {
    proxy.fault = first(1, isComplete, conflict);
    await expect(store.putBody(address, stream(17_000_000), metadata, limits)).rejects.toMatchObject({
      code: 'StorageUnavailable',
    });
    expect(await objects()).toEqual([]);
    expect(await unfinished()).toEqual([]);
  });
});

it('over the cap no part is kept, and the error says how much was seen', async () => {
  const over = store.putBody(address, stream(20_000_000), metadata, { maxBytes: 18_000_000 });
  await expect(over).rejects.toMatchObject({ code: 'OversizeResult', facts: { maxBytes: 18_000_000 } });
  expect(await objects()).toEqual([]);
  expect(await unfinished()).toEqual([]);
  const exact = await store.putBody(address, stream(18_000_000), metadata, { maxBytes: 18_000_000 });
  expect(exact.bytes).toBe(18_000_000);
});

it('case H061: an upload that dies at its third part is aborted', async () => {
  proxy.fault = ({ query }) => (query.get('partNumber') === '3' ? { status: 500, code: 'InternalError' } : undefined);
  await expect(store.putBody(address, stream(30_000_000), metadata, limits)).rejects.toMatchObject({
    code: 'StorageUnavailable',
  });
  expect(await unfinished()).toEqual([]);
  expect(await objects()).toEqual([]);
  expect(telemetry.counts).toContainEqual(expect.objectContaining({ metric: 'StorageRefusal' }));
});

it('a source that fails leaves nothing either', async () => {
  async function* broken() {
    yield* stream(10_000_000);
    throw new Error('the database went away');
  }
  await expect(store.putBody(address, broken(), metadata, limits)).rejects.toThrow('the database went away');
  expect(await unfinished()).toEqual([]);
});

it('a caller that has no more time stops the upload', async () => {
  const signal = AbortSignal.timeout(150);
  async function* slow() {
    for (let part = 0; part < 40; part += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield Buffer.alloc(2 * MiB);
    }
  }
  await expect(store.putBody(address, slow(), metadata, { ...limits, signal })).rejects.toMatchObject({
    code: 'StorageUnavailable',
  });
  expect(await unfinished()).toEqual([]);
});

describe('case H058: missing, hidden and broken', () => {
  it('missing is undefined', async () => {
    expect(await store.headBody(address)).toBeUndefined();
    expect(await store.readBody(address, '"x"')).toBeUndefined();
    expect(await store.readRange(address, '"x"', 0, 1)).toBeUndefined();
    expect(await store.readIndex(address)).toBeUndefined();
    expect(telemetry.counts).toEqual([]);
  });

  it('hidden is undefined and counted', async () => {
    proxy.fault = () => ({ status: 403, code: 'AccessDenied' });
    expect(await store.headBody(address)).toBeUndefined();
    expect(await store.readIndex(address)).toBeUndefined();
    expect(telemetry.counts.filter(({ metric }) => metric === 'HiddenObject')).toHaveLength(2);
  });

  it.each([
    ['a key that may not be used', 403, 'AccessDenied', 'not authorized to perform: kms:Decrypt'],
    ['a disabled key', 400, 'KMS.DisabledException', ''],
    ['a store that fails', 500, 'InternalError', ''],
    ['a bucket that is gone', 404, 'NoSuchBucket', ''],
  ])('%s is trouble, never "not found"', async (_name, status, code, message) => {
    proxy.fault = () => ({ status, code, message });
    await expect(store.readIndex(address)).rejects.toMatchObject({ code: 'StorageUnavailable' });
    await expect(store.readBody(address, '"x"')).rejects.toMatchObject({ code: 'StorageUnavailable' });
  });

  it('SlowDown is tried again', async () => {
    const stored = await store.putBody(address, Buffer.from('whole'), metadata, limits);
    proxy.fault = first(2, () => true, { status: 503, code: 'SlowDown' });
    expect(await store.readRange(address, stored.etag, 0, 5)).toHaveLength(5);
  });

  it('a refused write is StorageUnavailable', async () => {
    proxy.fault = () => ({ status: 403, code: 'AccessDenied' });
    await expect(store.putBody(address, Buffer.from('x'), metadata, limits)).rejects.toMatchObject({
      code: 'StorageUnavailable',
    });
  });

  it('another version than the one asked for is not read', async () => {
    await store.putBody(address, Buffer.from('whole'), metadata, limits);
    await expect(store.readRange(address, '"another"', 0, 5)).rejects.toMatchObject({ code: 'StorageUnavailable' });
  });
});

it('a commit record is written once; the same again is a success', async () => {
  const index = indexOf(Buffer.from('[{"id":1},{"id":2},{"id":3}]'), { ref: `${address.session}/${address.id}` });
  await store.putIndex(address, index);
  await store.putIndex(address, index);
  await expect(store.putIndex(address, { ...index, sha256: '0'.repeat(64) })).rejects.toMatchObject({
    code: 'StorageUnavailable',
  });
  expect(await store.readIndex(address)).toEqual(index);
  const future = { ...address, id: newId() };
  await store.putIndex(future, { ...index, format: 99 });
  await expect(store.readIndex(future)).rejects.toMatchObject({
    code: 'StorageUnavailable',
    facts: { knownFormat: 1 },
  });
});
