import { newId } from '../../core/reference/reference.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(180_000);
const platform = testPlatform();

test('a tool that the roles do not allow is refused, though the model asks for it', async () => {
  const run = await platform.ask('arthur', 'call service_status with {}');
  process.stdout.write(`disallowed tool: ${run.answer}\n`);
  expect(run.steps).toEqual([{ tool: 'service_status', status: 'error' }]);
  expect(run.links).toEqual([]);
  expect(run.answer).toMatch(/^service_status failed/);
});

test('a tool that does not exist is refused, and the flow ends well', async () => {
  const run = await platform.ask('olivia', 'call delete_everything with {"really":true}');
  process.stdout.write(`forged tool name: ${run.answer}\n`);
  expect(run.steps).toEqual([{ tool: 'delete_everything', status: 'error' }]);
  expect(run.answer).toMatch(/^delete_everything failed/);
});

test('a reference that was not granted to the run reads as not found', async () => {
  const theirs = await platform.ask('olivia', 'How many flights are there?');
  const run = await platform.ask('arthur', `call read_result with {"ref":"${theirs.links[0]?.ref}"}`);
  const unknown = await platform.ask('arthur', `call read_result with {"ref":"${newId()}/${newId()}"}`);
  expect(run.steps).toEqual([{ tool: 'read_result', status: 'error' }]);
  expect(run.answer).toBe(unknown.answer);
});

test.each(['owner', 'username', 'roles'])('POST /runs refuses %s', async (key) => {
  const client = await platform.signedIn('arthur');
  const response = await client.request('/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'assistant', message: 'flights?', idempotencyKey: newId(), [key]: 'olivia' }),
  });
  process.stdout.write(`forged ${key}: ${response.status} ${await response.text()}\n`);
  expect(response.status).toBe(400);
});

describe('events of functions', () => {
  let runId: string;
  beforeAll(async () => {
    runId = (await platform.ask('olivia', 'How many flights are there?')).runId;
  });
  const rows: readonly [string, string, (runId: string) => object][] = [
    ['call-model with an owner', 'call-model', (id) => ({ ...event(id), agent: 'assistant', owner: 'olivia' })],
    ['call-model with roles', 'call-model', (id) => ({ ...event(id), agent: 'assistant', roles: ['ops'] })],
    ['run-tool with an owner', 'run-tool', (id) => ({ ...event(id), index: 0, owner: 'olivia' })],
    ['run-tool with a session', 'run-tool', (id) => ({ ...event(id), index: 0, session: newId() })],
    ['run-tool with a negative index', 'run-tool', (id) => ({ ...event(id), index: -1 })],
    ['run-tool without a run id', 'run-tool', (id) => ({ ...event(id), runId: undefined, index: 0 })],
    [
      'save-turn with an owner',
      'save-turn',
      (id) => ({ runId: id, flow: platform.flow('assistant', id), owner: 'olivia' }),
    ],
  ];
  const event = (id: string) => ({ runId: id, turn: 9, flow: platform.flow('assistant', id) });

  test.each(rows)('%s is refused as malformed', async (_name, name, make) => {
    const before = await platform.counts();
    const { fault, answer } = await platform.invoke(name, make(runId));
    process.stdout.write(`${name}: ${JSON.stringify(answer).slice(0, 200)}\n`);
    expect(fault || answer['outcome'] === 'error').toBe(true);
    expect(JSON.stringify(answer)).toContain('InvalidInput');
    expect(await platform.counts()).toEqual(before);
  });

  test('a run that does not exist, and a run of another flow', async () => {
    const missing = await platform.invoke('call-model', { ...event(newId()), agent: 'assistant' });
    expect(missing.answer).toMatchObject({ outcome: 'error', code: 'NotFound' });
    const foreign = await platform.invoke('call-model', {
      ...event(runId),
      agent: 'assistant',
      flow: platform.flow('notes', runId),
    });
    expect(foreign.answer).toMatchObject({ outcome: 'error' });
  });
});
