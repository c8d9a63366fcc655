import { createHash } from 'node:crypto';
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { References } from '../../../core/wrap/references.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { DigestThreads } from '../../../files/digests/digest-threads.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';
import { writePieces } from '../../../files/write-pieces.ts';

/** A process of its own: keeps large texts one after the other, prints what came of it as JSON, and ends by itself. */
const [mode = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-large-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const workers: Worker[] = [];
process.on('worker', (worker) => {
  // What compiles these sources may use threads as well, without limits.
  if ((worker.resourceLimits?.maxOldGenerationSizeMb ?? 4096) < 100) workers.push(worker);
});
const threads = new DigestThreads({ processors: 2, ...(mode === 'memory' ? { idleMs: 500 } : {}) });
const standing = async () => {
  while (threads.thread?.ready !== true) await sleep(2);
};

/** Called once a megabyte of a body has passed. */
let midway: () => Promise<unknown> = async () => undefined;

class Store extends FileResultStore {
  override putBody(...[address, body, metadata, limits]: Parameters<FileResultStore['putBody']>) {
    async function* passed() {
      let bytes = 0;
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        if (bytes < 1_000_000 && bytes + piece.length >= 1_000_000) await midway();
        bytes += piece.length;
        yield piece;
      }
    }
    return super.putBody(address, passed(), metadata, limits);
  }

  override digests(bytes: number) {
    return threads.digests(bytes);
  }
}

const references = new References({ store: new Store(folder), catalogue: new FileCatalogue(folder) });

async function keep(seed: number) {
  const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, seed, note: 'a row of a large result, é' }));
  const text = JSON.stringify(rows);
  const tool = withResultsByReference(() => text, {
    references,
    name: 'rows',
    context: () => ({ owner: 'ada', session: 's' }),
  });
  const kept = (await tool({ seed })) as {
    readonly content: readonly { readonly text?: string }[];
    readonly stored: { readonly sha256: string; readonly records: number } | null;
    readonly warnings: readonly string[];
  };
  return {
    whole: kept.stored?.sha256 === createHash('sha256').update(text).digest('hex'),
    records: kept.stored?.records ?? null,
    warnings: kept.warnings,
    text: kept.stored === null ? kept.content.map((block) => block.text ?? '').join('\n') : '',
  };
}

/** Kilobytes of this process's own memory now. */
const ownMemory = () => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

const made: object[] = [];
if (mode === 'keep') {
  made.push(await keep(1), await keep(2));
  await standing();
  const { thread } = threads;
  let busy = false;
  midway = async () => {
    busy = thread?.idle === false;
  };
  made.push(await keep(3), { workers: workers.length, busy, idle: thread?.idle });
} else if (mode === 'kill') {
  await keep(1);
  await keep(2);
  await standing();
  midway = async () => {
    midway = async () => undefined;
    await workers[0]?.terminate();
  };
  made.push(await keep(3), await keep(4));
  await standing();
  made.push(await keep(5), { workers: workers.length });
} else if (mode === 'full') {
  // Past the limit on files the system would end the process, where nobody listens to it.
  process.on('SIGXFSZ', () => {});
  await keep(1);
  await keep(2);
  await standing();
  const kept = await keep(3);
  const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /body|draft|index/.test(name),
  );
  made.push({ ...kept, left, idle: threads.thread?.idle, workers: workers.length });
} else if (mode === 'forget') {
  threads.digests(2_000_000);
  threads.digests(2_000_000);
  await standing();
  (() => {
    for (let time = 0; time < 4; time += 1) threads.digests(2_000_000)?.write(new Uint8Array(100_000));
  })();
  made.push({ free: threads.digests(2_000_000) !== undefined });
  for (let time = 0; time < 500 && threads.thread?.idle === false; time += 1) {
    globalThis.gc?.();
    await sleep(2);
  }
  made.push({ free: threads.digests(2_000_000) !== undefined });
} else if (mode === 'abandon') {
  threads.digests(2_000_000);
  threads.digests(2_000_000);
  await standing();
  let strange = 0;
  for (let time = 0; time < 20; time += 1) {
    // A body whose source hangs, which nobody waits for: its last slot is one that the thread was not woken for.
    (() => {
      const digests = threads.digests(2_000_000);
      async function* pieces() {
        for (const piece of [new Uint8Array(10).fill(1), new Uint8Array(65_536).fill(2)]) {
          digests?.write(piece);
          yield piece;
        }
        await new Promise(() => {});
      }
      const limits = { maxBytes: 1e9, durable: false, digests: () => digests };
      writePieces(join(folder, `abandoned-${time}`), pieces(), limits).catch(() => {});
    })();
    await sleep(20);
    const other = threads.digests(2_000_000);
    // Without a turn for anybody else: it is collected, another file is opened, and the thread is woken.
    globalThis.gc?.();
    const file = openSync(join(folder, `new-${time}`), 'w+');
    other?.write(new Uint8Array(200_000));
    for (const from = performance.now(); performance.now() - from < 15; );
    strange += fstatSync(file).size;
    closeSync(file);
    other?.drop?.();
    await sleep(2);
  }
  const open = () =>
    readdirSync('/proc/self/fd').filter((number) => {
      try {
        return readlinkSync(`/proc/self/fd/${number}`).includes('abandoned-');
      } catch {
        return false;
      }
    }).length;
  for (let time = 0; time < 500 && (open() > 0 || threads.thread?.idle === false); time += 1) {
    globalThis.gc?.();
    await sleep(2);
  }
  made.push({ strange, open: open(), idle: threads.thread?.idle });
} else {
  threads.digests(2_000_000);
  globalThis.gc?.();
  await sleep(50);
  const before = ownMemory();
  for (let time = 0; time < 2; time += 1) {
    threads.digests(2_000_000)?.drop?.();
    threads.digests(2_000_000)?.drop?.();
    await standing();
    const standingThread = ownMemory() - before;
    while (threads.thread !== undefined) await sleep(20);
    await sleep(200);
    globalThis.gc?.();
    made.push({ standing: standingThread, after: ownMemory() - before });
  }
}
process.stdout.write(JSON.stringify(made));
