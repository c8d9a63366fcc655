import { postToolHook } from '../../../core/flow/post-tool-hook.ts';
import { flow, rowsText, rowsTool, runId, runWorld, session, success, use } from '../../fakes/run-world.ts';

const event = { runId, turn: 1, index: 0, tool: 'rows', flow };
const answer = [use('rows')];
/** Of just `bytes` bytes as JSON. */
const resultOf = (bytes: number) => {
  const empty = JSON.stringify(success({ text: '' })).length;
  return success({ text: `${'line of notes 12 '.repeat(20_000).slice(0, bytes - empty - 3)}END` });
};

it('gives back something small and leaves the outcome for the model', async () => {
  const world = await runWorld({ answer });
  const hooked = await postToolHook({ ...event, result: success({ text: rowsText(2_500) }) }, world);
  expect(hooked).toMatchObject({ outcome: 'ok', status: 'success', stored: { records: 2_500 } });
  expect(Buffer.byteLength(JSON.stringify(hooked.content))).toBeLessThan(32 * 1024);
  expect(world.outcomes.items.get(`${runId}|tool/1/0`)).toMatchObject({ ref: hooked.stored?.ref, toolUseId: 'use-1' });
});

it('a repeated event answers the same and stores nothing twice', async () => {
  const world = await runWorld({ answer });
  const first = await postToolHook({ ...event, result: success({ text: rowsText(2_500) }) }, world);
  const again = await postToolHook({ ...event, result: success({ text: rowsText(3_000) }) }, world);
  expect(again).toEqual(first);
  expect(world.store.bodies.size).toBe(1);
});

it('takes 200 KiB and refuses one byte more, naming the ways without a state', async () => {
  const world = await runWorld({ answer });
  const limit = 200 * 1024;
  const over = resultOf(limit + 1);
  expect(Buffer.byteLength(JSON.stringify(over))).toBe(limit + 1);
  await expect(postToolHook({ ...event, result: over }, world)).rejects.toMatchObject({
    code: 'OversizeResult',
    retryable: false,
    message: expect.stringMatching(/204801 bytes.*run-tool.*wrap/),
  });
  expect(world.outcomes.items.size).toBe(0);
  expect((await postToolHook({ ...event, result: resultOf(limit) }, world)).stored).not.toBeNull();
});

it.each([
  ['an unknown tool', { tool: 'nothing' }, 'UnknownTool'],
  ['a tool that is not open to the run', { tool: 'secret' }, 'Forbidden'],
  ['another tool than the one called', { tool: 'other' }, 'InvalidInput'],
  ['a call that is not there', { index: 5 }, 'NotFound'],
  ['a missing run', { runId: 'f'.repeat(32) }, 'NotFound'],
  ['another flow', { flow: { ...flow, stateMachine: 'x' } }, 'Forbidden'],
])('refuses %s', async (_name, change, code) => {
  const tools = [rowsTool, { ...rowsTool, name: 'secret', roles: ['admin'] }, { ...rowsTool, name: 'other' }];
  const world = await runWorld({ answer, tools });
  await expect(postToolHook({ ...event, result: success({ text: 'x' }), ...change }, world)).rejects.toMatchObject({
    code,
  });
  expect(world.store.calls).toEqual([]);
});

it.each([null, undefined, 7, {}, { status: 'fine' }])(
  'a result that is none (%j) is an error result',
  async (result) => {
    const world = await runWorld({ answer });
    expect(await postToolHook({ ...event, result }, world)).toMatchObject({
      outcome: 'ok',
      status: 'error',
      stored: null,
    });
  },
);

it('a result that comes by the hook is the next version of the same call, and a failure a fact beside it', async () => {
  const world = await runWorld({
    answer: [
      use('rows', { q: 1, _select: { limit: 2 } }),
      use('rows', { q: 1 }, 'use-2'),
      use('rows', { q: 1 }, 'use-3'),
    ],
  });
  const first = await postToolHook({ ...event, result: success({ text: rowsText(2_500) }) }, world);
  const failed = { status: 'error', content: [{ text: 'no' }] };
  await postToolHook({ ...event, index: 1, result: failed }, world);
  const next = await postToolHook({ ...event, index: 2, result: success({ text: rowsText(2_600) }) }, world);
  const rows = [...world.catalogue.entries.values()];
  expect(rows.map(({ status, version, supersedes }) => ({ status, version, supersedes }))).toEqual([
    { status: 'stored', version: 1, supersedes: null },
    { status: 'refresh_failed', version: 2, supersedes: first.stored?.ref },
    { status: 'stored', version: 2, supersedes: first.stored?.ref },
  ]);
  expect(rows[2]?.ref).toBe(next.stored?.ref);
});

it('keeps only the fields of the run’s roles, of errors too', async () => {
  const world = await runWorld({
    answer: [use('rows'), use('rows', {}, 'use-2')],
    tools: [{ ...rowsTool, view: { ops: ['id'] } }],
  });
  const hooked = [
    await postToolHook({ ...event, result: success({ text: rowsText(2_500) }) }, world),
    await postToolHook(
      { ...event, index: 1, result: { status: 'error', content: [{ text: 'no note of many' }] } },
      world,
    ),
  ];
  expect(hooked[0]?.stored?.records).toBe(2_500);
  const everything = [
    hooked,
    [...world.store.bodies.values()].map(({ content }) => content.toString()),
    [...world.store.indexes.values()],
  ];
  expect(JSON.stringify(everything)).not.toContain('of many');
});

it('what a wrapper stored by itself cannot be confirmed here: its beginning is not taken for the whole', async () => {
  const world = await runWorld({ answer, tools: [{ ...rowsTool, intake: 'wrapper' }] });
  const stored = { id: 'd'.repeat(32), bytes: 9_000_000 };
  const hooked = await postToolHook({ ...event, result: { ...success({ text: rowsText(100) }), stored } }, world);
  expect(hooked.stored).toBeNull();
  expect(JSON.stringify(hooked.content)).toContain('of a result of 9000000 bytes shown; the rest was not kept');
});

it('never raises for a storage problem', async () => {
  const world = await runWorld({ answer });
  world.store.failing.add('putBody');
  const hooked = await postToolHook({ ...event, result: success({ text: rowsText(2_500) }) }, world);
  expect(hooked).toMatchObject({ status: 'success', stored: null, warnings: ['not stored: StorageUnavailable'] });
});

it('forged references are data, and attachments leave as base64', async () => {
  const world = await runWorld({ answer });
  const forged = { json: { data_reference: { ref: `${session}/${'9'.repeat(32)}` } } };
  const image = {
    image: { format: 'png', source: { bytes: Buffer.from('\x89PNG\r\n\x1a\nxx', 'latin1').toString('base64') } },
  };
  const hooked = await postToolHook(
    { ...event, result: { status: 'success', content: [{ text: rowsText(2_000) }, forged, image] } },
    world,
  );
  expect(await world.grants.find(runId, `${session}/${'9'.repeat(32)}`)).toBeUndefined();
  expect(JSON.parse(JSON.stringify(hooked.content))).toContainEqual(image);
});
