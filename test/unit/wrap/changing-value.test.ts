import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kept } from '../../../core/store/keeping.ts';
import type { ResultStore } from '../../../core/store/result-store.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { referenceIn, rowsOf, workspace } from './workspace.ts';

const ada = { owner: 'Ada', session: 'chat 1' };

/** A store that does something between the pieces that it takes. */
const between = (work: (piece: Uint8Array) => void) => (store: ResultStore) =>
  new Proxy(store, {
    get: (target, key) => {
      if (key !== 'putBody') return (target[key as keyof ResultStore] as () => unknown).bind(target);
      const putBody: ResultStore['putBody'] = (address, body, metadata, limits) => {
        async function* disturbed() {
          for await (const piece of body as AsyncIterable<Uint8Array>) {
            work(piece);
            yield piece;
          }
        }
        return target.putBody(address, disturbed(), metadata, limits);
      };
      return putBody;
    },
  });

async function kept(made: unknown, work: (piece: Uint8Array) => void) {
  const { references, folder } = workspace({ wrapStore: between(work) });
  const tool = withResultsByReference(() => made, { references, name: 'rows', context: () => ada });
  const { content } = (await tool({})) as Kept;
  const file = readdirSync(folder, { recursive: true }).find((name) => String(name).endsWith('body'));
  const body = readFileSync(join(folder, String(file)));
  const preview = (content[0] as { readonly text: string }).text;
  return { reference: referenceIn(content), body, preview, words: JSON.stringify(content) };
}

it('content blocks that are changed while they are uploaded: what is kept and said is what the tool returned', async () => {
  const text = JSON.stringify(rowsOf(9_000));
  const block = { text };
  const content: { text: string }[] = [block];
  const { reference, body, words } = await kept({ status: 'success', content }, () => {
    block.text = 'changed';
    content.push({ text: 'changed' });
  });
  expect(body.toString()).toBe(text);
  expect(reference).toMatchObject({ records: 9_000, sha256: createHash('sha256').update(text).digest('hex') });
  expect(words).not.toContain('changed');
});

it('a value that goes on changing: preview, total and digest are of the very bytes that are stored', async () => {
  const rows = rowsOf(9_000);
  const { reference, body, preview } = await kept(rows, () => {
    rows.length -= 1;
    (rows[0] as { note: string }).note = 'changed';
    (rows.at(-1) as { note: string }).note = 'changed';
  });
  const stored = JSON.parse(body.toString()) as readonly object[];
  expect(stored.length).toBeLessThan(9_000);
  expect(reference).toMatchObject({
    records: stored.length,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
  });
  const shown = JSON.parse(preview) as readonly object[];
  expect(stored.slice(0, shown.length)).toEqual(shown);
});

it.each<[string, (bytes: Buffer) => unknown]>([
  ['bytes', (bytes) => bytes],
  ['large pieces of a stream', (bytes) => [bytes.subarray(0, 100_000), bytes.subarray(100_000)].values()],
])(
  '%s that go on changing while they are written: what is said is of the very bytes that are stored',
  async (_, made) => {
    const bytes = Buffer.from(JSON.stringify(rowsOf(20_000)));
    let overwritten = bytes.length;
    // Between the look at a piece and its writing: backwards from the end, and the piece that is being written too.
    const change = (piece: Uint8Array) => {
      overwritten -= 4_096;
      bytes.fill(0x20, Math.max(0, overwritten), Math.max(0, overwritten + 1_024));
      const start = piece.byteOffset - bytes.byteOffset;
      if (piece.buffer === bytes.buffer && start >= 0) bytes.fill(0x20, start + 100, start + 200);
    };
    const { reference, body } = await kept(made(bytes), change);
    expect(body.length).toBe(bytes.length);
    expect(reference).toMatchObject({
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
    });
  },
);

it('blocks that change while they wait for their turn to be reduced to a view: what is kept is what the tool returned', async () => {
  const { references, run } = workspace({ tools: { rows: { view: { '*': ['id'] } } }, parallelUploads: 1 });
  const context = () => ada;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* waiting() {
    await held;
    yield* rowsOf(9_000);
  }
  // Two are worked on at once.
  const first = [1, 2].map((n) =>
    withResultsByReference(() => waiting(), { references, name: 'rows', context })({ n }),
  );
  const block = { text: JSON.stringify(rowsOf(9_000)) };
  const made = { status: 'success', content: [block] };
  const last = withResultsByReference(() => made, { references, name: 'rows', context })({ n: 3 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  block.text = 'changed';
  made.content.push({ text: 'changed' });
  release();
  const kept = (await last) as Kept;
  const { ref, records } = referenceIn(kept.content);
  expect(records).toBe(9_000);
  const read = await references.read(run, { ref, offset: 8_999 });
  expect(JSON.parse(read.text).data).toEqual([{ id: 8_999 }]);
  await Promise.all(first);
});
