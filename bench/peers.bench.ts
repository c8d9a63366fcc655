import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { References } from '../core/wrap/references.ts';
import { FileCatalogue } from '../files/file-catalogue.ts';
import { FileResultStore } from '../files/file-result-store.ts';
import { deepagentsEviction, type Offload, strandsOffloader } from './peers.ts';

/**
 * `npm run bench -- peers`: 14.7 MB of text out of a conversation and into files, by this library and by two others, in
 * turns within one run (the least processor time of several rounds), beside a plain write; what each leaves in the
 * conversation, and what stays alive in the process because of it.
 */
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-peers-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let made = 0;

const text = JSON.stringify(
  Array.from({ length: 76_000 }, (_, id) => ({
    id,
    name: `customer ${id}`,
    address: { city: ['Lisbon', 'Kraków', 'Turin'][id % 3], zip: String(10_000 + (id % 90_000)) },
    total: (id * 7919) % 100_000,
    note: id % 5 === 0 ? 'a longer note about this customer and what they wanted last time' : null,
    lines: [{ sku: `S-${id % 500}`, qty: id % 9, price: (id * 31) % 1_000, unit: 'piece', warehouse: `W-${id % 40}` }],
  })),
).slice(0, 14_700_000);

const own = new References({
  store: new FileResultStore(join(folder, 'claimcheck')),
  catalogue: new FileCatalogue(join(folder, 'claimcheck')),
});
const run = own.run({ owner: 'ada', session: 'bench' });

const works: Readonly<Record<string, Offload>> = {
  'plain write by 64 KiB pieces': async (given) => {
    made += 1;
    const file = await open(join(folder, `plain-${made}`), 'w');
    for (let at = 0; at < given.length; at += 65_536) await file.write(given.slice(at, at + 65_536));
    await file.close();
    return '';
  },
  'claimcheck: whole records, totals, profile': async (given) => {
    made += 1;
    const call = { run, tool: 'rows', toolUseId: `use-${made}`, input: { made } };
    const kept = await own.keep(call, { kind: 'value', value: given });
    if (kept?.stored == null) throw new Error('claimcheck: nothing was stored');
    return kept.content;
  },
  'Strands ContextOffloader 1.19.0': strandsOffloader(folder),
  'deepagents eviction 1.14.1': deepagentsEviction(folder),
};

const best: Record<string, { cpu: number; wall: number; left: number }> = {};
for (let round = 0; round < 7; round += 1) {
  for (const [name, work] of Object.entries(works)) {
    const before = process.cpuUsage();
    const start = performance.now();
    const left = await work(text);
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    const known = best[name];
    const cpu = (user + system) / 1_000;
    best[name] = {
      cpu: Math.min(known?.cpu ?? Number.POSITIVE_INFINITY, cpu),
      wall: Math.min(known?.wall ?? Number.POSITIVE_INFINITY, wall),
      left: Buffer.byteLength(typeof left === 'string' ? left : JSON.stringify(left)),
    };
  }
}
/** What stays alive for as long as the answers do, each of a text of its own that nobody else holds. */
async function keptAlive(work: Offload): Promise<number> {
  const times = 5;
  const answers: unknown[] = [await work(copyOf(0))];
  const before = await alive();
  for (let time = 1; time <= times; time += 1) answers.push(await work(copyOf(time)));
  const bytes = (await alive()) - before;
  return answers.length > times ? bytes / times : Number.NaN;
}

function copyOf(time: number): string {
  return Buffer.from(`[${time},${text.slice(1)}`, 'utf8').toString('utf8');
}

async function alive(): Promise<number> {
  for (let time = 0; time < 3; time += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.stdout.write(`text of ${text.length} characters\n`);
const base = best['plain write by 64 KiB pieces']?.cpu ?? Number.NaN;
for (const [name, { cpu, wall, left }] of Object.entries(best)) {
  const alive = name.startsWith('plain')
    ? ''
    : `${((await keptAlive(works[name] as Offload)) / 1e6).toFixed(1)} MB kept alive`;
  process.stdout.write(
    `  ${name.padEnd(44)} ${cpu.toFixed(0).padStart(5)} ms CPU ${(cpu / base).toFixed(1).padStart(5)} x  ${wall.toFixed(0).padStart(5)} ms  ${String(left).padStart(6)} bytes left  ${alive}\n`,
  );
}
