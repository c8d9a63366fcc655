import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { readResult } from '../../core/read/read-result.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import type { ToolOutcome } from '../../core/run/outcomes.ts';
import { rolesDigest } from '../../core/run/roles-digest.ts';
import { resultFormat } from '../../core/store/result-index.ts';
import { FaultProxy } from '../../local/fault-proxy.ts';
import { rowsText } from '../fakes/run-world.ts';
import { TableServer } from '../fakes/table-server.ts';
import { bucket, type FlowWorld, flowWorld, makePlaces, produced } from './faults-world.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

// What earlier versions have stored, kept as they wrote it, read by the code of today. The fixtures are never made
// anew: a change of a stored format gets a folder of its own beside them.
jest.setTimeout(120_000);
const fixtures = join(import.meta.dirname, '../fixtures/formats');
const versions = readdirSync(fixtures).filter((name) => /^v\d+$/.test(name));
const runId = '0123456789abcdef'.repeat(2);
const session = 'fedcba9876543210'.repeat(2);
const owner = ownerKey('ada');

interface StoredObject {
  readonly key: string;
  readonly contentType: string;
  readonly metadata: Record<string, string>;
  /** A body. */
  readonly text?: string;
  /** A commit record, which holds bytes. */
  readonly base64?: string;
}
const kept = <T>(version: string, name: string): T =>
  JSON.parse(readFileSync(join(fixtures, version, name), 'utf8')) as T;

test('the format of today is among those kept', () => {
  expect(versions).toContain(`v${resultFormat}`);
});

describe.each(versions)('format %s', (version) => {
  const tableServer = new TableServer();
  let services: EmulatedServices;
  let front: FaultProxy;
  let world: FlowWorld;

  beforeAll(async () => {
    services = await emulatedServices();
    front = new FaultProxy(services.url, await tableServer.listen());
    const url = await front.start();
    await makePlaces(url);
    world = flowWorld(url);
    for (const [TableName, items] of Object.entries(
      kept<Record<string, Record<string, unknown>[]>>(version, 'tables.json'),
    )) {
      for (const Item of items) await world.documents.send(new PutCommand({ TableName, Item }));
    }
    for (const { key, contentType, metadata, text, base64 } of kept<readonly StoredObject[]>(version, 'objects.json')) {
      await world.s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: text ?? Buffer.from(base64 ?? '', 'base64'),
          ContentType: contentType,
          Metadata: metadata,
        }),
      );
    }
  }, 120_000);
  afterAll(async () => {
    world.stop();
    front.stop();
    tableServer.stop();
    await services.stop();
  });

  test('the run, its thread, outcomes and grants', async () => {
    const { runs, messages, outcomes, grants } = world.ports;
    expect(await runs.get(runId)).toMatchObject({
      owner,
      session,
      status: 'succeeded',
      rolesDigest: rolesDigest(['ops']),
    });
    const thread = await messages.thread(runId, 'assistant');
    expect(thread.map(({ turn, role }) => `${turn} ${role}`)).toEqual([
      '0 user',
      '1 assistant',
      '1 user',
      '2 assistant',
    ]);
    expect(thread.at(-1)?.content).toEqual([{ text: 'Both were read.' }]);
    const calls = await outcomes.list<ToolOutcome>(runId, 'tool/');
    expect(calls.map(({ outcome }) => [outcome.tool, outcome.status])).toEqual([
      ['rows', 'success'],
      ['wrapped', 'success'],
    ]);
    expect((await grants.all(runId)).map(({ ref }) => ref).sort()).toEqual(
      calls.map(({ outcome }) => outcome.ref).sort(),
    );
  });

  test('the results: index, metadata, every record to the last, digest', async () => {
    const run = await world.ports.runs.get(runId);
    for (const [index, records] of [900, 4_000].entries()) {
      const outcome = await world.ports.outcomes.find<ToolOutcome>(runId, `tool/1/${index}`);
      const ref = String(outcome?.ref);
      const address = { owner, session, id: ref.slice(33) };
      const found = await world.ports.store.readIndex(address);
      expect(found).toMatchObject({ ref, records, sha256: produced[outcome?.tool ?? ''], tool: outcome?.tool });
      expect((await world.ports.store.headBody(address))?.metadata).toMatchObject({
        runId,
        turn: 1,
        index,
        tools: [outcome?.tool],
      });
      const asked = { ref, offset: records - 1, limit: 1 };
      const answer = await readResult(run as NonNullable<typeof run>, asked, world.ports);
      expect(answer.coverage).toMatchObject({ loaded: 1, total: records, selection_complete: true });
      expect(answer.text).toContain('the last');
      expect(answer.text).toContain(JSON.stringify((JSON.parse(rowsText(records)) as { name: string }[]).at(-1)?.name));
    }
  });

  test('the catalogue and the chat', async () => {
    const turns = await world.ports.chats.turns(owner, session);
    expect(turns).toHaveLength(1);
    expect(turns[0]).toMatchObject({ status: 'succeeded' });
    for (const { ref } of turns[0]?.references ?? []) {
      expect(await world.ports.catalogue.find(owner, ref)).toMatchObject({
        status: 'stored',
        version: 1,
        gates: [expect.any(String)],
      });
    }
    expect(turns[0]?.references).toHaveLength(2);
    expect(await world.ports.chats.header(owner, session)).toMatchObject({ title: 'What is there?' });
  });
});
