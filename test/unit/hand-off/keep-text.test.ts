import { runPutAway } from '../../../core/guard/run-put-away.ts';
import { handOff } from '../../../core/hand-off/hand-off.ts';
import { keepText } from '../../../core/hand-off/keep-text.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { passesGates } from '../../../core/tool/tool-definition.ts';
import { handOffWording } from '../../../prompts/hand-off.ts';
import { tools } from '../../../tools/catalogue.ts';
import { now, rowsTool, run, runId, runWorld } from '../../fakes/run-world.ts';

const text = (more: object = {}) => ({
  key: 'text/1/0',
  turn: 1,
  index: 0,
  tool: 'rows',
  text: 'a text of thirty bytes, no more',
  gates: ['rows'],
  derivedFrom: [],
  noLaterThan: [],
  ...more,
});
const full = { settings: { ...defaultSettings, quota: { ...defaultSettings.quota, ownerBytes: 30 } } };

async function spoken(words: string, options: Parameters<typeof runWorld>[0] = {}) {
  const world = await runWorld({ tools: [rowsTool], ...options });
  await world.messages.append(runId, { agent: 'assistant', turn: 1, role: 'assistant', content: [{ text: words }] });
  return world;
}
const over = (world: Awaited<ReturnType<typeof spoken>>) =>
  handOff(run, { turn: 1, from: 'assistant', to: 'writer' }, { ...world, wording: handOffWording });

describe('keepText', () => {
  it('stores body, index, catalogue row and grant; the grant is what a later read asks for', async () => {
    const world = await runWorld();
    const { ref } = await keepText(run, text(), world);
    expect(world.store.calls.filter((call) => call.startsWith('put'))).toEqual(['putBody', 'putIndex']);
    expect(await world.catalogue.find(run.owner, ref)).toMatchObject({ gates: ['rows'], status: 'stored' });
    expect(await world.grants.find(runId, ref)).toMatchObject({ via: 'produced' });
  });

  it('finishes what an interrupted save began: the same result, its row and its grant', async () => {
    const world = await runWorld();
    const broken = {
      ...world,
      catalogue: { ...world.catalogue, usedBytes: async () => 0, find: async () => undefined },
    };
    const add = () => Promise.reject(new Error('the process ended here'));
    await expect(keepText(run, text(), { ...broken, catalogue: { ...broken.catalogue, add } })).rejects.toThrow(
      'ended',
    );
    const { ref } = await keepText(run, text(), world);
    expect(world.store.indexes.size).toBe(1);
    expect(await world.catalogue.find(run.owner, ref)).toBeDefined();
    expect(await world.grants.find(runId, ref)).toBeDefined();
  });

  it('writes nothing for an owner whose data was erased', async () => {
    const world = await runWorld();
    world.erasures.erased.add(run.owner);
    await expect(keepText(run, text(), world)).rejects.toMatchObject({ code: 'Forbidden' });
    expect([world.store.bodies.size, world.catalogue.entries.size]).toEqual([0, 0]);
  });

  it('writes nothing beyond the quota of its owner, and up to it everything', async () => {
    const world = await runWorld(full);
    await expect(keepText(run, text(), world)).rejects.toMatchObject({
      code: 'QuotaExceeded',
      facts: { usedBytes: 0, wantedBytes: 31, ownerBytes: 30 },
    });
    expect([world.store.bodies.size, world.catalogue.entries.size]).toEqual([0, 0]);
    const counted = [expect.objectContaining({ metric: 'QuotaRefused', reason: 'owner_bytes' })];
    expect(world.telemetry.counts).toEqual(counted);
    await keepText(run, text({ text: 'x'.repeat(30) }), world);
    expect(world.store.bodies.size).toBe(1);
    expect(world.telemetry.counts).toEqual(counted);
  });
});

describe('without room', () => {
  it('a hand-off goes on with the beginning and says that the rest was not kept', async () => {
    const world = await spoken('x'.repeat(20_000), full);
    expect(await over(world)).toMatchObject({ ref: null });
    const refused = world.telemetry.counts.filter(({ metric }) => metric === 'QuotaRefused');
    expect(refused.map(({ reason }) => reason)).toEqual(['owner_bytes']);
    const [message] = await world.messages.thread(runId, 'writer');
    const words = JSON.stringify(message);
    expect(words).toContain('the first 8192 of 20000 bytes; the rest was not kept');
    expect(words).not.toContain('whole text is ref');
    expect(world.store.bodies.size).toBe(0);
  });

  it('a hand-off for an erased owner stops', async () => {
    const world = await spoken('x'.repeat(20_000));
    world.erasures.erased.add(run.owner);
    await expect(over(world)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('the guard leaves a result where it is: it is not taken out without a stored copy', async () => {
    const content = [{ text: 'y'.repeat(900) }];
    const outcome = { toolUseId: 'use', tool: 'rows', status: 'success' as const, content, ref: null, callDigest: 'x' };
    const calls = [{ turn: 1, index: 0, outcome: { ...outcome, oversize: false, at: now.toISOString() } }];
    const asked = { ...outcome, bytes: 900, latest: false, shown: { count: 0, total: 1, unit: 'lines' as const } };
    const world = await runWorld(full);
    expect(await runPutAway(run, calls, { ...world, origin: () => undefined }).keep(asked)).toBe('impossible');
    world.store.failing.add('putBody');
    const roomy = { ...world, settings: defaultSettings, origin: () => undefined };
    expect(await runPutAway(run, calls, roomy).keep(asked)).toBe('unconfirmed');
    world.store.failing.clear();
    expect(await runPutAway(run, calls, roomy).keep(asked)).toMatchObject({ kind: 'stored', bytes: 900 });
  });
});

it('the gate of a text that rests on no tool is open to everybody who is signed in, in the real catalogue', async () => {
  const world = await spoken('x'.repeat(20_000), { tools: [rowsTool] });
  const { ref } = await over(world);
  const index = await world.store.readIndex({ owner: run.owner, session: run.session, id: ref?.slice(33) ?? '' });
  expect(index?.gates).toEqual(['list_results']);
  expect(tools.find('list_results')?.roles).toEqual(['*']);
  expect(passesGates(tools, index?.gates ?? [], [])).toBe(true);
});
