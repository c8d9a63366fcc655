import { readdirSync } from 'node:fs';
import { downloadObjects } from '../../aws/object-url.ts';
import { readResult } from '../../core/read/read-result.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import type { ToolOutcome } from '../../core/run/outcomes.ts';
import { rolesDigest } from '../../core/run/roles-digest.ts';
import { resultFormat } from '../../core/store/result-index.ts';
import { silentTelemetry } from '../../core/telemetry/telemetry.ts';
import { passesGates, toolCatalogue } from '../../core/tool/tool-definition.ts';
import { rowsText, rowsTool } from '../fakes/run-world.ts';
import { bucket, type FlowWorld, produced } from './faults-world.ts';
import { formatFixtures, type PlantedFormats, plantedFormats } from './planted-formats.ts';

// What earlier versions have stored, kept as they wrote it, read by the code of today.
jest.setTimeout(120_000);
const versions = readdirSync(formatFixtures).filter((name) => /^v\d+$/.test(name));
const runId = '0123456789abcdef'.repeat(2);
const session = 'fedcba9876543210'.repeat(2);
const owner = ownerKey('ada');

test('the format of today is among those kept', () => {
  expect(versions).toContain(`v${resultFormat}`);
});

describe.each(versions)('format %s', (version) => {
  let planted: PlantedFormats;
  let world: FlowWorld;
  beforeAll(async () => {
    planted = await plantedFormats(version);
    world = planted.world;
  }, 120_000);
  afterAll(() => planted.stop());

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

  test('a gate of before views had their fields in it opens as it did, and to whoever sees all where there is a view now', async () => {
    const look = downloadObjects(world.s3, bucket, silentTelemetry);
    const outcome = await world.ports.outcomes.find<ToolOutcome>(runId, 'tool/1/0');
    const id = String(outcome?.ref).slice(33);
    const facts = await look.look(owner, { kind: 'result', session, id });
    expect(facts?.tools).toEqual(['rows']);
    const opens = (tool: typeof rowsTool, role: string) =>
      passesGates(toolCatalogue([tool]), facts?.tools ?? [], [role]);
    const viewed = { ...rowsTool, roles: ['ops', 'head'], view: { ops: ['id'], head: ['*'] } };
    expect([opens(rowsTool, 'ops'), opens(viewed, 'head'), opens(viewed, 'ops')]).toEqual([true, true, false]);
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
