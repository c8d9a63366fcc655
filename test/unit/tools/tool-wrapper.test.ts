import { createHash } from 'node:crypto';
import { storeFromTool } from '../../../aws/tool-wrapper.ts';
import { ClaimcheckError } from '../../../core/errors.ts';
import { MemoryResultStore } from '../../fakes/memory-result-store.ts';
import { runId } from '../../fakes/run-world.ts';
import { toolContext as context, bodyKey as key, resultId } from '../../fakes/tool-context.ts';

function* pieces(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 1_000) yield bytes.subarray(start, start + 1_000);
}
const rows = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => ({ id: i, secret: `s${i}` })));
const options = (store: MemoryResultStore) => ({
  store,
  transportBytes: 102_400,
  maxBytes: 1e9,
  contentType: 'application/json',
});

it('a result that fits the wire is answered whole and stored by the platform', async () => {
  const store = new MemoryResultStore();
  const text = 'é'.repeat(51_200);
  const answer = await storeFromTool(context, () => pieces(text), options(store));
  expect(answer).toEqual({ status: 'success', content: [{ text }] });
  expect(store.calls).toEqual([]);
});

it('one byte more is stored: what stands there is what the tool made, and says whose it is', async () => {
  const store = new MemoryResultStore();
  const text = `${'é'.repeat(51_200)}!`;
  const answer = await storeFromTool(context, () => pieces(text), options(store));
  expect(answer.stored).toEqual({
    id: resultId,
    bytes: 102_401,
    sha256: createHash('sha256').update(text).digest('hex'),
    etag: store.bodies.get(key)?.etag,
  });
  expect(store.bodies.get(key)?.content.toString()).toBe(text);
  expect(store.bodies.get(key)?.metadata).toMatchObject({ tools: ['rows'], runId, turn: 2, index: 1 });
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(102_400);
  const shown = (answer.content[0] as { text: string }).text;
  expect(text.startsWith(shown)).toBe(true);
});

it('over the cap: an error that says how much was seen, and nothing kept', async () => {
  const store = new MemoryResultStore();
  const answer = await storeFromTool(context, () => pieces(rows(20_000)), { ...options(store), maxBytes: 200_000 });
  expect(answer).toMatchObject({ status: 'error' });
  expect(answer.stored).toBeUndefined();
  expect((answer.content[0] as { text: string }).text).toMatch(/OversizeResult: .*at most 200000/);
  expect(store.bodies.size).toBe(0);
});

it('a store that refuses: the beginning, and a name that the platform will not be able to confirm', async () => {
  const store = new MemoryResultStore();
  store.failing.add('putBody');
  const answer = await storeFromTool(context, () => pieces(rows(20_000)), options(store));
  expect(answer).toMatchObject({ status: 'success', stored: { id: resultId, etag: '' } });
  expect(store.bodies.size).toBe(0);
});

it('a producer that fails is the tool’s own failure', async () => {
  function* broken() {
    yield* pieces(rows(20_000));
    throw new Error('the database went away');
  }
  await expect(storeFromTool(context, broken, options(new MemoryResultStore()))).rejects.toThrow('went away');
});

it.each(['that hangs, whatever its signal says', 'that throws what no store of ours throws'])(
  'a store %s: the beginning is answered before the platform stops waiting',
  async (kind) => {
    const putBody = async () => {
      if (kind.startsWith('that hangs')) await new Promise(() => {});
      throw new TypeError('fetch failed');
    };
    const soon = { ...context, deadline: new Date(Date.now() + 2_100).toISOString() };
    const started = performance.now();
    const answer = await storeFromTool(soon, () => pieces(rows(20_000)), {
      ...options(new MemoryResultStore()),
      store: { putBody },
    });
    expect(performance.now() - started).toBeLessThan(1_900);
    expect(answer).toMatchObject({ status: 'success', stored: { id: resultId, etag: '' } });
    expect((answer.content[0] as { text: string }).text.length).toBeGreaterThan(10_000);
  },
);

it('a context that the platform did not make is refused', async () => {
  const forged = { ...context, resultId: '../../x' };
  await expect(storeFromTool(forged, () => pieces('x'), options(new MemoryResultStore()))).rejects.toBeInstanceOf(
    ClaimcheckError,
  );
});

it('fields that the roles do not keep are neither stored nor answered', async () => {
  const store = new MemoryResultStore();
  const view = { ops: ['*'], analyst: ['id'] };
  const answer = await storeFromTool(context, () => pieces(rows(20_000)), { ...options(store), view });
  expect(JSON.stringify(answer)).not.toContain('secret');
  const stored = JSON.parse(store.bodies.get(key)?.content.toString() ?? '[]') as object[];
  expect(stored).toHaveLength(20_000);
  expect(stored.at(-1)).toEqual({ id: 19_999 });
});
