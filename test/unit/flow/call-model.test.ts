import type { Message } from '../../../core/content/block.ts';
import { callModel } from '../../../core/flow/call-model.ts';
import { type ModelReply, type ModelRequest, ModelServiceError } from '../../../core/model/model.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { flow, rowsTool, runId, runWorld, use } from '../../fakes/run-world.ts';

const usage = { inputTokens: 1, outputTokens: 1, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 };
const says = (...content: Message['content']): ModelReply => ({
  message: { role: 'assistant', content },
  stopReason: content.some((block) => 'toolUse' in block) ? 'tool_use' : 'end_turn',
  usage,
});
const event = { runId, turn: 0, agent: 'assistant', flow };

async function modelWorld(replies: (ModelReply | Error)[], change: Parameters<typeof runWorld>[0] = {}) {
  const world = await runWorld(change);
  const requests: ModelRequest[] = [];
  return {
    ...world,
    requests,
    instructions: () => 'Answer.',
    modelSettings: () => ({ modelId: 'm', windowTokens: 200_000, maxTokens: 4_096, cachePoints: true }),
    history: async (): Promise<readonly Message[]> => [],
    converse: async (request: ModelRequest) => {
      requests.push(request);
      const next = replies.length > 1 ? replies.shift() : replies[0];
      if (next instanceof Error) throw next;
      return next as ModelReply;
    },
  };
}

it('asks with the opening message and answers stop reason and the calls, no content and no name that is made up', async () => {
  const world = await modelWorld([says({ text: 'I look.' }, use('rows'), use('made_up', {}, 'use-2'))]);
  expect(await callModel(event, world)).toEqual({
    outcome: 'ok',
    stopReason: 'tool_use',
    turn: 1,
    next: 2,
    toolUses: [
      { index: 0, name: 'rows' },
      { index: 1, name: 'unknown' },
    ],
  });
  expect(world.requests[0]?.messages).toEqual([{ role: 'user', content: [{ text: 'Which region fails most?' }] }]);
  expect(world.requests[0]?.tools.map((tool) => tool.name)).toEqual(['rows']);
});

it('a repeated event calls no model and changes nothing', async () => {
  const world = await modelWorld([says(use('rows'))]);
  const first = await callModel(event, world);
  const before = JSON.stringify([[...world.messages.items], [...world.outcomes.items]]);
  expect(await callModel(event, world)).toEqual(first);
  expect(await callModel({ ...event, turn: 1 }, world)).toEqual(first);
  expect(world.requests).toHaveLength(1);
  expect(JSON.stringify([[...world.messages.items], [...world.outcomes.items]])).toBe(before);
});

it('finishes what an interrupted call left: the message is appended from the recorded answer', async () => {
  const world = await modelWorld([says(use('rows'))]);
  await callModel(event, world);
  world.messages.items.delete(`${runId}|1|assistant|assistant`);
  await callModel(event, world);
  expect(world.requests).toHaveLength(1);
  expect((await world.messages.find(runId, 1, 'assistant'))?.content).toEqual([use('rows')]);
});

it('sends each call’s result in one user message; a call without an outcome gets an error result', async () => {
  const world = await modelWorld([says(use('rows'), use('rows', {}, 'use-2')), says({ text: 'Done.' })]);
  await callModel(event, world);
  await world.outcomes.record(runId, 'tool/1/0', { status: 'success', content: [{ text: 'four' }] });
  await callModel({ ...event, turn: 2 }, world);
  expect(world.requests[1]?.messages.at(-1)).toEqual({
    role: 'user',
    content: [
      { toolResult: { toolUseId: 'use-1', status: 'success', content: [{ text: 'four' }] } },
      {
        toolResult: {
          toolUseId: 'use-2',
          status: 'error',
          content: [{ text: expect.stringContaining('did not come to an end') }],
        },
      },
    ],
  });
});

it('calls beyond the limit of a turn are answered, not executed', async () => {
  const settings = { ...defaultSettings, run: { ...defaultSettings.run, maxToolsPerTurn: 2 } };
  const uses = [0, 1, 2].map((n) => use('rows', {}, `use-${n}`));
  const world = await modelWorld([says(...uses), says({ text: 'Done.' })], { settings });
  expect((await callModel(event, world)).toolUses).toHaveLength(2);
  await callModel({ ...event, turn: 2 }, world);
  const results = world.requests[1]?.messages.at(-1)?.content as {
    toolResult: { toolUseId: string; content: unknown };
  }[];
  expect(results.map((block) => block.toolResult.toolUseId)).toEqual(['use-0', 'use-1', 'use-2']);
  expect(JSON.stringify(results[2])).toContain('at most 2 tools');
});

it('offers the same list in every request: only what the recorded roles open', async () => {
  const tools = [
    rowsTool,
    { ...rowsTool, name: 'secret', roles: ['admin'] },
    { ...rowsTool, name: 'open', roles: ['*'] },
  ];
  const world = await modelWorld([says(use('rows')), says({ text: 'Done.' })], { tools });
  await callModel(event, world);
  await callModel({ ...event, turn: 2 }, world);
  expect(world.requests[0]?.tools.map((tool) => tool.name)).toEqual(['rows', 'open']);
  expect(world.requests[1]?.tools).toEqual(world.requests[0]?.tools);
  expect(world.requests[1]?.system).toEqual(world.requests[0]?.system);
});

it('puts the chat before the thread', async () => {
  const earlier: Message[] = [
    { role: 'user', content: [{ text: 'Hello' }] },
    { role: 'assistant', content: [{ text: 'Hello.' }] },
  ];
  const world = await modelWorld([says({ text: 'Done.' })]);
  await callModel(event, { ...world, history: async () => earlier });
  expect(world.requests[0]?.messages.slice(0, 2)).toEqual(earlier);
});

it('ends after the last turn with a code', async () => {
  const world = await modelWorld([says({ text: 'Done.' })]);
  await expect(callModel({ ...event, turn: 13 }, world)).rejects.toMatchObject({ code: 'TurnLimit' });
  expect(world.requests).toEqual([]);
});

it.each([
  [new ModelServiceError('ThrottlingException', 'slow down, ada', true), 'ModelUnavailable'],
  [new ModelServiceError('ValidationException', 'your secret text is bad', false), 'ModelRefused'],
])('the service’s wording stays inside (%#)', async (error, code) => {
  const world = await modelWorld([error]);
  const failure = callModel(event, world);
  await expect(failure).rejects.toMatchObject({ code });
  await expect(failure).rejects.not.toThrow(/ada|secret/);
  expect(world.outcomes.items.size).toBe(0);
});

it('arguments nested beyond reason end the run with a word about why, and nothing of them is stored', async () => {
  const input = JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`) as unknown;
  const world = await modelWorld([says(use('rows', input))]);
  await expect(callModel(event, world)).rejects.toMatchObject({ code: 'ModelRefused', retryable: false });
  expect(await world.messages.find(runId, 1, 'assistant')).toBeUndefined();
});

it('an empty answer and blank text never go back to the service', async () => {
  const world = await modelWorld([says({ text: '  \n' })]);
  await callModel(event, world);
  expect((await world.messages.find(runId, 1, 'assistant'))?.content).toEqual([{ text: 'The model gave no answer.' }]);
});

it('refuses a turn that another agent had, and an agent with nothing to answer', async () => {
  const world = await modelWorld([says({ text: 'Done.' })]);
  await callModel(event, world);
  await expect(callModel({ ...event, agent: 'writer' }, world)).rejects.toMatchObject({ code: 'InvalidInput' });
  await expect(callModel({ ...event, agent: 'writer', turn: 2 }, world)).rejects.toMatchObject({ code: 'NotFound' });
});
