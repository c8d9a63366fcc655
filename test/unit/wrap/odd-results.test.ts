import { createHash } from 'node:crypto';
import { contentBytes } from '../../../core/store/content-size.ts';
import type { Kept } from '../../../core/store/keeping.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { referenceIn, workspace } from './workspace.ts';

const ada = { owner: 'Ada', session: 'chat 1' };
const long = `${'a word '.repeat(200_000)}the end`;
const call = (made: unknown) => {
  const { references, run } = workspace();
  const tool = withResultsByReference(() => made, { references, name: 'odd', context: () => ada });
  return { references, run, answer: tool({}) as Promise<Kept> };
};

it.each<[string, object]>([
  ['a text inside a resource', { content: [{ type: 'resource', resource: { uri: 'a://b', text: long } }] }],
  ['a block of no known kind', { content: [{ type: 'other', payload: long }] }],
  ['a link', { content: [{ type: 'resource_link', uri: 'a://b', name: 'b', description: long }] }],
  ['structured content alone', { content: [], structuredContent: { long } }],
  ['structured content beside words', { content: [{ type: 'text', text: 'done' }], structuredContent: { long } }],
  ['a bare text in the list', { status: 'success', content: [long] }],
  [
    'Chinese in structured content',
    { content: [], structuredContent: { text: '中文'.repeat(10_000), end: 'the end' } },
  ],
  [
    'two that fit alone and not together',
    { content: [{ text: `${'w'.repeat(20_000)} the end` }], structuredContent: { text: 'x'.repeat(20_000) } },
  ],
])('%s is measured: over the budget it is kept to its end, and not passed on', async (_, made) => {
  const { references, run, answer } = call(made);
  const kept = await answer;
  expect(kept.status).toBe('success');
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  const { ref, bytes } = referenceIn(kept.content);
  expect(bytes).toBeGreaterThan(24 * 1024);
  const end = await references.read(run, { ref, bytes: `${bytes - 200}-${bytes - 1}` });
  expect(end.text).toContain('the end');
});

it.each<[string, object]>([
  ['structured content', { isError: true, content: [{ type: 'text', text: 'bad' }], structuredContent: { long } }],
  ['a resource', { isError: true, content: [{ type: 'resource', resource: { uri: 'a://b', text: long } }] }],
  ['a block of no known kind', { isError: true, content: [{ type: 'other', payload: long }] }],
])('a failed call that says itself in %s is bounded too', async (_, made) => {
  const kept = await call(made).answer;
  expect(kept).toMatchObject({ status: 'error', stored: null });
  expect(kept).not.toHaveProperty('structuredContent');
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  expect(JSON.stringify(kept.content)).toMatch(/a word .*bytes shown/);
});

it.each<[string, object]>([
  ['bytes', Buffer.from('a few')],
  ['the same in words and in structured content', sameTwice('x'.repeat(20_000))],
  ['a failed call with a small structured content', { isError: true, content: [], structuredContent: { code: 4 } }],
  ['what the serialiser makes nothing of', () => 1],
])('%s within the budget: the very object', async (_, made) => {
  expect(await call(made).answer).toBe(made);
});

function sameTwice(text: string) {
  return { content: [{ type: 'text', text: JSON.stringify({ text }) }], structuredContent: { text } };
}

it('bytes over the budget are their text, in a buffer of whatever kind', async () => {
  const bytes = new TextEncoder().encode('line\n'.repeat(20_000));
  for (const made of [bytes, Buffer.from(bytes), bytes.buffer]) {
    const kept = await call(made).answer;
    expect(referenceIn(kept.content)).toMatchObject({ bytes: 100_000, kind: 'text' });
  }
});

it('a value nested deeper than the serialiser goes is kept; one in a circle is refused as the serialiser does', async () => {
  let deep: unknown = 'the end';
  for (let level = 0; level < 30_000; level += 1) deep = { deep };
  expect(referenceIn((await call({ deep }).answer).content)).toMatchObject({ records: 1 });
  const ring: { next?: unknown } = {};
  let last = ring;
  for (let level = 0; level < 30_000; level += 1) last = last.next = {};
  last.next = ring;
  await expect(call(ring).answer).rejects.toThrow(/circular/);
  await expect(call({ rows: [{ id: 1n }] }).answer).rejects.toThrow(/BigInt/);
});

it('a store that throws where it should make digests is no trouble: they are made on the way', async () => {
  const { references } = workspace({
    wrapStore: (store) =>
      Object.assign(Object.create(store), {
        putBody: store.putBody.bind(store),
        headBody: store.headBody.bind(store),
        putIndex: store.putIndex.bind(store),
        readIndex: store.readIndex.bind(store),
        digests: () => {
          throw new TypeError('no digests');
        },
      }),
  });
  const tool = withResultsByReference(() => long, { references, name: 'odd', context: () => ada });
  const { sha256 } = referenceIn(((await tool({})) as Kept).content);
  expect(sha256).toBe(createHash('sha256').update(long).digest('hex'));
});

it('an iterable that holds nothing else is walked like a stream; lists, sets and what has members stay values', async () => {
  const rows = Array.from({ length: 9_000 }, (_, id) => ({ id, note: id === 8_999 ? 'the end' : 'a row' }));
  class Cursor {
    readonly #rows = rows;
    *[Symbol.iterator]() {
      yield* this.#rows;
    }
  }
  const { references, run, answer } = call(new Cursor());
  const { ref, records } = referenceIn((await answer).content);
  expect(records).toBe(9_000);
  expect((await references.read(run, { ref, offset: 8_999 })).text).toContain('the end');
  const named = Object.assign(new Cursor(), { name: 'a list with a name' });
  const said = Object.assign(Object.create({ toJSON: () => 'itself' }), { [Symbol.iterator]: () => [].values() });
  for (const made of [[1, 2], new Set([1]), new Map([[1, 2]]), new Float64Array(2), named, said]) {
    expect(await call(made).answer).toBe(made);
  }
});
