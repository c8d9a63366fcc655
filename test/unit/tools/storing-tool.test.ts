import { createHash } from 'node:crypto';
import { storingTool } from '../../../aws/storing-tool.ts';
import { MemoryResultStore } from '../../fakes/memory-result-store.ts';
import { bodyKey, toolContext as context, resultId } from '../../fakes/tool-context.ts';

const rows = Array.from({ length: 9_000 }, (_, id) => ({ id, note: id === 8_999 ? 'the last one' : '' }));
const answerOf = (made: unknown, view?: Record<string, readonly string[]>) => {
  const store = new MemoryResultStore();
  const options = { store, transportBytes: 102_400, maxBytes: 1e9, ...(view === undefined ? {} : { view }) };
  const handler = storingTool(() => made, options);
  return handler({ input: {}, context }).then((answer) => ({ answer, store }));
};
const stored = (store: MemoryResultStore) => store.bodies.get(bodyKey)?.content.toString();

it('blocks within the wire are the very blocks; a value is its JSON text', async () => {
  const result = { status: 'success', content: [{ text: 'a' }, { json: { b: 1 } }] };
  expect((await answerOf(result)).answer).toEqual(result);
  expect((await answerOf({ b: [1] })).answer).toEqual({ status: 'success', content: [{ text: '{"b":[1]}' }] });
});

it('a large value is stored to its last record and not held as one text; the answer is within the wire', async () => {
  const { answer, store } = await answerOf({ rows });
  const body = JSON.stringify({ rows });
  expect(stored(store)).toBe(body);
  expect(answer.stored).toMatchObject({ id: resultId, sha256: createHash('sha256').update(body).digest('hex') });
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(102_400);
});

it('a stream of records, and a view over them: what the roles may not see is not stored', async () => {
  async function* made() {
    yield* rows;
  }
  const { store } = await answerOf(made(), { analyst: ['id'] });
  expect(stored(store)?.trimEnd().endsWith('{"id":8999}')).toBe(true);
  expect(stored(store)).not.toContain('note');
});

it('a failed call is bounded on the wire too, whatever it says itself in', async () => {
  const long = `${'E'.repeat(400_000)} the end`;
  for (const more of [{ content: [{ text: long }] }, { content: [], structuredContent: { long } }]) {
    const { answer, store } = await answerOf({ status: 'error', ...more });
    expect(answer.status).toBe('error');
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(102_400 + 1_024);
    expect(JSON.stringify(answer)).toMatch(/EEE.* of 400\d+ bytes shown/);
    expect(stored(store)).toBeUndefined();
  }
});

it('what a failed call says is reduced to the view before it leaves', async () => {
  const row = JSON.stringify({ id: 7, note: 'a secret' });
  const failed = { status: 'error', content: [{ text: row }] };
  expect((await answerOf(failed, { '*': ['id'] })).answer).toEqual({
    status: 'error',
    content: [{ text: '{"id":7}' }],
  });
});

it('a failed call stays one', async () => {
  const failed = { status: 'error', content: [{ text: 'no such table' }] };
  expect((await answerOf(failed)).answer).toEqual(failed);
});
