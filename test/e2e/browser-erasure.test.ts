import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateMultipartUploadCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../../core/reference/reference.ts';
import { credentials, region } from '../../local/ministack.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(180_000);
const platform = testPlatform();
const settings = { endpoint: platform.handle.emulatorUrl, region, credentials };
const s3 = new S3Client({ ...settings, forcePathStyle: true });
const documents = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
const Bucket = platform.output('BucketName');
const tables = ['RunsTable', 'CatalogTable', 'ChatsTable', 'SessionsTable'].map((name) => platform.output(name));
const outputs = join(platform.handle.folder, 'erasure-outputs.json');

beforeAll(() => writeFileSync(outputs, JSON.stringify(platform.handle.outputs)));
afterAll(() => {
  s3.destroy();
  documents.destroy();
});

/** As much of everything as one person leaves behind; the last of each kind is what a half erasure would miss. */
async function furnish(owner: string): Promise<void> {
  const [runs = '', catalog = '', chats = '', sessions = ''] = tables;
  const session = newId();
  for (let n = 0; n < 3; n += 1) {
    const id = newId();
    for (const Key of [
      `results/${owner}/${session}/${id}/body`,
      `results/${owner}/${session}/${id}/index`,
      `exports/${owner}/${id}`,
    ]) {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }));
    }
    const runId = newId();
    const put = (TableName: string, Item: Record<string, unknown>) =>
      documents.send(new PutCommand({ TableName, Item }));
    await put(catalog, { pk: owner, sk: `${session}/${id}`, at: '2026-01-01T00:00:00.000Z' });
    await put(chats, { pk: owner, sk: `chat#${session}`, title: 't' });
    await put(chats, { pk: `${owner}#${session}`, sk: `turn#00000${n}`, body: '{}' });
    await put(runs, { pk: `run#${runId}`, sk: 'run', runId, owner, status: 'succeeded', stateMachineArn: 'arn:x' });
    await put(runs, { pk: `run#${runId}`, sk: 'msg#0000#assistant#u#0000', body: 'x' });
    await put(runs, { pk: `active#${owner}`, sk: runId, until: 1 });
    await put(sessions, { pk: `session#owner#${owner}`, sk: id });
    await put(sessions, { pk: `session#${id}`, sk: 'session', owner });
  }
  await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: `results/${owner}/${session}/${newId()}/body` }));
}

/** Everything in bucket and tables that names this owner. */
async function traces(owner: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const Prefix of [`results/${owner}/`, `exports/${owner}/`]) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
    found.push(...Contents.map(({ Key }) => Key ?? ''));
  }
  const own = new RegExp(`(^|#)${owner}($|#)`);
  for (const TableName of tables) {
    const { Items = [] } = await documents.send(new ScanCommand({ TableName, ConsistentRead: true }));
    for (const item of Items) {
      if (own.test(String(item['pk'])) || item['owner'] === owner) found.push(`${item['pk']} ${item['sk']}`);
    }
  }
  return found.sort();
}

function erase(...args: readonly string[]) {
  const root = resolve(import.meta.dirname, '../..');
  const child = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/erase.ts', '--outputs', outputs, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      AWS_ENDPOINT_URL: platform.handle.emulatorUrl,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  });
  return { status: child.status, text: child.stdout, error: child.stderr };
}

test('an owner is erased whole, the neighbour whose key begins alike is not, and a repeat is quiet', async () => {
  const owner = `erase-${newId().slice(0, 8)}`;
  const neighbour = `${owner}-too`;
  await furnish(owner);
  await furnish(neighbour);
  const before = await traces(neighbour);

  const dry = erase('--owner', owner, '--dry-run');
  expect(dry).toMatchObject({ status: 0 });
  expect(JSON.parse(dry.text)).toMatchObject({ erased: false, removed: { objects: 9, 'sign-ins': 3 } });
  expect((await traces(owner)).length).toBeGreaterThan(20);

  const done = erase('--owner', owner);
  expect(done).toMatchObject({ status: 0 });
  const report = JSON.parse(done.text) as { removed: Record<string, number>; requestedAt: string };
  expect(report).toMatchObject({
    owner,
    erased: true,
    removed: {
      objects: 9,
      'unfinished uploads': 1,
      'catalogue rows': 3,
      'chat items': 4,
      'run items': 6,
      'open runs': 3,
      'sign-ins': 3,
    },
  });
  // What stays is the mark that keeps anything new from being written.
  expect(await traces(owner)).toEqual([`erased#${owner} tombstone`]);
  expect(await traces(neighbour)).toEqual(before);

  const again = JSON.parse(erase('--owner', owner).text) as typeof report;
  expect(Object.values(again.removed).every((number) => number === 0)).toBe(true);
  expect(again.requestedAt).toBe(report.requestedAt);
});

test('a text that is no owner key erases nothing', () => {
  for (const bad of ['', '*', 'a/b', '../x', 'Olivia', 'a b']) {
    const refused = erase('--owner', bad);
    expect([bad, refused.status]).toEqual([bad, 1]);
    expect(refused.error).toContain('owner: expected the owner key');
  }
});
