import { downloadObjects } from '../../aws/object-url.ts';
import { openChat } from '../../core/chat/open-chat.ts';
import { readResult } from '../../core/read/read-result.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import type { ToolOutcome } from '../../core/run/outcomes.ts';
import type { Run } from '../../core/run/run.ts';
import { silentTelemetry } from '../../core/telemetry/telemetry.ts';
import { passesGates, toolCatalogue } from '../../core/tool/tool-definition.ts';
import { rowsTool } from '../fakes/run-world.ts';
import { bucket } from './faults-world.ts';
import { type PlantedFormats, plantedFormats } from './planted-formats.ts';

// Results of tools with views, and one that was made of them, as they were stored when a gate got the fields of its view.
jest.setTimeout(120_000);
const runId = '0123456789abcdef'.repeat(2);
const session = 'fedcba9876543210'.repeat(2);
const owner = ownerKey('ada');
const people = {
  ...rowsTool,
  name: 'people',
  roles: ['ops', 'hr', 'head'],
  view: { ops: ['id'], hr: ['id', 'salary'], head: ['*'] },
};
const tools = toolCatalogue([people, { ...people, name: 'wrapped' }]);
let planted: PlantedFormats;
let refs: readonly string[];

beforeAll(async () => {
  planted = await plantedFormats('v1-views');
  const { catalogue, outcomes } = planted.world.ports;
  const made = await Promise.all(
    [0, 1].map((index) => outcomes.find<ToolOutcome>(runId, `tool/1/${index}`).then((each) => String(each?.ref))),
  );
  const derived = (await catalogue.session(owner, session)).find(({ tool }) => tool === 'analyze_result');
  refs = [...made, String(derived?.ref)];
}, 120_000);
afterAll(() => planted.stop());

const gates = [['people{id,salary}'], ['wrapped{id,salary}'], ['people{id,salary}', 'wrapped{id,salary}']];

test('object, commit record and catalogue have the same gates, and they open for the roles that see those fields', async () => {
  const { s3, ports } = planted.world;
  const objects = downloadObjects(s3, bucket, silentTelemetry);
  for (const [at, ref] of refs.entries()) {
    const facts = await objects.look(owner, { kind: 'result', session, id: ref.slice(33) });
    const entry = await ports.catalogue.find(owner, ref);
    expect([facts?.tools, entry?.gates]).toEqual([gates[at], gates[at]]);
    expect((await ports.store.readIndex({ owner, session, id: ref.slice(33) }))?.ref).toBe(ref);
    const opens = ['ops', 'hr', 'head'].map((role) => passesGates(tools, facts?.tools ?? [], [role]));
    expect(opens).toEqual([false, true, true]);
  }
  expect((await ports.catalogue.find(owner, refs[2] ?? ''))?.derivedFrom).toEqual(refs.slice(0, 2));
});

test('each is read to its last record, with the fields of its view and no other', async () => {
  const { ports } = planted.world;
  // Its run has ended; the reader looks at grants and gates, and is asked as it was then.
  const run = (await ports.runs.get(runId)) as Run;
  for (const ref of refs.slice(0, 2)) {
    const answer = await readResult(run, { ref, offset: 899, limit: 1 }, { ...ports, tools });
    expect(answer.coverage).toMatchObject({ loaded: 1, total: 900, selection_complete: true });
    expect(JSON.parse(answer.text).data).toEqual([{ id: 899, salary: 1_899 }]);
  }
});

test('the chat shows its turn to who may see all of it, and nothing of the results to who may not', async () => {
  const { ports } = planted.world;
  const shown = async (roles: readonly string[]) =>
    JSON.stringify(await openChat(ports.chats, owner, session, { roles, tools, now: new Date() }));
  expect(await shown(['hr'])).toContain('The last one earns 1899.');
  expect(await shown(['ops'])).not.toMatch(/1899|salary/);
});
