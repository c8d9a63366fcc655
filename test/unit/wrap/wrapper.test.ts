import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { ClaimcheckError } from '../../../core/errors.ts';
import { contentBytes } from '../../../core/store/content-size.ts';
import type { Kept } from '../../../core/store/keeping.ts';
import type { ResultStore } from '../../../core/store/result-store.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { referenceIn, rowsOf, settings, workspace } from './workspace.ts';

const ada = { owner: 'Ada', session: 'chat 1' };
const text = (block: unknown) => (block as { text: string }).text;
const broken = (name: keyof ResultStore) => (store: ResultStore) =>
  new Proxy(store, {
    get: (target, key) =>
      key === name
        ? async () => {
            throw new ClaimcheckError('StorageUnavailable', 'storage: refused');
          }
        : (target[key as keyof ResultStore] as () => unknown).bind(target),
  });

it('within the budget: the very object that the tool returned, and nothing stored', async () => {
  const { references, folder } = workspace();
  const made = { rows: rowsOf(10) };
  const tool = withResultsByReference(async () => made, { references, name: 'rows', context: () => ada });
  expect(await tool({})).toBe(made);
  const edge = 'x'.repeat(24 * 1024);
  const atEdge = withResultsByReference(() => edge, { references, name: 'rows', context: () => ada });
  expect(await atEdge({})).toBe(edge);
  const over = withResultsByReference(() => `${edge}!`, { references, name: 'rows', context: () => ada });
  expect(await over({})).toMatchObject({ status: 'success', oversize: true });
  expect(readdirSync(folder)).toContain('results');
});

it('over the budget: total, fields, digest, whole records and a reference; the raw result is not passed on', async () => {
  const { references, run } = workspace();
  const rows = rowsOf(40_000);
  const body = JSON.stringify({ total: 40_000, rows });
  const tool = withResultsByReference(() => ({ total: 40_000, rows }), {
    references,
    name: 'rows',
    context: () => ada,
  });
  const { content } = (await tool({ q: 1 })) as Kept;
  expect(contentBytes(content)).toBeLessThanOrEqual(24 * 1024);
  const reference = referenceIn(content);
  expect(reference).toMatchObject({
    records: 40_000,
    bytes: Buffer.byteLength(body),
    sha256: createHash('sha256').update(body).digest('hex'),
    fields: ['id', 'name', 'note'],
  });
  expect(() => JSON.parse(text(content[0]))).not.toThrow();
  expect(JSON.stringify(content)).not.toContain('customer 39999');
  const last = await references.read(run, { ref: reference.ref, offset: 39_999 });
  expect(JSON.parse(last.text)).toMatchObject({ data: [{ id: 39_999, note: 'the last one' }] });
});

it('what is said is of what the tool returned: later changes of its objects reach neither preview nor copy', async () => {
  const { references, run } = workspace();
  const rows = rowsOf(5_000);
  const tool = withResultsByReference(() => rows, { references, name: 'rows', context: () => ada });
  const kept = (await tool({})) as Kept;
  const before = JSON.stringify(kept);
  for (const row of rows) row.note = 'changed';
  rows.length = 3;
  expect(JSON.stringify(kept)).toBe(before);
  const read = await references.read(run, { ref: referenceIn(kept.content).ref, offset: 4_999 });
  expect(read.text).toContain('the last one');
});

it('a stream is never held: its records are stored one by one and its last one can be read', async () => {
  const { references, run } = workspace();
  async function* records() {
    for (const row of rowsOf(30_000)) yield row;
  }
  const tool = withResultsByReference(() => records(), { references, name: 'stream', context: () => ada });
  const kept = (await tool({})) as Kept;
  expect(referenceIn(kept.content)).toMatchObject({ records: 30_000, kind: 'ndjson' });
  const read = await references.read(run, { ref: referenceIn(kept.content).ref, offset: 29_999 });
  expect(read.text).toContain('the last one');
});

it('a stream that ends within the budget is its text', async () => {
  const { references, folder } = workspace();
  const tool = withResultsByReference(() => ['a', 'b'].values(), { references, name: 'stream', context: () => ada });
  expect(await tool({})).toMatchObject({ status: 'success', content: [{ text: 'ab' }], stored: null });
  expect(readdirSync(folder)).toEqual([]);
});

it.each(['putBody', 'putIndex'] as const)(
  'a store whose %s fails: a bounded answer that says so, never an exception',
  async (name) => {
    const { references } = workspace({ wrapStore: broken(name) });
    const tool = withResultsByReference(() => ({ rows: rowsOf(40_000) }), {
      references,
      name: 'rows',
      context: () => ada,
    });
    const kept = (await tool({})) as Kept;
    expect(kept).toMatchObject({ status: 'success', stored: null });
    expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
    const words = JSON.stringify(kept.content);
    expect(words).toContain('of 40000 records shown; the rest was not kept (StorageUnavailable)');
    expect(words).not.toContain('data_reference');
    // As many whole records as fit are there, from the first on.
    expect((JSON.parse(text(kept.content[0])) as { rows: unknown[] }).rows.length).toBeGreaterThan(100);
  },
);

it('a store that hangs is given up after the bound; the true total is told all the same', async () => {
  const hang = (store: ResultStore) =>
    new Proxy(store, {
      get: (target, key) =>
        key === 'putBody'
          ? () => new Promise(() => {})
          : (target[key as keyof ResultStore] as () => unknown).bind(target),
    });
  const { references } = workspace({ wrapStore: hang, settings: settings({ storage: { uploadTimeoutMs: 100 } }) });
  const tool = withResultsByReference(() => rowsOf(9_000), { references, name: 'rows', context: () => ada });
  const started = Date.now();
  const kept = (await tool({})) as Kept;
  expect(Date.now() - started).toBeLessThan(3_000);
  expect(JSON.stringify(kept.content)).toContain('of 9000 records shown; the rest was not kept');
});

it('more than may be stored: no part is stored as if whole, and the answer names both sizes', async () => {
  const { references, folder } = workspace({ settings: settings({ storage: { maxBytes: 200_000 } }) });
  const tool = withResultsByReference(() => rowsOf(9_000), { references, name: 'rows', context: () => ada });
  const kept = (await tool({})) as Kept;
  expect(kept).toMatchObject({ status: 'error', stored: null });
  expect(text(kept.content[0])).toMatch(/OversizeResult: .* at most 200000 can be stored; nothing was kept/);
  expect(readdirSync(folder, { recursive: true }).filter((name) => /body$|draft$/.test(String(name)))).toEqual([]);
});

it('what the tool itself throws, also half-way through a stream, is the tool’s failure', async () => {
  const { references, folder } = workspace();
  async function* records() {
    for (const row of rowsOf(9_000)) yield row;
    throw new Error('the database went away');
  }
  const tool = withResultsByReference(() => records(), { references, name: 'rows', context: () => ada });
  await expect(tool({})).rejects.toThrow('the database went away');
  expect(readdirSync(folder, { recursive: true }).filter((name) => /body$|draft$/.test(String(name)))).toEqual([]);
});

it('failed calls are bounded too, without a reference; small ones stay the object they are', async () => {
  const { references } = workspace();
  const small = { status: 'error', content: [{ text: 'no such table' }] };
  const big = { status: 'error', content: [{ text: 'E'.repeat(400_000) }] };
  const call = (made: unknown) =>
    withResultsByReference(() => made, { references, name: 'rows', context: () => ada })({});
  expect(await call(small)).toBe(small);
  const kept = (await call(big)) as Kept;
  expect(kept.status).toBe('error');
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  expect(text(kept.content[0])).toContain('of 400000 bytes shown');
});

it('200 blocks are one result and one upload; an image stays where it was and is said to be left out', async () => {
  const { references, run } = workspace();
  const blocks = Array.from({ length: 200 }, (_, id) => ({ json: { id, text: 'x'.repeat(1_000) } }));
  const image = { image: { format: 'png', source: { bytes: new Uint8Array([1, 2, 3]) } } };
  const made = { status: 'success', content: [...blocks, image] };
  const tool = withResultsByReference(() => made, { references, name: 'blocks', context: () => ada });
  const kept = (await tool({})) as Kept;
  expect(references.pool.most).toBe(1);
  expect(referenceIn(kept.content)).toMatchObject({ records: 200, left_out: ['1 image'] });
  expect(kept.content).toContainEqual(image);
  const read = await references.read(run, { ref: referenceIn(kept.content).ref, offset: 199 });
  expect(JSON.parse(read.text).data[0].id).toBe(199);
});

it('without a request context nothing is stored: a bounded part that says so', async () => {
  const { references, folder } = workspace();
  const tool = withResultsByReference(() => rowsOf(9_000), { references, name: 'rows', context: () => undefined });
  const kept = (await tool({})) as Kept;
  expect(JSON.stringify(kept.content)).toContain('of 9000 records shown; the rest was not kept (NoOwner)');
  expect(readdirSync(folder)).toEqual([]);
});

it('without a request context a failed call is bounded, and stays the object that it is when it is small', async () => {
  const call = (made: unknown, view?: Record<string, readonly string[]>) => {
    const { references } = workspace(view === undefined ? {} : { tools: { rows: { view } } });
    return withResultsByReference(() => made, { references, name: 'rows', context: () => undefined })({});
  };
  const small = { isError: true, content: [{ type: 'text', text: 'no such table' }] };
  expect(await call(small)).toBe(small);
  const big = (await call({ status: 'error', content: [{ text: 'E'.repeat(400_000) }] })) as Kept;
  expect(big.status).toBe('error');
  expect(contentBytes(big.content)).toBeLessThanOrEqual(24 * 1024);
  // Nobody holds a role that sees more than the view gives to everybody.
  const row = { isError: true, content: [{ type: 'text', text: JSON.stringify({ id: 7, name: 'secret' }) }] };
  const reduced = (await call(row, { '*': ['id'], boss: ['*'] })) as Kept;
  expect(reduced).toMatchObject({ status: 'error', content: [{ text: '{"id":7}' }] });
});

it('what stands for a result is never longer than it: small ones pass, whatever the budget (case H026)', async () => {
  for (const budgetBytes of [0, 40, 200]) {
    const { references } = workspace({ anyTool: { budgetBytes } });
    const call = (made: unknown) =>
      withResultsByReference(() => made, { references, name: 'rows', context: () => ada })({ made });
    for (const bytes of [budgetBytes + 1, 1_024]) {
      const made = 'x'.repeat(bytes);
      expect(await call(made)).toBe(made);
    }
    const over = (await call('a line of it\n'.repeat(100))) as Kept;
    expect(over.stored).toMatchObject({ bytes: 1_300 });
    expect(contentBytes(over.content)).toBeLessThanOrEqual(1_300);
  }
});

it('a view is applied before anything is stored, shown or counted, to small results too', async () => {
  const tools = { rows: { view: { '*': ['id'] } } };
  const { references, folder, run } = workspace({ tools });
  const call = (count: number) =>
    withResultsByReference(() => rowsOf(count), { references, name: 'rows', context: () => ada })({
      count,
    }) as Promise<Kept>;
  expect(text((await call(2)).content[0])).toBe('[{"id":0},{"id":1}]');
  const kept = await call(9_000);
  expect(JSON.stringify(kept)).not.toContain('customer');
  const read = await references.read(run, { ref: referenceIn(kept.content).ref, offset: 8_999 });
  expect(JSON.parse(read.text).data).toEqual([{ id: 8_999 }]);
  expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(3);
});

it('the same oversize call again is not executed: the stored version answers, refresh makes a bounded number of new ones', async () => {
  const { references, lines } = workspace();
  let executed = 0;
  const tool = withResultsByReference(
    (input: { readonly q: number; readonly refresh?: boolean }) => {
      executed += 1;
      return rowsOf(9_000 + input.q);
    },
    { references, name: 'rows', context: () => ada },
  );
  const { ref } = referenceIn(((await tool({ q: 1 })) as Kept).content);
  for (let turn = 0; turn < 5; turn += 1) {
    const again = (await tool({ q: 1 })) as Kept;
    expect(text(again.content[0])).toMatch(/^Not executed again: .*is stored as [0-9a-f/]{65}/);
    expect(referenceIn(again.content).ref).toBe(ref);
  }
  expect(executed).toBe(1);
  for (let turn = 0; turn < 6; turn += 1) await tool({ q: 1, refresh: true });
  expect(executed).toBe(4);
  await tool({ q: 2 });
  expect(executed).toBe(5);
  expect(lines.filter(({ event }) => event === 'repeat_not_executed')).toHaveLength(8);
});

it('another owner, another session: not found, word for word as an unknown reference', async () => {
  const { references } = workspace();
  const tool = withResultsByReference(() => rowsOf(9_000), { references, name: 'rows', context: () => ada });
  const { ref } = referenceIn(((await tool({})) as Kept).content);
  const unknown = await references.read(references.run(ada), { ref: `${'a'.repeat(32)}/${'b'.repeat(32)}` });
  for (const context of [
    { owner: 'Bob', session: 'chat 1' },
    { owner: 'Ada', session: 'chat 2' },
    { owner: 'Bob', session: ref.slice(0, 32) },
  ]) {
    expect(await references.read(references.run(context), { ref })).toEqual(unknown);
  }
  expect(unknown).toMatchObject({ status: 'error', text: expect.stringMatching(/^NotFound: /) });
  expect((await references.read(references.run(ada), { ref })).status).toBe('success');
});
