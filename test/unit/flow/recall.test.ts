import { runTool } from '../../../core/flow/run-tool.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
import {
  flow,
  rowsText,
  rowsTool,
  run,
  runId,
  runWorld,
  ScriptedInvoker,
  session,
  success,
  use,
} from '../../fakes/run-world.ts';

const event = { runId, turn: 1, index: 0, flow };
const wrapper = { ...rowsTool, intake: 'wrapper' as const };
const body = Buffer.from(rowsText(40_000));

/** A world in which the first attempt has stored its body, and its answer was lost. */
async function afterLostAnswer(tool: typeof rowsTool, made: { readonly index?: number } = {}) {
  const world = await runWorld({
    answer: [use('rows')],
    tools: [tool],
    invoker: new ScriptedInvoker(success({ text: 'again' })),
  });
  const { resultId } = await world.attempts.claim(runId, 1, 0);
  await world.store.putBody(
    { owner: run.owner, session, id: resultId },
    body,
    {
      tools: ['rows'],
      runId,
      turn: 1,
      index: made.index ?? 0,
      // Promised a day before: the object's own date holds.
      availableUntil: '2026-12-29T12:00:00.000Z',
      format: 1,
      contentType: 'application/json',
    },
    { maxBytes: 1e9 },
  );
  return { world, ref: `${session}/${resultId}` };
}

it.each([
  ['a wrapper', wrapper],
  ['an answer', rowsTool],
  ['a tool that may run once', { ...wrapper, retry: 'once' as const }],
])('what %s had stored before its answer was lost is found, and nothing is executed again', async (_name, tool) => {
  const { world, ref } = await afterLostAnswer(tool);
  expect(await runTool(event, world)).toEqual({ outcome: 'ok', status: 'success', ref });
  expect(world.invoker.asked).toEqual([]);
  expect(world.outcomes.items.get(`${runId}|tool/1/0`) as ToolOutcome).toMatchObject({ ref, oversize: true });
  expect(await world.catalogue.find(run.owner, ref)).toMatchObject({
    records: 40_000,
    availableUntil: '2026-12-29T12:00:00.000Z',
  });
  expect(await world.grants.find(runId, ref)).toMatchObject({ via: 'produced' });
});

it('also when the commit record stands already: it is not written anew', async () => {
  const { world, ref } = await afterLostAnswer(wrapper);
  await runTool(event, world);
  const index = JSON.stringify([...world.store.indexes.values()]);
  world.outcomes.items.clear();
  world.catalogue.entries.clear();
  world.grants.items.clear();
  expect(await runTool(event, world)).toMatchObject({ ref });
  expect(JSON.stringify([...world.store.indexes.values()])).toBe(index);
  expect(world.store.calls.filter((call) => call === 'putIndex')).toHaveLength(1);
  expect(await world.catalogue.find(run.owner, ref)).toBeDefined();
});

it('a body of another call is not taken, and a store that does not answer means another execution', async () => {
  const other = await afterLostAnswer(wrapper, { index: 3 });
  expect(await runTool(event, other.world)).toMatchObject({ status: 'success', ref: null });
  expect(other.world.invoker.asked).toHaveLength(1);
  const silent = await afterLostAnswer(wrapper);
  silent.world.store.failing.add('headBody');
  await runTool(event, silent.world);
  expect(silent.world.invoker.asked).toHaveLength(1);
});
