import { contentBytes } from '../../../core/store/content-size.ts';
import type { Kept } from '../../../core/store/keeping.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { referenceIn, rowsOf, workspace } from './workspace.ts';

interface Whose {
  readonly session?: string;
  readonly roles?: readonly string[];
}

/** One tool over one store, called by runs of one chat. */
function chat(rules: { readonly reuse?: { readonly maxAgeSeconds: number }; readonly budgetBytes?: number }) {
  let now = new Date('2026-11-30T12:00:00.000Z');
  const { references, lines } = workspace({ tools: { rows: rules }, clock: { now: () => now } });
  let executed = 0;
  const call = async (run: string, input: object, whose: Whose = {}) => {
    const context = () => ({ owner: 'Ada', session: 'chat 1', run, ...whose });
    const tool = withResultsByReference(
      (_: object) => {
        executed += 1;
        return rowsOf(9_000);
      },
      { references, name: 'rows', context },
    );
    const kept = (await tool(input)) as Kept;
    return { kept, read: (given: object) => references.read(references.run(context()), given) };
  };
  const later = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1_000);
  };
  return { call, later, lines, executed: () => executed };
}
const reuse = { maxAgeSeconds: 600 };

it('a tool marked reuse: another run of the chat is answered from what is stored, says so, and reads its last record', async () => {
  const { call, executed, lines } = chat({ reuse });
  const { ref } = referenceIn((await call('one', { q: 1 })).kept.content);
  const { kept, read } = await call('two', { q: 1 });
  expect(executed()).toBe(1);
  expect(kept.content[0]).toMatchObject({ text: expect.stringMatching(/^Not executed: this is version 1 .*12:00:00/) });
  expect(referenceIn(kept.content).ref).toBe(ref);
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  expect((await read({ ref, offset: 8_999 })).text).toContain('the last one');
  expect(lines.filter(({ event }) => event === 'reused')).toEqual([
    expect.objectContaining({ tool: 'rows', attempt: 0, reason: 'reuse', ref, runId: expect.any(String) }),
  ]);
});

it('what is reused is within the tool’s own budget', async () => {
  const { call, executed } = chat({ reuse, budgetBytes: 6_000 });
  await call('one', { q: 1 });
  const { kept } = await call('two', { q: 1 });
  expect(executed()).toBe(1);
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(6_000);
  expect(JSON.stringify(kept.content)).toContain('customer 0');
});

it.each<[string, Parameters<typeof chat>[0], object, Whose, number]>([
  ['a tool that is not marked', {}, { q: 1 }, {}, 0],
  ['other arguments', { reuse }, { q: 2 }, {}, 0],
  ['refresh', { reuse }, { q: 1, refresh: true }, {}, 0],
  ['what is too old', { reuse }, { q: 1 }, {}, 601],
  ['another chat', { reuse }, { q: 1 }, { session: 'chat 2' }, 0],
  ['other roles', { reuse }, { q: 1 }, { roles: ['ops'] }, 0],
])('%s: executed', async (_, rules, input, whose, seconds) => {
  const { call, later, executed } = chat(rules);
  await call('one', { q: 1 });
  later(seconds);
  const { kept } = await call('two', input, whose);
  expect([executed(), kept.oversize]).toEqual([2, true]);
});
