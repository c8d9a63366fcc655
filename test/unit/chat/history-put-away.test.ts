import type { ChatTurn, NumberedTurn, SavedToolResult } from '../../../core/chat/chat.ts';
import { chatHistory } from '../../../core/chat/chat-history.ts';
import { saveTurn } from '../../../core/chat/save-turn.ts';
import type { ContentBlock, Message } from '../../../core/content/block.ts';
import { sendableMessages } from '../../../core/content/sendable-messages.ts';
import { Guard } from '../../../core/guard/guard.ts';
import { runPutAway } from '../../../core/guard/run-put-away.ts';
import { keepText } from '../../../core/hand-off/keep-text.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
import { now, rowsText, rowsTool, run, runId, runWorld, use } from '../../fakes/run-world.ts';
import { memoryReplacements, options, request } from '../guard/memory.ts';
import { fixedChats, header, turn } from './sample-turn.ts';

const pdf = (name: string): ContentBlock => ({
  document: { format: 'pdf', name, source: { bytes: new Uint8Array([37, 80, 68, 70]) } },
});
/** Everything that is made fit before it is sent: half a pair, names, an attachment that the service does not take. */
const awkward = (rows: number): readonly ContentBlock[] => [
  { text: `${rowsText(rows)} \ud83d` },
  pdf('../quarter: report?.pdf'),
  { image: { format: 'tiff', source: { bytes: new Uint8Array([1, 2, 3]) } } },
];

const viewer = (world: { tools: Awaited<ReturnType<typeof runWorld>>['tools'] }) => ({
  ...{ roles: ['ops'], tools: world.tools, now },
  ...{ agent: 'assistant', savedBefore: '9999' },
});

it('results of earlier turns can be put away, also those that are mended or renamed on the way', async () => {
  const world = await runWorld();
  const results: SavedToolResult[] = [];
  for (const [at, id] of ['one', 'two'].entries()) {
    const { ref, availableUntil } = await keepText(
      run,
      {
        ...{ key: `text/${at}/0`, turn: at, index: 0, tool: 'rows', text: rowsText(400) },
        ...{ gates: ['rows'], derivedFrom: [], noLaterThan: [] },
      },
      world,
    );
    results.push({
      toolResult: { toolUseId: id, status: 'success', content: awkward(400) },
      origin: { tool: 'rows', ref, sources: [], gates: ['rows'], availableUntil, confirmed: true },
    });
  }
  const [one, two] = results as [SavedToolResult, SavedToolResult];
  const saved: NumberedTurn = {
    ...turn({
      threads: [
        {
          agent: 'assistant',
          messages: [
            { role: 'user', content: [{ text: 'How many?' }] },
            { role: 'assistant', content: [use('rows', {}, 'one') as never] },
            { role: 'user', content: [one] },
            { role: 'assistant', content: [use('rows', {}, 'two') as never] },
            { role: 'user', content: [two] },
            { role: 'assistant', content: [{ text: 'Four hundred.' }] },
          ],
        },
      ],
    }),
    n: 0,
  };
  const chats = fixedChats([[header({ owner: run.owner, session: run.session })]], [saved]);
  const history = await chatHistory(chats, run.owner, run.session, viewer(world));
  const asked: Message = { role: 'user', content: [{ text: 'And now?' }] };
  // As call-model puts a request together.
  const messages = sendableMessages([...history.messages, asked]);
  for (const [at, message] of history.messages.entries()) expect(messages[at]).toBe(message);
  expect(JSON.stringify(messages)).toContain('quarter report pdf (2)');

  const replacements = memoryReplacements();
  const { request: sent } = await new Guard(options(replacements)).fit(request(messages), {
    ...{ runId, turn: 1, windowTokens: 22_000 },
    putAway: runPutAway(run, [], { ...world, origin: history.origin }),
  });
  expect(replacements.list.map(({ toolUseId, marker }) => [toolUseId, marker.kind])).toEqual([
    ['one', 'stored'],
    ['two', 'stored'],
  ]);
  expect(JSON.stringify(sent.messages)).toContain(`full result stored: ref ${one.origin.ref}`);
});

it('a result that was mended and then replaced is saved as it was sent, and comes back so', async () => {
  const content = awkward(400);
  const world = await runWorld({ answer: [use('rows', {}, 'fetch')], tools: [rowsTool] });
  const outcome: ToolOutcome = {
    ...{ toolUseId: 'fetch', tool: 'rows', status: 'success', content, ref: null },
    ...{ callDigest: 'x', oversize: false, at: now.toISOString() },
  };
  await world.outcomes.record(runId, 'tool/1/0', outcome);
  await world.messages.append(runId, {
    ...{ agent: 'assistant', turn: 1, role: 'user' },
    content: [{ toolResult: { toolUseId: 'fetch', status: 'success', content } }],
  });
  const thread = (await world.messages.thread(runId, 'assistant')).map(({ role, content: own }) => ({
    role,
    content: own,
  }));
  const replacements = memoryReplacements();
  const { request: sent } = await new Guard(options(replacements)).fit(request(sendableMessages(thread)), {
    ...{ runId, turn: 2, windowTokens: 12_000 },
    putAway: runPutAway(run, [{ turn: 1, index: 0, outcome }], { ...world, origin: () => undefined }),
  });
  expect(replacements.list).toHaveLength(1);
  await world.messages.append(runId, {
    ...{ agent: 'assistant', turn: 2, role: 'assistant' },
    content: [{ text: 'Four hundred.' }],
  });
  const kept: ChatTurn[] = [];
  const chats = {
    ...fixedChats([[header({ owner: run.owner, session: run.session })]]),
    save: async (_owner: unknown, _session: unknown, one: ChatTurn) => ({ n: kept.push(one) - 1, created: true }),
    turns: async () => kept.map((one, n) => ({ ...one, n })),
  };
  await saveTurn(run, undefined, world.settings, { ...world, chats, replacements });
  const history = await chatHistory(chats, run.owner, run.session, viewer(world));
  expect(JSON.stringify(history.messages.slice(0, -1))).toBe(JSON.stringify(sent.messages));
});
