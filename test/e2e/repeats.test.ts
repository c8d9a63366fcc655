import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { localFolder } from '../../local/folder.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(180_000);
const platform = testPlatform();

test('a repeated call-model and run-tool event changes nothing: same answer, no call, no item, no object', async () => {
  const run = await platform.ask('olivia', 'How many services does the status report hold?');
  const event = { runId: run.runId, turn: 0, flow: platform.flow('assistant', run.runId) };
  const before = await platform.counts();
  const calls = modelCalls();
  const model = [
    await platform.invoke('call-model', { ...event, agent: 'assistant' }),
    await platform.invoke('call-model', { ...event, agent: 'assistant' }),
  ];
  const turn = Number(model[0]?.answer['turn']);
  const tool = [
    await platform.invoke('run-tool', { ...event, turn, index: 0 }),
    await platform.invoke('run-tool', { ...event, turn, index: 0 }),
  ];
  const after = await platform.counts();
  process.stdout.write(`before ${JSON.stringify(before)}\nafter  ${JSON.stringify(after)}\n`);
  expect(after).toEqual(before);
  expect(modelCalls()).toBe(calls);
  expect(model[0]).toEqual(model[1]);
  expect(tool[0]).toEqual(tool[1]);
});

test('the same POST /runs is the same run', async () => {
  const client = await platform.signedIn('arthur');
  const body = { agent: 'assistant', message: 'How many flights are there?', idempotencyKey: randomUUID() };
  const first = await client.startRun(body);
  await client.finished(first.runId);
  const before = await platform.counts();
  const second = await client.startRun(body);
  expect(second.runId).toBe(first.runId);
  expect(await platform.counts()).toEqual(before);
});

/** Requests that the scripted model was sent so far. */
function modelCalls(): number {
  return readFileSync(localFolder(platform.handle.folder).modelRequests, 'utf8').split('\n').length;
}
