import { createHash } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { defaultSettings } from '../../core/settings.ts';
import type { Kept } from '../../core/store/keeping.ts';
import { silentTelemetry } from '../../core/telemetry/telemetry.ts';
import { References } from '../../core/wrap/references.ts';
import { withResultsByReference } from '../../core/wrap/with-results-by-reference.ts';
import { catalogueTable } from '../fakes/catalogue-table.ts';
import { FaultyProxy, type ProxiedRequest } from '../fakes/faulty-proxy.ts';
import { TableServer } from '../fakes/table-server.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

jest.setTimeout(120_000);
const tables = new TableServer();
let services: EmulatedServices;
let proxy: FaultyProxy;
let direct: S3Client;
/** Two processes that share bucket and table. */
let one: References;
let other: References;
const ada = { owner: 'Ada', session: 'chat' };

beforeAll(async () => {
  services = await emulatedServices();
  proxy = new FaultyProxy(services.url);
  direct = services.s3();
  await direct.send(new CreateBucketCommand({ Bucket: 'results' }));
  const documents = await tables.start();
  await documents.send(new CreateTableCommand(catalogueTable) as never);
  const client = services.s3(await proxy.start());
  const settings = { ...defaultSettings, storage: { ...defaultSettings.storage, uploadTimeoutMs: 30_000 } };
  const references = () =>
    new References({
      store: new S3ResultStore(client, 'results', silentTelemetry),
      catalogue: new DynamoCatalogue(documents, 'catalog'),
      settings,
    });
  [one, other] = [references(), references()];
});
afterAll(async () => {
  proxy?.stop();
  tables.stop();
  await services?.stop();
});
beforeEach(() => {
  proxy.fault = () => undefined;
  proxy.requests.length = 0;
});

const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `customer ${id}`,
    note: id === count - 1 ? 'the last one' : '',
  }));
let calls = 0;
/** Another call every time: the same one again would be answered from what is stored. */
const kept = (made: unknown) => {
  calls += 1;
  return withResultsByReference(() => made, { references: one, name: 'rows', context: () => ada })({ calls });
};
const referenceOf = (kept: unknown) => (kept as Kept).stored as NonNullable<Kept['stored']>;
const bodies = async () =>
  ((await direct.send(new ListObjectsV2Command({ Bucket: 'results' }))).Contents ?? []).filter(({ Key }) =>
    Key?.endsWith('/body'),
  ).length;
const isPut = ({ method, path }: ProxiedRequest) => method === 'PUT' && path.endsWith('/body');

it('a value goes to S3 once; another process of the same owner reads it to the last record', async () => {
  const value = { rows: rows(60_000) };
  const stored = referenceOf(await kept(value));
  const text = JSON.stringify(value);
  expect(stored).toMatchObject({ records: 60_000, bytes: Buffer.byteLength(text) });
  expect(stored.sha256).toBe(createHash('sha256').update(text).digest('hex'));
  const read = await other.read(other.run(ada), { ref: stored.ref, offset: 59_999 });
  expect(read.text).toContain('the last one');
  const list = JSON.parse((await other.list(other.run(ada), {})).text);
  expect(list.results.map(({ ref }: { ref: string }) => ref)).toContain(stored.ref);
});

it('a stream of 20 MB goes up in parts while it is made, and comes back whole', async () => {
  async function* made() {
    for (let id = 0; id < 200_000; id += 1) yield { id, note: id === 199_999 ? 'the last one' : 'x'.repeat(80) };
  }
  const stored = referenceOf(await kept(made()));
  expect(stored.records).toBe(200_000);
  expect(proxy.requests.filter(({ query }) => query.has('partNumber')).length).toBeGreaterThan(1);
  const read = await other.read(other.run(ada), { ref: stored.ref, offset: 199_998, limit: 2 });
  expect(JSON.parse(read.text)).toMatchObject({ coverage: { loaded: 2, total: 200_000, next_offset: null } });
  expect(read.text).toContain('the last one');
});

it('another owner, another session and an unknown reference are one answer', async () => {
  const { ref } = referenceOf(await kept(rows(2_000)));
  const unknown = await other.read(other.run(ada), { ref: `${'0'.repeat(32)}/${'1'.repeat(32)}` });
  expect(unknown.text).toMatch(/^NotFound: /);
  for (const context of [
    { owner: 'Bob', session: 'chat' },
    { ...ada, session: 'another' },
  ]) {
    expect(await other.read(other.run(context), { ref })).toEqual(unknown);
  }
});

it('a lost answer is a success, one copy; a refusal leaves a bounded answer that names no reference', async () => {
  const before = await bodies();
  let lost = 0;
  proxy.fault = (request) => {
    if (!isPut(request) || lost > 0) return undefined;
    lost += 1;
    return 'lose';
  };
  const { ref } = referenceOf(await kept(rows(2_001)));
  expect(lost).toBe(1);
  expect(await bodies()).toBe(before + 1);
  expect((await other.read(other.run(ada), { ref, offset: 2_000 })).text).toContain('the last one');

  proxy.fault = (request) => (isPut(request) ? { status: 503, code: 'SlowDown' } : undefined);
  const refused = (await kept(rows(2_002))) as unknown as Kept;
  expect(refused.stored).toBeNull();
  expect(JSON.stringify(refused.content)).toContain(
    'of 2002 records shown; the rest was not kept (StorageUnavailable)',
  );
  expect(JSON.stringify(refused.content)).not.toContain('data_reference');
  expect(await bodies()).toBe(before + 1);
});

it('200 results at once are four uploads at a time, each its own', async () => {
  const run = one.run(ada);
  const all = await Promise.all(
    Array.from({ length: 200 }, (_, id) =>
      one.keep(
        { run, tool: 'rows', toolUseId: 'same', input: { id } },
        { kind: 'value', value: `${id} `.repeat(30_000) },
      ),
    ),
  );
  expect(one.pool.most).toBe(4);
  expect(new Set(all.map((each) => referenceOf(each).ref)).size).toBe(200);
});
