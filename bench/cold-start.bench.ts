import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBundle } from '../lib/bundling.ts';
import { functionsOf, type MeasuredFunction } from './cold-start/functions.ts';
import { importTime } from './cold-start/import-time.ts';
import { buildSdkOnly } from './cold-start/sdk-only.ts';

/**
 * What a cold start loads: the size of each function's bundle, and the CPU time of its import beside that of a handler
 * which makes the same SDK clients and does nothing else, in fresh processes of Node 24. All functions and their
 * yardsticks take turns, round by round and each round the other way around, so that a busy stretch meets all alike;
 * the median of each round's ratio counts.
 */
const rounds = Number(process.env['CLAIMCHECK_BENCH_ROUNDS'] ?? 15);
const largestRatio = 1.3;
const largestBytes = 1_000_000;

interface Measured {
  readonly name: string;
  readonly bytes: number;
  readonly own: number[];
  /** Empty for a function without an SDK client: there is nothing to set it beside. */
  readonly sdk: number[];
  readonly turns: readonly (() => void)[];
}

const folder = mkdtempSync(join(tmpdir(), 'claimcheck-cold-start-'));
try {
  process.exitCode = main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main(): number {
  const node = node24();
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  process.stdout.write(`Node ${version}, ${rounds} rounds, medians of CPU ms\n`);
  const measured = functionsOf().map((each) => built(each, node));
  const turns = measured.flatMap((each) => each.turns);
  for (let round = 0; round < rounds; round += 1) {
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) turn();
  }
  process.stdout.write('| function | bundle | import | SDK alone | ratio |\n| --- | ---: | ---: | ---: | ---: |\n');
  return measured.map(reported).includes(false) ? 1 : 0;
}

function built({ name, source, variables }: MeasuredFunction, node: string): Measured {
  const target = join(folder, name);
  const plain = join(folder, `${name}-sdk`);
  buildBundle(source, target);
  const bytes = readdirSync(target)
    .filter((file) => file.endsWith('.mjs'))
    .reduce((sum, file) => sum + statSync(join(target, file)).size, 0);
  const own: number[] = [];
  const sdk: number[] = [];
  const turns = [() => void own.push(importTime(node, join(target, 'index.mjs'), variables))];
  if (buildSdkOnly(source.entry, plain) > 0) {
    turns.push(() => void sdk.push(importTime(node, join(plain, 'index.mjs'), {})));
  }
  return { name, bytes, own, sdk, turns };
}

/** Prints a function's line; false when it is over a bound. */
function reported({ name, bytes, own, sdk }: Measured): boolean {
  const ratio = sdk.length === 0 ? undefined : median(own.map((time, round) => time / (sdk[round] ?? Number.NaN)));
  const cells = [
    name,
    `${Math.round(bytes / 1000)} kB${bytes < largestBytes ? '' : ' (too large)'}`,
    median(own).toFixed(1),
    ratio === undefined ? 'uses none' : median(sdk).toFixed(1),
    ratio === undefined ? '–' : `${ratio.toFixed(2)}${ratio <= largestRatio ? '' : ' (too large)'}`,
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
  return bytes < largestBytes && (ratio === undefined || ratio <= largestRatio);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The binary of Node 24: this process's own, or the one that npm fetches. */
function node24(): string {
  if (process.versions.node.startsWith('24.')) return process.execPath;
  const found = spawnSync('npx', ['-y', '-p', 'node@24', 'node', '-p', 'process.execPath'], {
    encoding: 'utf8',
    cwd: tmpdir(),
  });
  const path = found.stdout.trim();
  if (found.status !== 0 || path === '')
    throw new Error(`Node 24 is needed, and npm could not fetch it: ${found.stderr.slice(-500)}`);
  return path;
}
