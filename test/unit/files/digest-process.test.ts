import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'claimcheck-threads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const source = join(import.meta.dirname, 'large-results.ts');

/** What the process printed before it ended by itself; a process that a thread keeps alive fails. */
function printed(args: readonly string[], env: Readonly<Record<string, string>> = {}): unknown {
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    // Idle threads end after 30 s: a process that waited for that would be seen.
    timeout: 25_000,
  });
  return JSON.parse(output);
}
const fromSource = (mode: string) => printed(['--expose-gc', '--import', 'tsx', source, mode]);

const kept = { whole: true, records: 40_000, warnings: [], text: '' };

it('a process from sources: the third large result is hashed on the thread, and the process ends by itself', () => {
  expect(fromSource('keep')).toEqual([kept, kept, kept, { workers: 1, busy: true, idle: true }]);
});

it('the same from one bundled and minified file; nothing that the process loads first is loaded by the thread', () => {
  const bundle = join(folder, 'bundle.mjs');
  buildSync({
    entryPoints: [source],
    bundle: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: bundle,
    logLevel: 'silent',
    banner: { js: "import { createRequire } from 'node:module';const require=createRequire(import.meta.url);" },
  });
  const first = join(folder, 'first.mjs');
  writeFileSync(
    first,
    `import { isMainThread } from 'node:worker_threads';
     if (!isMainThread) throw new Error('loaded by a thread');`,
  );
  const expected = [kept, kept, kept, { workers: 1, busy: true, idle: true }];
  expect(printed(['--import', first, bundle, 'keep'])).toEqual(expected);
  expect(printed([bundle, 'keep'], { NODE_OPTIONS: `--import ${first}` })).toEqual(expected);
});

it('a thread that is killed half way costs that one result its copy, and the answer says so', () => {
  const [killed, next, last, facts] = fromSource('kill') as [typeof kept, object, object, object];
  expect(killed).toMatchObject({ whole: false, records: null, warnings: ['not stored: StorageUnavailable'] });
  expect(killed.text).toContain('of 40000 records shown; the rest was not kept (StorageUnavailable)');
  expect([next, last, facts]).toEqual([kept, kept, { workers: 2 }]);
});

it('a disk that is full half way through a body: the answer says that it was not kept, and nothing of it stays', () => {
  const args = ['-c', 'ulimit -f 1024; exec "$0" "$@"', process.execPath, '--import', 'tsx', source, 'full'];
  const [made] = JSON.parse(execFileSync('bash', args, { encoding: 'utf8', timeout: 25_000 })) as [typeof kept];
  expect(made).toMatchObject({ whole: false, records: null, warnings: ['not stored: StorageUnavailable'] });
  expect(made).toMatchObject({ left: [], idle: true, workers: 1 });
  expect(made.text).toContain('of 40000 records shown; the rest was not kept (StorageUnavailable)');
});

it('rings of bodies that nobody ended or dropped come back when they are collected', () => {
  expect(fromSource('forget')).toEqual([{ free: false }, { free: true }]);
});

it('nor does a file of theirs, closed as it is collected, leave its number while the thread has bytes for it', () => {
  expect(fromSource('abandon')).toEqual([{ strange: 0, open: 0, idle: true }]);
});

it('what the thread takes of memory is bounded, and does not add up from one thread to the next', () => {
  const made = fromSource('memory') as readonly { readonly standing: number; readonly after: number }[];
  process.stdout.write(`threads, kB above the start: ${JSON.stringify(made)}\n`);
  const [first, second] = made.map(({ standing }) => standing) as [number, number];
  expect(first).toBeLessThan(16 * 1024);
  // Node 20 and 22 give most of it back at its end. 24 keeps it, and the next thread takes what was kept.
  expect(second).toBeLessThan(first * 1.5);
});
