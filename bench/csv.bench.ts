import { spawnSync } from 'node:child_process';
import { closeSync, createWriteStream, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import Papa from 'papaparse';
import { FileSpool } from '../aws/export-spool.ts';
import { exportRows } from '../core/export/export-rows.ts';
import { mixedRow } from './mixed-rows.ts';

/**
 * A million rows of ten mixed columns into a file, CPU time of the whole process, every way of writing in a process of
 * its own so that none warms or burdens another; and the memory beside that process when idle.
 */
const rows = 1_000_000;
const batch = 1_000;
const columns = Object.keys(mixedRow(0));

interface Measured {
  readonly cpuMs: number;
  /** Highest resident memory, above that of the process before it began. */
  readonly aboveIdle: number;
  readonly bytes: number;
}

type Way = (batches: () => Generator<unknown[]>, folder: string) => Promise<unknown>;

const toFile = (path: string) => async (pieces: AsyncIterable<Uint8Array>) => {
  const file = openSync(path, 'w');
  for await (const piece of pieces) writeSync(file, piece);
  closeSync(file);
};
function* each(batches: Generator<unknown[]>): Generator<unknown> {
  for (const some of batches) yield* some;
}
const makeSpool = () => new FileSpool();

const ways: Readonly<Record<string, Way>> = {
  'csv-stringify, bare stream': (batches, folder) =>
    pipeline(
      Readable.from(each(batches())),
      stringify({ header: true, columns }),
      createWriteStream(join(folder, 'a.csv')),
    ),
  'papaparse, a batch at a time': async (batches, folder) => {
    const file = openSync(join(folder, 'a.csv'), 'w');
    for (const some of batches()) writeSync(file, `${Papa.unparse(some, { header: false, columns })}\r\n`);
    closeSync(file);
  },
  'guard, count': (batches, folder) =>
    exportRows(
      { rows: batches(), batched: true, columns },
      { csv: toFile(join(folder, 'a.csv')) },
      { inlineBytes: 0, makeSpool },
    ),
  'guard, count, columns unknown (spool)': (batches, folder) =>
    exportRows(
      { rows: batches(), batched: true },
      { csv: toFile(join(folder, 'a.csv')) },
      { inlineBytes: 0, makeSpool },
    ),
  'guard, profile, inline, count, typed copy': (batches, folder) =>
    exportRows(
      { rows: batches(), batched: true, columns },
      { csv: toFile(join(folder, 'a.csv')), typed: toFile(join(folder, 'a.ndjson')) },
      { inlineBytes: 24_576, profileBytes: 4_096, makeSpool },
    ),
};

/** Rows are made before the clock starts and handed out again and again: their making is nobody's cost. */
async function measure(name: string, count: number): Promise<Measured> {
  const pool = Array.from({ length: 20 }, (_, at) => Array.from({ length: batch }, (_, i) => mixedRow(at * batch + i)));
  function* batches(): Generator<unknown[]> {
    for (let at = 0; at < count / batch; at += 1) yield pool[at % pool.length] as unknown[];
  }
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-bench-'));
  try {
    globalThis.gc?.();
    const idle = process.memoryUsage().rss;
    let most = idle;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    const start = process.cpuUsage();
    await (ways[name] as Way)(batches, folder);
    const used = process.cpuUsage(start);
    clearInterval(watch);
    // The high-water mark of the process counts too, where making the rows has not set it.
    most = Math.max(most, process.memoryUsage().rss);
    return {
      cpuMs: (used.user + used.system) / 1_000,
      aboveIdle: most - idle,
      bytes: statSync(join(folder, 'a.csv')).size,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function inChild(name: string, count: number): Measured {
  const args = ['--expose-gc', '--import', 'tsx', import.meta.filename, name, String(count)];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`${name}: ${child.stderr}`);
  return JSON.parse(child.stdout) as Measured;
}

const [asked, count] = process.argv.slice(2);
if (asked !== undefined) {
  process.stdout.write(JSON.stringify(await measure(asked, Number(count))));
} else {
  const MB = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  const perSecond = new Map<string, number>();
  const memory = new Map<string, number>();
  console.log('1,000,000 rows x 10 columns to a file, CPU time of the process, best of two');
  for (const name of Object.keys(ways)) {
    const [first, second, small] = [inChild(name, rows), inChild(name, rows), inChild(name, 10_000)];
    const best = Math.min(first.cpuMs, second.cpuMs);
    perSecond.set(name, rows / (best / 1_000));
    memory.set(name, Math.max(first.aboveIdle, second.aboveIdle));
    const bare = perSecond.get('csv-stringify, bare stream') as number;
    const rate = Math.round(perSecond.get(name) as number);
    console.log(
      `  ${name.padEnd(42)} ${rate.toLocaleString('en').padStart(9)} rows/s  ${(rate / bare).toFixed(2)} x  ` +
        `above idle ${MB(small.aboveIdle)} at 10,000 rows, ${MB(memory.get(name) as number)} at 1,000,000`,
    );
  }
  const ratio = (name: string) =>
    (perSecond.get(name) as number) / (perSecond.get('csv-stringify, bare stream') as number);
  const ours = Object.keys(ways).slice(2);
  const met =
    ratio('guard, count') >= 2 &&
    ratio('guard, profile, inline, count, typed copy') >= 1.1 &&
    ours.every((name) => (memory.get(name) as number) < 75e6);
  console.log(`  targets (2 x, 1.1 x, 75 MB): ${met ? 'met' : 'MISSED'}`);
  if (!met) process.exitCode = 1;
}
