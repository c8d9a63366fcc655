import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { ownerData } from '../../../aws/owner-data.ts';
import { sessionTable } from '../../../aws/session-table.ts';
import { eraseOwner } from '../../../core/erase/erase-owner.ts';
import { newId } from '../../../core/reference/reference.ts';
import { systemClock } from '../../../core/telemetry/telemetry.ts';
import { FaultProxy } from '../../../local/fault-proxy.ts';
import { TableServer } from '../../fakes/table-server.ts';
import { bucket, type FlowWorld, flowWorld, makePlaces, newRun, type RunIds, step, steps } from '../faults-world.ts';
import { type EmulatedServices, emulatedServices } from '../ministack.ts';

jest.setTimeout(120_000);
const tableServer = new TableServer();
const tables = { runs: 'runs', catalog: 'catalog', chats: 'chats', sessions: 'sessions' };
let services: EmulatedServices;
let front: FaultProxy;
let world: FlowWorld;

beforeAll(async () => {
  services = await emulatedServices();
  front = new FaultProxy(services.url, await tableServer.listen());
  const url = await front.start();
  await makePlaces(url);
  world = flowWorld(url);
}, 120_000);
afterAll(async () => {
  world.stop();
  front.stop();
  tableServer.stop();
  await services.stop();
});

/** Everything in bucket and tables in which the owner, a session or a run of theirs is named: keys and contents. */
async function traces(ids: readonly RunIds[]): Promise<readonly string[]> {
  const needles = ids.flatMap(({ owner, session, runId }) => [owner, session, runId]);
  const found: string[] = [];
  for (const TableName of Object.values(tables)) {
    const { Items = [] } = await world.documents.send(new ScanCommand({ TableName, ConsistentRead: true }));
    for (const item of Items) {
      if (needles.some((needle) => JSON.stringify(item).includes(needle)))
        found.push(`${TableName} ${item['pk']} ${item['sk']}`);
    }
  }
  const { Contents = [] } = await world.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  const { Uploads = [] } = await world.s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  for (const { Key = '' } of [...Contents, ...Uploads])
    if (needles.some((needle) => Key.includes(needle))) found.push(`object ${Key}`);
  return found.sort();
}

/** What the platform itself makes for a person, and what it leaves when it dies half-way. */
async function live(ids: RunIds): Promise<void> {
  for (const name of steps) await step(name, ids, world);
  const { owner, session, runId } = ids;
  const put = (TableName: string, Item: Record<string, unknown>) =>
    world.documents.send(new PutCommand({ TableName, Item }));
  await put('runs', { pk: `run#${runId}`, sk: 'replace#use-rows#0', prefix: '' });
  // A turn whose writer died before the header of its chat: the run alone leads to it.
  const orphan = { ...ids, runId: newId(), session: newId() };
  await step('admit', orphan, world);
  await put('chats', { pk: `${owner}#${orphan.session}`, sk: 'turn#000000', body: '{}' });
  await put('sessions', { pk: `session#owner#${owner}`, sk: runId });
  await put('sessions', { pk: `session#${runId}`, sk: 'session', owner });
  await world.s3.send(new PutObjectCommand({ Bucket: bucket, Key: `exports/${owner}/${newId()}`, Body: 'a,b' }));
  // What an engine left and no broker came for.
  await world.s3.send(new PutObjectCommand({ Bucket: bucket, Key: `staging/${owner}/${newId()}`, Body: '{}' }));
  await world.s3.send(
    new CreateMultipartUploadCommand({ Bucket: bucket, Key: `results/${owner}/${session}/${newId()}/body` }),
  );
}

function erasePorts() {
  const { s3, documents } = world;
  const executions = new SFNClient({ region: 'us-east-1' });
  const data = ownerData({ s3, documents, executions, sessions: sessionTable(documents, 'sessions'), bucket, tables });
  return { ...data, stopRuns: async () => 0, clock: systemClock };
}

test('what real runs leave is gone from bucket and tables, half-written things too; nothing is written again', async () => {
  const person = newRun();
  const neighbour = { ...newRun(), owner: `${person.owner}-b` as RunIds['owner'] };
  await live(person);
  await live(neighbour);
  const theirs = await traces([neighbour]);
  // Of each kind of item that a run makes there is one at least, or this test would find nothing missing.
  const before = await traces([person]);
  for (const kind of [
    'runs run#',
    'runs active#',
    'catalog ',
    'chats ',
    'sessions ',
    'object results/',
    'object exports/',
    'object staging/',
  ]) {
    expect({ kind, found: before.some((line) => line.startsWith(kind)) }).toEqual({ kind, found: true });
  }
  for (const item of [' run', 'msg#', 'call#', 'tool#', 'attempt#', 'grant#', 'save']) {
    expect({ item, found: before.some((line) => line.includes(` ${item.trim()}`)) }).toEqual({ item, found: true });
  }

  const report = await eraseOwner(person.owner, erasePorts());
  expect(report.erased).toBe(true);
  // The neighbour's key begins like the person's.
  const rest = (await traces([person])).filter((line) => !theirs.includes(line));
  expect(rest).toEqual([`sessions erased#${person.owner} tombstone`]);
  expect(await traces([neighbour])).toEqual(theirs);

  // Admission and every write ask for the tombstone.
  await expect(step('admit', { ...newRun(), owner: person.owner }, world)).rejects.toMatchObject({ code: 'Forbidden' });
  expect((await traces([person])).filter((line) => !theirs.includes(line))).toHaveLength(1);
});

test('a run that was under way when its owner was erased writes nothing more for them', async () => {
  const person = newRun();
  for (const name of steps.slice(0, 2)) await step(name, person, world);
  // The tombstone alone, as if the erasure had just begun.
  await erasePorts().tombstones.put(person.owner, new Date().toISOString());
  await step('run-tool rows', person, world);
  await step('run-tool wrapped', person, world);
  await step('call-model 2', person, world);
  await expect(step('save-turn', person, world)).rejects.toMatchObject({ code: 'Forbidden' });
  const left = await traces([person]);
  expect(left.filter((line) => /^(?:catalog|chats) |\/index$/.test(line))).toEqual([]);
  await eraseOwner(person.owner, erasePorts());
  expect(await traces([person])).toEqual([`sessions erased#${person.owner} tombstone`]);
});
