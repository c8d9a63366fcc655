import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalogue } from '../../../core/catalogue/catalogue.ts';
import { contentBytes } from '../../../core/store/content-size.ts';
import type { Kept } from '../../../core/store/keeping.ts';
import type { ResultStore } from '../../../core/store/result-store.ts';
import { RunMemory } from '../../../core/wrap/run-memory.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { newFolder, rowsOf, settings, workspace } from './workspace.ts';

const ada = { owner: 'Ada', session: 'chat 1' };
const never = <T>() => new Promise<T>(() => {});
const hanging = <T extends object>(port: T, name: keyof T, work: (...args: never[]) => Promise<unknown> = never): T =>
  new Proxy(port, {
    get: (target, key) => (key === name ? work : (target[key as keyof T] as () => unknown).bind(target)),
  });
/** Takes one piece of the body and hangs, whatever its signal says. */
const afterOnePiece = async (_address: unknown, body: AsyncIterable<Uint8Array>) => {
  for await (const _piece of body) await never();
};
const limits = settings({ storage: { uploadTimeoutMs: 100 } });

interface Answered {
  readonly kept: Kept;
  readonly words: string;
  readonly shown: number;
  readonly ms: number;
}

async function answered(made: () => unknown, options: Parameters<typeof workspace>[0]): Promise<Answered> {
  const { references } = workspace({ settings: limits, ...options });
  const started = performance.now();
  const kept = (await withResultsByReference(made, { references, name: 'rows', context: () => ada })({})) as Kept;
  const words = JSON.stringify(kept.content);
  expect(kept).toMatchObject({ status: 'success', stored: null });
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  expect(words).not.toContain('data_reference');
  const shown = Number(/\[(\d+) records of/.exec(words)?.[1]);
  return { kept, words, shown, ms: performance.now() - started };
}
const hangingUpload = { wrapStore: (store: ResultStore) => hanging(store, 'putBody', afterOnePiece) };

it('an upload of a stream that hangs: the preview is full all the same, and the total is the true one', async () => {
  async function* records() {
    yield* rowsOf(9_000);
  }
  const { words, shown } = await answered(records, hangingUpload);
  expect(words).toContain('of 9000 records shown; the rest was not kept (StorageUnavailable)');
  expect(shown).toBeGreaterThan(100);
});

it('a stream without an end: the preview is full, the answer comes in time, the source is closed', async () => {
  let closed = 0;
  async function* records() {
    try {
      for (let id = 0; ; id += 1) yield { id, note: 'a row of a stream that has no end' };
    } finally {
      closed += 1;
    }
  }
  const { words, shown, ms } = await answered(records, hangingUpload);
  expect(words).toContain('of a result of unknown many bytes shown; the rest was not kept');
  expect(shown).toBeGreaterThan(100);
  expect(ms).toBeLessThan(5_000);
  expect(closed).toBe(1);
});

it('a stream that hangs by itself meanwhile holds the answer up no longer than that; what it gives later is nobody’s', async () => {
  let wake: () => void = () => {};
  async function* records() {
    yield* rowsOf(700);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    yield* rowsOf(700);
  }
  const { kept, words, shown, ms } = await answered(records, hangingUpload);
  expect(words).toContain('of a result of unknown many bytes shown');
  expect(shown).toBeGreaterThan(100);
  expect(ms).toBeLessThan(5_000);
  const before = JSON.stringify(kept);
  wake();
  await sleep(20);
  expect(JSON.stringify(kept)).toBe(before);
});

it('more than may be stored: the source of a stream is closed', async () => {
  let closed = 0;
  async function* records() {
    try {
      yield* rowsOf(9_000);
    } finally {
      closed += 1;
    }
  }
  const { references } = workspace({ settings: settings({ storage: { maxBytes: 200_000 } }) });
  const tool = withResultsByReference(records, { references, name: 'rows', context: () => ada });
  expect(await tool({})).toMatchObject({ status: 'error', stored: null });
  expect(closed).toBe(1);
});

it('a tool that fails while the rest is counted has failed', async () => {
  async function* records() {
    yield* rowsOf(9_000);
    throw new Error('the database went away');
  }
  const { references } = workspace({ settings: limits, ...hangingUpload });
  const tool = withResultsByReference(records, { references, name: 'rows', context: () => ada });
  await expect(tool({})).rejects.toThrow('the database went away');
});

it.each(['putIndex', 'readBody'] as const)('a store whose %s hangs: a bounded answer in bounded time', async (name) => {
  const tools = { rows: { identity: { field: 'id', expectedFrom: 'ids' } } };
  const options = { tools, wrapStore: (store: ResultStore) => hanging(store, name) };
  const { words, ms } = await answered(() => rowsOf(9_000), options);
  expect(words).toContain('of 9000 records shown; the rest was not kept (StorageUnavailable)');
  expect(ms).toBeLessThan(3_000);
});

it.each(['usedBytes', 'add'] as const)('a catalogue whose %s hangs: the same', async (name) => {
  const catalogue = hanging<Catalogue>(new FileCatalogue(newFolder()), name);
  const { words, ms } = await answered(() => rowsOf(9_000), { catalogue });
  expect(words).toContain('of 9000 records shown; the rest was not kept (StorageUnavailable)');
  expect(ms).toBeLessThan(3_000);
});

it.each(['list', 'record'] as const)('a memory of calls whose %s hangs or fails costs no result', async (name) => {
  const refused = async () => {
    throw new Error('the table went away');
  };
  for (const work of [never, refused]) {
    const outcomes = hanging(new RunMemory().outcomes, name, work);
    const { references, lines } = workspace({ settings: settings({ storage: { uploadTimeoutMs: 2_000 } }), outcomes });
    const tool = withResultsByReference(() => rowsOf(9_000), { references, name: 'rows', context: () => ada });
    expect(((await tool({})) as Kept).stored).toMatchObject({ records: 9_000 });
    expect(lines.map(({ event }) => event)).toContain('repeat_unknown');
  }
});
