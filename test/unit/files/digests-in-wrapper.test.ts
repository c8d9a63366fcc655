import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kept } from '../../../core/store/keeping.ts';
import type { ResultStore } from '../../../core/store/result-store.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { DigestThreads } from '../../../files/digests/digest-threads.ts';
import { settings, workspace } from '../wrap/workspace.ts';

const large = 2 * 1024 * 1024;
const threads = new DigestThreads({ processors: 2 });
beforeAll(async () => {
  for (let time = 0; time < 2; time += 1) threads.digests(large);
  while (threads.thread?.ready !== true) await sleep(2);
});
afterAll(() => threads.thread?.fail());
beforeEach(() => expect(threads.thread?.idle).toBe(true));
afterEach(() => expect(threads.thread?.idle).toBe(true));

let calls = 0;
type PutBody = ResultStore['putBody'];

/** A store whose digests are made on the thread, and how many bodies were on it. */
function keeping(options: Parameters<typeof workspace>[0] = {}, putBody?: (put: PutBody) => PutBody) {
  const seen = { taken: 0, most: 0, now: 0 };
  const wrapStore = (store: ResultStore): ResultStore => {
    const put = store.putBody.bind(store);
    return Object.assign(store, {
      putBody: putBody?.(put) ?? put,
      digests(bytes: number) {
        const digests = threads.digests(bytes);
        seen.taken += digests === undefined ? 0 : 1;
        return digests;
      },
    });
  };
  const made = workspace({ ...options, wrapStore });
  const keep = (value: unknown) =>
    withResultsByReference(() => value, {
      references: made.references,
      name: 'rows',
      context: () => ({ owner: 'Ada', session: 'chat 1' }),
    })({ call: calls++ }) as Promise<Kept>;
  return { ...made, seen, keep };
}

const rows = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, note: `row ${id}, 漢字` })));
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Digests of chunks as whoever reads ranges checks them: the last records come back, verified. */
async function lastRecord({ references, run }: ReturnType<typeof keeping>, kept: Kept): Promise<string> {
  const { ref, records } = kept.stored as NonNullable<Kept['stored']>;
  return (await references.read(run, { ref, offset: records - 1 })).text;
}

it('text, a block and bytes that are read back: the digests are those of the stored file', async () => {
  const place = keeping();
  const text = rows(60_000);
  for (const made of [text, { status: 'success', content: [{ text: `"${'a'.repeat(1_200_000)}"` }] }]) {
    const kept = await place.keep(made);
    const file = readdirSync(place.folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('body'))
      .map((name) => readFileSync(join(place.folder, name)))
      .find((bytes) => sha256(bytes) === kept.stored?.sha256);
    expect(file?.length).toBe(kept.stored?.bytes);
  }
  expect(place.seen.taken).toBe(2);
  const kept = await place.keep(text);
  expect(await lastRecord(place, kept)).toContain('row 59999, 漢字');
});

it('many at once: as many on the thread as it has rings, all digests right', async () => {
  const place = keeping({ parallelUploads: 7 });
  const texts = Array.from({ length: 7 }, (_, which) => rows(40_000 + which * 1_000));
  const kept = await Promise.all(texts.map((text) => place.keep(text)));
  expect(kept.map((one) => one.stored?.sha256)).toEqual(texts.map(sha256));
  expect(place.seen.taken).toBeGreaterThanOrEqual(4);
});

it('values and streams, whose size is not known before, and small texts are hashed where they are scanned', async () => {
  const place = keeping();
  const made = Array.from({ length: 40_000 }, (_, id) => ({ id, note: `row ${id}` }));
  async function* stream() {
    yield* made;
  }
  for (const value of [made, stream(), rows(2_000)]) expect((await place.keep(value)).stored).not.toBeNull();
  expect(place.seen.taken).toBe(0);
});

it('an upload that fails half way: not kept, counted to the end, the ring is free', async () => {
  const place = keeping({}, () => async (_address, body) => {
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > 500_000) throw new Error('the disk is gone');
    }
    throw new Error('never');
  });
  const kept = await place.keep(rows(60_000));
  expect(kept).toMatchObject({ stored: null, warnings: ['not stored: HookFailure'] });
  expect(JSON.stringify(kept.content)).toContain('of 60000 records shown');
  expect(place.seen.taken).toBe(1);
});

it('a body past its cap: an error, the ring is free', async () => {
  const place = keeping({ settings: settings({ storage: { maxBytes: 1_500_000 } }) });
  const kept = await place.keep(rows(100_000));
  expect(kept).toMatchObject({ status: 'error', warnings: ['not stored: OversizeResult'] });
  expect(place.seen.taken).toBe(1);
});

it('an upload that hangs and goes on after the answer: nothing of it reaches the body that has the ring then', async () => {
  let goOn = () => {};
  const hung = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let late: Promise<unknown> = Promise.resolve();
  let bodies = 0;
  const place = keeping(
    { settings: settings({ storage: { uploadTimeoutMs: 300 } }) },
    (put) =>
      (address, body, ...rest) => {
        bodies += 1;
        if (bodies > 1) return put(address, body, ...rest);
        const upload = (async () => {
          let pieces = 0;
          for await (const _piece of body as AsyncIterable<Uint8Array>) {
            pieces += 1;
            if (pieces === 3) await hung;
          }
          throw new Error('the end');
        })();
        late = upload.catch(() => {});
        return upload as never;
      },
  );
  const text = rows(60_000);
  const kept = await place.keep(text);
  expect(kept).toMatchObject({ stored: null, warnings: ['not stored: StorageUnavailable'] });
  expect(JSON.stringify(kept.content)).toContain('of 60000 records shown');
  expect(threads.thread?.idle).toBe(true);
  const next = place.keep(`${text} `);
  goOn();
  await late;
  expect((await next).stored?.sha256).toBe(sha256(`${text} `));
  expect(place.seen.taken).toBe(2);
});
