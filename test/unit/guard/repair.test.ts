import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message, MessageBlock } from '../../../core/content/block.ts';
import { missingResult, repairedMessages } from '../../../core/guard/repair.ts';

const parallel = JSON.parse(readFileSync(join(__dirname, '../../fixtures/cases/parallel-history.json'), 'utf8')) as {
  good: unknown[];
  bad: { why: string; results: unknown[] }[];
};
const good = parallel.good as unknown as Message[];
const [question, calls] = good as [Message, Message, Message];

const answer = (id: string): MessageBlock => ({ toolResult: { toolUseId: id, content: [{ text: id }] } });
function history(results: readonly (string | readonly string[])[]): Message[] {
  const block = (id: string): MessageBlock => (id === 'text' ? { text: 'wait' } : answer(id));
  if (results.some((entry) => Array.isArray(entry))) {
    return [question, calls, ...results.map((ids): Message => ({ role: 'user', content: [...ids].map(block) }))];
  }
  if (results[0] === 'text') {
    return [
      question,
      calls,
      { role: 'user', content: [{ text: 'wait' }] },
      { role: 'user', content: results.slice(1).map((id) => block(id as string)) },
    ];
  }
  return [question, calls, { role: 'user', content: results.map((id) => block(id as string)) }];
}

function inStep(messages: readonly Message[]): void {
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') expect(messages[at + 1]?.role).toBe('user');
    const asked = message.content.flatMap((block) => ('toolUse' in block ? [block.toolUse.toolUseId] : []));
    const next = messages[at + 1]?.content.flatMap((block) =>
      'toolResult' in block ? [block.toolResult.toolUseId] : [],
    );
    if (message.role === 'assistant') expect([...(next ?? [])].sort()).toEqual([...asked].sort());
  }
}

describe('repairedMessages (case H013)', () => {
  it('answers the very same array when calls and results are in step, in any order', () => {
    expect(repairedMessages(good)).toBe(good);
  });

  it.each(parallel.bad)('$why', ({ results }) => {
    const repaired = repairedMessages(history(results as (string | string[])[]));
    inStep(repaired);
    expect(repaired[0]).toEqual(question);
    expect(JSON.stringify(repaired)).not.toContain('p9');
    for (const id of ['p1', 'p2', 'p3']) expect(JSON.stringify(repaired[2])).toContain(`"toolUseId":"${id}"`);
  });

  it('answers a missing result as an error and keeps words between call and result', () => {
    const missing = repairedMessages(history(['p1', 'p3']));
    expect(missing[2]?.content.at(-1)).toEqual({
      toolResult: { toolUseId: 'p2', status: 'error', content: [{ text: missingResult }] },
    });
    const words = repairedMessages(history(['text', 'p1', 'p2', 'p3']));
    expect(words[2]?.content.at(-1)).toEqual({ text: 'wait' });
  });

  it('answers calls at the very end and drops results without a call', () => {
    inStep([...repairedMessages([question, calls])]);
    expect(repairedMessages([{ role: 'user', content: [answer('x'), { text: 'hi' }] }])).toEqual([
      { role: 'user', content: [{ text: 'hi' }] },
    ]);
  });
});
