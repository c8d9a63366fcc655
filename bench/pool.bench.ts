import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { References } from '../core/wrap/references.ts';
import { FileCatalogue } from '../files/file-catalogue.ts';
import { FileResultStore } from '../files/file-result-store.ts';

/**
 * `npm run bench -- pool`: results of 1 MB, each a stream of its own, all begun at once. What is alive in the process at
 * most (collected before it is counted), and resident memory, each count in a process of its own. Answers are reduced to
 * their size when they come, or held as an agent would hold them.
 */
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-pool-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const piece = Buffer.alloc(64 * 1024, 'a line of text that is repeated\n');

async function pool(count: number, hold: boolean): Promise<void> {
  const own = join(folder, String(count));
  const references = new References({ store: new FileResultStore(own), catalogue: new FileCatalogue(own) });
  const run = references.run({ owner: 'ada', session: 'bench' });
  let open = 0;
  let mostOpen = 0;
  let ended = 0;
  // One function for all: a generator function brings a class of its own, a kilobyte each.
  async function* made() {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    for (let at = 0; at < 16; at += 1) yield piece;
    open -= 1;
  }
  const results = Array.from({ length: count }, async (_, id) => {
    const call = { run, tool: 'rows', toolUseId: String(id), input: { id } };
    const kept = await references.keep(call, { kind: 'stream', pieces: made() });
    if (kept?.stored == null) throw new Error('not stored');
    ended += 1;
    return hold ? kept : kept.content.length;
  });
  let peak = 0;
  const all = Promise.all(results);
  let over = false;
  void all.finally(() => {
    over = true;
  });
  while (!over) {
    const before = ended;
    while (!over && ended < before + count / 10) await new Promise((resolve) => setImmediate(resolve));
    peak = Math.max(peak, await alive());
  }
  await all;
  process.stdout.write(`${(peak / 1e6).toFixed(1)} MB alive, ${mostOpen} streams begun at once, `);
}

/** What a second collection leaves: buffers go with the first one's finalisers. */
async function alive(): Promise<number> {
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function resident(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024;
}

const only = process.argv.indexOf('--count');
if (only >= 0) {
  const hold = process.argv.includes('--hold');
  await pool(20, hold);
  const start = await alive();
  await writeFile('/proc/self/clear_refs', '5').catch(() => {});
  const before = process.memoryUsage.rss();
  process.stdout.write(
    `  ${(process.argv[only + 1] ?? '').padStart(6)}${hold ? ', answers held' : ''}: start ${(start / 1e6).toFixed(1)}; `,
  );
  await pool(Number(process.argv[only + 1]), hold);
  process.stdout.write(`${((resident() - before) / 1e6).toFixed(1)} MB resident above the start\n`);
} else {
  for (const hold of [[], ['--hold']]) {
    for (const count of ['100', '1000']) {
      const args = ['--expose-gc', '--import', 'tsx', import.meta.filename, '--count', count, ...hold];
      process.stdout.write(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    }
  }
}
