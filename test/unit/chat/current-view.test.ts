import fc from 'fast-check';
import type { SavedMessage, SavedThread } from '../../../core/chat/chat.ts';
import { chatHistory } from '../../../core/chat/chat-history.ts';
import { viewThreads } from '../../../core/chat/current-view.ts';
import { openChat } from '../../../core/chat/open-chat.ts';
import { toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { rowsTool } from '../../fakes/run-world.ts';
import { fixedChats, header, owner, session, turn } from './sample-turn.ts';

const tools = toolCatalogue([rowsTool, { ...rowsTool, name: 'open', roles: ['*'] }]);
const viewer = { roles: ['visitor'], tools, now: new Date('2026-11-30T12:00:00Z') };
const secret = 'SALARY-4711';

/** One step of an agent: what it said, what it asked for, and what came back; `closed`: from a tool that is not open. */
const step = fc.record({
  closed: fc.boolean(),
  words: fc.boolean(),
  reasoning: fc.boolean(),
  shape: fc.constantFrom('text', 'json', 'marker', 'error'),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const threads = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });

/** As models do: whatever was seen may be said again in everything that comes after it, by every later agent. */
function conversation(agents: readonly (readonly Step[])[]) {
  let known = false;
  const told = () => (known ? `it is ${secret}` : 'nothing yet');
  const made = agents.map((steps, at): SavedThread => {
    const messages: SavedMessage[] = [{ role: 'user', content: [{ text: at === 0 ? 'How much?' : told() }] }];
    for (const [n, { closed, words, reasoning, shape }] of steps.entries()) {
      const toolUseId = `use-${at}-${n}`;
      messages.push({
        role: 'assistant',
        content: [
          ...(reasoning ? [{ reasoningContent: { reasoningText: { text: told(), signature: 's' } } }] : []),
          ...(words ? [{ text: told() }] : []),
          { toolUse: { toolUseId, name: closed ? 'rows' : 'open', input: { query: told() } } },
        ],
      });
      known ||= closed;
      // What an open tool answers is its own, under its own gate, whatever it was asked.
      const found = closed ? secret : 'an open record';
      const ref = `${session}/${String(n).padStart(32, '0')}`;
      const content = {
        text: [{ text: found }],
        json: [{ json: { data_reference: { ref, fields: [found] } } }],
        marker: [
          { text: found },
          { marker: { kind: 'stored' as const, ref, bytes: 9, availableUntil: '2027-01-01T00:00:00.000Z' } },
        ],
        error: [{ text: `refused: ${found}` }],
      }[shape];
      messages.push({
        role: 'user',
        content: [
          {
            toolResult: { toolUseId, status: shape === 'error' ? 'error' : 'success', content },
            origin: {
              ...{ tool: closed ? 'rows' : 'open', ref, sources: [], gates: [closed ? 'rows' : 'open'] },
              ...{ availableUntil: '2027-01-01T00:00:00.000Z', confirmed: true },
            },
          },
        ],
      });
    }
    messages.push({ role: 'assistant', content: [{ text: told() }] });
    return { agent: `agent-${at}`, messages };
  });
  return { threads: made, known };
}

it('nothing that was said after a refused result is shown, whoever said it and wherever it stands', async () => {
  await fc.assert(
    fc.asyncProperty(threads, async (agents) => {
      const { threads: saved, known } = conversation(agents);
      const gates = known ? ['open', 'rows'] : ['open'];
      const one = { ...turn({ threads: saved, answer: known ? secret : 'none', gates }), n: 0 };
      const later = { ...turn({ answer: secret, gates, inheritedGates: gates, at: '2026-11-30T12:01:00.000Z' }), n: 1 };
      const said = {
        ...later,
        threads: [{ agent: 'agent-0', messages: [{ role: 'assistant' as const, content: [{ text: secret }] }] }],
      };
      const chats = fixedChats([[header({ gates })]], known ? [one, said] : [one]);
      const seen = [
        viewThreads(one, viewer).map(({ messages }) => messages),
        await openChat(chats, owner, session, viewer),
        (await chatHistory(chats, owner, session, { ...viewer, agent: 'agent-0', savedBefore: '2027' })).messages,
        (await chatHistory(chats, owner, session, { ...viewer, agent: 'another', savedBefore: '2027' })).messages,
      ];
      expect(JSON.stringify(seen)).not.toContain(secret);
      // And with the role, all of it is there: the test would notice if nothing were shown at all.
      const whole = JSON.stringify(viewThreads(one, { ...viewer, roles: ['ops'] }));
      expect(whole.includes(secret)).toBe(known);
      // What an open tool answered stays, before and after.
      expect(JSON.stringify(seen[0]).includes('an open record')).toBe(whole.includes('an open record'));
    }),
    { numRuns: 300 },
  );
});

it('an agent that is handed the work back says nothing of what the other one saw, though its thread stands first', () => {
  const asked = (text: string): SavedMessage => ({ role: 'user', content: [{ text }] });
  const said = (text: string): SavedMessage => ({ role: 'assistant', content: [{ text }] });
  const toolUseId = 'use-1';
  const saved: SavedThread[] = [
    {
      agent: 'writer',
      messages: [
        asked('How much?'),
        said('Let the fetcher look.'),
        asked(`- total: ${secret}`),
        { role: 'assistant', content: [{ reasoningContent: { reasoningText: { text: secret } } }, { text: secret }] },
      ],
    },
    {
      agent: 'fetcher',
      messages: [
        asked('Look.'),
        { role: 'assistant', content: [{ toolUse: { toolUseId, name: 'rows', input: {} } }] },
        {
          role: 'user',
          content: [
            {
              toolResult: { toolUseId, content: [{ text: secret }] },
              origin: { tool: 'rows', ref: null, sources: [], gates: ['rows'], availableUntil: null, confirmed: false },
            },
          ],
        },
      ],
    },
  ];
  const shown = JSON.stringify(viewThreads(turn({ threads: saved, gates: ['rows'] }), viewer));
  expect(shown).not.toContain(secret);
  expect(shown).toContain('Let the fetcher look.');
});
