import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ResultStore } from '../../../core/store/result-store.ts';
import { WaitingLine } from '../../../core/wrap/waiting-line.ts';
import { settings, workspace } from './workspace.ts';

const never = <T>() => new Promise<T>(() => {});
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('a line moves as long as places are left well, however long that takes; when none is, who has waited goes', async () => {
  const line = new WaitingLine(1, 60);
  expect(await line.enter()).toBe(true);
  const started: string[] = [];
  const waiting = ['b', 'c', 'd', 'e'].map((name) => line.enter().then((placed) => started.push(`${name} ${placed}`)));
  for (const expected of ['b true', 'c true', 'd true']) {
    await later(40);
    line.leave(true);
    await later(0);
    expect(started.at(-1)).toBe(expected);
  }
  // 120 ms after it came, and nothing comes to a good end any more.
  await Promise.all(waiting);
  expect(started).toEqual(['b true', 'c true', 'd true', 'e false']);
  line.leave(false);
  expect(await line.enter()).toBe(true);
});

it('a store that hangs: 60 streams are answered by what fits and true totals, eight at a time beside those that hang', async () => {
  let open = 0;
  let most = 0;
  async function* rows() {
    open += 1;
    most = Math.max(most, open);
    for (let id = 0; id < 900; id += 1) yield { id, note: 'a row of a stream that is longer than others' };
    open -= 1;
  }
  const { references, run } = workspace({
    settings: settings({ storage: { uploadTimeoutMs: 1_500 } }),
    wrapStore: (store: ResultStore) => ({ ...hanging(store) }),
  });
  const before = Date.now();
  const kept = await Promise.all(
    Array.from({ length: 60 }, (_, id) =>
      references.keep({ run, tool: 'rows', toolUseId: String(id), input: { id } }, { kind: 'stream', pieces: rows() }),
    ),
  );
  expect(Date.now() - before).toBeLessThan(10_000);
  const counted = kept.filter((one) =>
    JSON.stringify(one?.content).includes('of 900 records shown; the rest was not kept'),
  );
  for (const one of kept) {
    expect(one?.stored).toBeNull();
    const words = JSON.stringify(one?.content);
    expect(words).toContain('was not kept (StorageUnavailable)');
    // Also where the time went by with the store, records fill what fits.
    expect(Number(/\[(\d+) records of/.exec(words)?.[1])).toBeGreaterThan(100);
  }
  // All but at most those eight, which have two seconds to count beside the others.
  expect(counted.length).toBeGreaterThanOrEqual(52);
  // Eight that hang with their upload, and eight that are answered without the store.
  expect(most).toBeLessThanOrEqual(16);
});

it('results that a view reduces wait in the same line: at most eight are begun, and all are kept', async () => {
  let open = 0;
  let most = 0;
  async function* rows() {
    open += 1;
    most = Math.max(most, open);
    for (let id = 0; id < 900; id += 1) yield { id, name: 'a row of a stream that is longer than others', secret: id };
    open -= 1;
  }
  const { references, run } = workspace({ tools: { rows: { view: { '*': ['id', 'name'] } } } });
  const kept = await Promise.all(
    Array.from({ length: 40 }, (_, id) =>
      references.keep({ run, tool: 'rows', toolUseId: String(id), input: { id } }, { kind: 'stream', pieces: rows() }),
    ),
  );
  for (const one of kept) expect(one?.stored).toMatchObject({ records: 900 });
  expect(most).toBeLessThanOrEqual(8);
  expect(JSON.stringify(kept)).not.toContain('secret');
});

it('1,000 results of 1 MB at once: what is alive is the pool’s, not the count’s', () => {
  const bench = join(import.meta.dirname, '../../../bench/pool.bench.ts');
  const figures = ['100', '1000'].map((count) => {
    const args = ['--expose-gc', '--import', 'tsx', bench, '--count', count];
    const out = execFileSync(process.execPath, args, { encoding: 'utf8' });
    process.stdout.write(out);
    const [alive, begun] = [...out.matchAll(/([\d.]+) MB alive, (\d+) streams begun/g)].at(-1)?.slice(1) ?? [];
    return { alive: Number(alive), begun: Number(begun) };
  });
  const [hundred, thousand] = figures as [(typeof figures)[number], (typeof figures)[number]];
  expect([hundred.begun, thousand.begun]).toEqual([8, 8]);
  // 900 MB more went through.
  expect(thousand.alive - hundred.alive).toBeLessThan(6);
}, 120_000);

function hanging(store: ResultStore): ResultStore {
  return {
    putBody: async (_address, body, _metadata, limits) => {
      // It takes the first piece and then nothing more, whatever the signal says.
      for await (const _piece of body as AsyncIterable<Uint8Array>)
        await Promise.race([never(), aborted(limits.signal)]);
      return never();
    },
    headBody: (address) => store.headBody(address),
    readBody: (address, etag) => store.readBody(address, etag),
    readRange: (address, etag, start, end) => store.readRange(address, etag, start, end),
    putIndex: (address, index) => store.putIndex(address, index),
    readIndex: (address) => store.readIndex(address),
  };
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
