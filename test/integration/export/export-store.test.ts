import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { exportFromTool } from '../../../aws/export-from-tool.ts';
import { S3ExportStore } from '../../../aws/s3-export-store.ts';
import { S3ResultStore } from '../../../aws/s3-result-store.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import { newId } from '../../../core/reference/reference.ts';
import type { ToolContext } from '../../../core/tool/tool-definition.ts';
import { FaultyProxy, type ProxiedRequest } from '../../fakes/faulty-proxy.ts';
import { type EmulatedServices, emulatedServices } from '../ministack.ts';

jest.setTimeout(180_000);
const bucket = 'results';
let services: EmulatedServices;
let proxy: FaultyProxy;
let direct: S3Client;
let bodies: S3ResultStore;
let csvFiles: S3ExportStore;

beforeAll(async () => {
  services = await emulatedServices();
  proxy = new FaultyProxy(services.url);
  direct = services.s3();
  await direct.send(new CreateBucketCommand({ Bucket: bucket }));
  const client = services.s3(await proxy.start());
  bodies = new S3ResultStore(client, bucket);
  csvFiles = new S3ExportStore(client, bucket);
});
afterAll(async () => {
  proxy?.stop();
  await services?.stop();
});
beforeEach(() => {
  proxy.fault = () => undefined;
});

const contextOf = (): ToolContext => ({
  runId: newId(),
  turn: 1,
  index: 0,
  toolUseId: 'use-1',
  tool: 'rows',
  owner: ownerKey('Ada'),
  session: newId(),
  roles: ['analyst'],
  deadline: new Date(Date.now() + 120_000).toISOString(),
  resultId: newId(),
  availableUntil: '2026-12-30T00:00:00.000Z',
});
const count = 60_000;
/** More than one part of eight megabytes in each file; only the last row says END. */
function* many(): Generator<unknown> {
  for (let id = 0; id < count; id += 1) yield { id, pad: 'é'.repeat(100), text: id === count - 1 ? '=END' : 'row' };
}
const options = () => ({ bodies, exports: csvFiles, inlineBytes: 4_096, maxBytes: 1e9, fileName: 'Zeilen über alles' });
const keys = async () =>
  (await direct.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents?.map(({ Key }) => Key) ?? [];
const unfinished = async () => (await direct.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [];
const text = async (Key: string) =>
  (await direct.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToString() ?? '';

test('both files stand under the owner, whole, in parts, with whose they are on them', async () => {
  const context = contextOf();
  const answer = await exportFromTool(
    context,
    { rows: many(), columns: ['id', 'pad', 'text'], total: () => 70_000 },
    options(),
  );
  const { owner, session, resultId } = context;
  const [csvKey, bodyKey] = [`exports/${owner}/${resultId}`, `results/${owner}/${session}/${resultId}/body`];
  const csv = await text(csvKey);
  expect(csv.split('\r\n')).toHaveLength(count + 2);
  expect(csv.split('\r\n').at(-2)).toMatch(/,'=END$/);
  const typed = (await text(bodyKey)).trimEnd().split('\n');
  expect(JSON.parse(typed.at(-1) ?? '')).toMatchObject({ id: count - 1, text: '=END' });
  expect(answer.stored).toMatchObject({ id: resultId, export: { total: 70_000, longCells: 0 } });
  const head = await direct.send(new HeadObjectCommand({ Bucket: bucket, Key: csvKey }));
  expect(head.ContentType).toBe('text/csv; charset=utf-8');
  expect(await csvFiles.headCsv({ owner: ownerKey('Ada'), id: resultId })).toMatchObject({
    bytes: Buffer.byteLength(csv),
    metadata: { tools: ['rows'], runId: context.runId, fileName: 'Zeilen über alles.csv' },
  });
  expect(await csvFiles.headCsv({ owner: ownerKey('Bob'), id: resultId })).toBeUndefined();
  expect(await unfinished()).toEqual([]);
});

const partOf =
  (prefix: string, number: string) =>
  ({ method, path, query }: ProxiedRequest) =>
    method === 'PUT' && path.includes(`/${prefix}/`) && query.get('partNumber') === number;
const completionOf =
  (prefix: string) =>
  ({ method, path, query }: ProxiedRequest) =>
    method === 'POST' && path.includes(`/${prefix}/`) && query.has('uploadId');

test.each([
  ['the first part of the CSV', partOf('exports', '1')],
  ['the second part of the CSV', partOf('exports', '2')],
  ['the second part of the typed copy', partOf('results', '2')],
  ['the completion of the CSV', completionOf('exports')],
  ['the completion of the typed copy', completionOf('results')],
])('%s is refused: no part stays, no CSV stands, the rows read are answered', async (_name, is) => {
  const before = await keys();
  proxy.fault = (request) => (is(request) ? { status: 403, code: 'AccessDenied' } : undefined);
  const answer = await exportFromTool(contextOf(), { rows: many(), columns: ['id', 'pad', 'text'] }, options());
  proxy.fault = () => undefined;
  expect(answer.stored).toMatchObject({ bytes: 0, etag: '' });
  expect(JSON.parse((answer.content[0] as { text: string }).text).length).toBeGreaterThan(5);
  expect(await unfinished()).toEqual([]);
  const left = (await keys()).filter((key) => !before.includes(key));
  // A body without its commit record does not exist; a CSV would.
  expect(left.filter((key) => key?.startsWith('exports/'))).toEqual([]);
});

test('a source that breaks in the middle leaves nothing behind', async () => {
  const before = await keys();
  const breaking = (function* () {
    yield* many();
    throw new Error('the database went away');
  })();
  await expect(
    exportFromTool(contextOf(), { rows: breaking, columns: ['id', 'pad', 'text'] }, options()),
  ).rejects.toThrow('the database went away');
  expect(await unfinished()).toEqual([]);
  expect(await keys()).toEqual(before);
});

test('a file that stands is not written over', async () => {
  const context = contextOf();
  await exportFromTool(context, { rows: [{ a: 1 }] }, options());
  const again = await exportFromTool(context, { rows: [{ a: 2 }] }, options());
  expect(again.stored).toMatchObject({ bytes: 0 });
  expect(await text(`exports/${context.owner}/${context.resultId}`)).toBe('\ufeffa\r\n1\r\n');
});
