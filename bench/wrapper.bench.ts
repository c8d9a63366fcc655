import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { References } from '../core/wrap/references.ts';
import { withResultsByReference } from '../core/wrap/with-results-by-reference.ts';
import { digestThreads } from '../files/digests/digest-threads.ts';
import { FileCatalogue } from '../files/file-catalogue.ts';
import { FileResultStore } from '../files/file-result-store.ts';
import { deepagentsEviction, strandsOffloader } from './peers.ts';

/**
 * `npm run bench -- wrapper`: what the wrapper costs in one process, beside a plain write and its peers, in turns within one
 * run (a forced collection between them would throw away compiled code); then peak resident memory, each case in a process of its own. Many uploads at once: \`npm run bench -- pool\`.
 */
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const context = () => ({ owner: 'ada', session: 'bench' });
let run = 0;
const strands = strandsOffloader(folder);
const deepagents = deepagentsEviction(folder);

class OneThreadStore extends FileResultStore {
  override digests(): undefined {
    return undefined;
  }
}

function references(Store = FileResultStore): References {
  run += 1;
  const own = join(folder, `run-${run}`);
  return new References({ store: new Store(own), catalogue: new FileCatalogue(own) });
}

/** As in a process that keeps large results again and again: the thread that makes their digests stands. */
async function threadStanding(): Promise<void> {
  for (let time = 0; time < 2; time += 1) digestThreads.digests(2_000_000)?.drop?.();
  while (digestThreads.thread?.ready === false) await setTimeout(1);
}

const record = (id: number) => ({
  id,
  name: `customer ${id}`,
  address: { city: ['Lisbon', 'Kraków', 'Turin'][id % 3], zip: String(10_000 + (id % 90_000)) },
  lines: [{ sku: `S-${id % 500}`, qty: id % 9 }],
  total: (id * 7919) % 100_000,
  note: id % 5 === 0 ? 'a longer note about this customer and what they wanted last time' : null,
});
const records = (count = 66_606) => Array.from({ length: count }, (_, id) => record(id));

/** 14.7 MB of each kind of text that tools return. */
function texts(): Record<string, string> {
  const rows = records(97_500);
  const line = ({ id, name, total }: ReturnType<typeof record>) =>
    `2026-11-30T10:00:00Z INFO request ${id} of ${name} took ${total} ms, all of it in the service behind the one that answers`;
  const made = {
    'JSON in one line': JSON.stringify(rows),
    NDJSON: rows.map((row) => JSON.stringify(row)).join('\n'),
    'lines of a log': records(132_000).map(line).join('\n'),
  };
  // The engine keeps what was joined as a tree until it is first looked into: that is the maker's own cost.
  for (const text of Object.values(made)) text.charCodeAt(text.length - 1);
  return made;
}

/** Bodies of results and files of the same size: folders stay, as they do where one result follows another. */
function files(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/json|index/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size > 1e6);
}

/** Milliseconds that each work took, by name, round by round in turns. */
type Times = Readonly<Record<string, readonly number[]>>;

async function inTurns(rounds: number, works: Readonly<Record<string, () => unknown>>): Promise<Times> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      const start = performance.now();
      await work();
      times[name] = [...(times[name] ?? []), performance.now() - start];
      // Files that pile up are written to the disk at last, in the time of whoever comes then.
      for (const file of files()) rmSync(file);
    }
  }
  return times;
}

/** The fastest round and the middle one of each work, and how many times those of the base, from the same turns. */
function report(title: string, times: Times, base: string): void {
  process.stdout.write(`\n${title.padEnd(56)} fastest                 median\n`);
  const [least, middle] = [(all: readonly number[]) => Math.min(...all), median];
  for (const name of Object.keys(times)) {
    const columns = [least, middle].map((of) => {
      const [ms, other] = [of(times[name] as number[]), of(times[base] as number[])];
      return `${ms.toFixed(1).padStart(9)} ms ${(ms / other).toFixed(2).padStart(6)} x`;
    });
    process.stdout.write(`  ${name.padEnd(48)} ${columns.join('  ')}\n`);
  }
}

function median(all: readonly number[]): number {
  return [...all].sort((one, other) => one - other)[all.length >> 1] as number;
}

async function plainWrite(text: string): Promise<void> {
  const file = await open(join(folder, `plain-${run++}`), 'w');
  for (let at = 0; at < text.length; at += 65_536) await file.write(text.slice(at, at + 65_536));
  await file.close();
}

/** What anything costs at least that knows what it stored: hashed while the piece before is written. */
async function hashedWrite(text: string): Promise<void> {
  const file = await open(join(folder, `plain-${run++}`), 'w');
  const hash = createHash('sha256');
  let pending: Promise<unknown> = Promise.resolve();
  for (let at = 0; at < text.length; at += 65_536) {
    const piece = Buffer.from(text.slice(at, at + 65_536));
    hash.update(piece);
    await pending;
    pending = file.write(piece);
  }
  await pending;
  await file.close();
}

async function recordByRecord(rows: readonly unknown[]): Promise<void> {
  const file = await open(join(folder, `rows-${run++}`), 'w');
  const stream = file.createWriteStream();
  for (const row of rows) {
    if (!stream.write(`${JSON.stringify(row)}\n`))
      await new Promise<void>((resolve) => stream.once('drain', () => resolve()));
  }
  await new Promise<void>((resolve) => stream.end(() => resolve()));
}

const tool = (made: unknown, Store = FileResultStore) =>
  withResultsByReference(() => made, { references: references(Store), name: 'rows', context });

/** Calls of one tool over one store, as in a process that goes on; never the same arguments, which would be answered by what is stored. */
function calls(made: unknown, Store = FileResultStore): () => Promise<unknown> {
  const wrapped = tool(made, Store);
  let call = 0;
  return () => wrapped({ call: call++ });
}

async function speed(): Promise<void> {
  const small = { total: 120, rows: Array.from({ length: 120 }, (_, id) => record(id)) };
  const wrapped = tool(small);
  const times = 300;
  const under = await inTurns(9, {
    'JSON.stringify': () => {
      for (let time = 0; time < times; time += 1) JSON.stringify(small);
    },
    'wrapper, under the budget': async () => {
      for (let time = 0; time < times; time += 1) await wrapped({ time: 0 });
    },
  });
  report(
    `under the budget: ${Buffer.byteLength(JSON.stringify(small))} bytes, ${times} calls`,
    under,
    'JSON.stringify',
  );

  for (const [title, text] of Object.entries(texts())) {
    const plain = 'plain write by 64 KiB pieces';
    const bytes = Buffer.byteLength(text);
    await threadStanding();
    const write = { [plain]: () => plainWrite(text) };
    const own = await inTurns(25, {
      ...write,
      wrapper: calls(text),
      'wrapper, digests on the same thread': calls(text, OneThreadStore),
    });
    report(`over the budget: ${title}, ${bytes} bytes`, own, plain);
    // Each of these leaves a copy of the text as garbage, which is collected in the time of whoever comes then.
    const others = await inTurns(15, {
      ...write,
      'floor: the same with its SHA-256': () => hashedWrite(text),
      'Strands ContextOffloader 1.19.0 (no records)': () => strands(text),
      'deepagents 1.14.1 (no records)': () => deepagents(text),
    });
    report('the peers, in turns of their own', others, plain);
  }

  const rows = records();
  const byValue = await inTurns(5, {
    'written record by record': () => recordByRecord(rows),
    'wrapper, value': calls(rows),
  });
  report(`over the budget: value of ${rows.length} records`, byValue, 'written record by record');
}

/**
 * One case in this process: the highest resident memory above what it had when its input stood ready, as the kernel
 * counted it (Linux), so that nothing between two samples is missed. The code is warm, from results a hundred times smaller.
 */
async function memory(name: string): Promise<void> {
  const few = records(600);
  for (let time = 0; time < 60; time += 1) {
    await tool(JSON.stringify(few))({});
    await tool(few)({});
  }
  const works: Readonly<Record<string, () => () => Promise<unknown>>> = {
    text: () => {
      const text = texts()['JSON in one line'] as string;
      return () => tool(text)({});
    },
    'text, thread standing': () => {
      const text = texts()['JSON in one line'] as string;
      return () => tool(text)({});
    },
    'start of the thread': () => threadStanding,
    value: () => {
      const rows = records();
      return () => tool(rows)({});
    },
  };
  if (name === 'text, thread standing') await threadStanding();
  const work = (works[name] as NonNullable<(typeof works)[string]>)();
  globalThis.gc?.();
  await setTimeout(200);
  writeFileSync('/proc/self/clear_refs', '5');
  const before = highest();
  const kept = await work();
  const peak = highest();
  globalThis.gc?.();
  void kept;
  process.stdout.write(`${peak - before}\n`);
}

/** Bytes of resident memory at their highest since the last reset. */
function highest(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(line?.[1]) * 1024;
}
const only = process.argv.indexOf('--memory');
if (only >= 0) await memory(process.argv[only + 1] ?? '');
else {
  await speed();
  process.stdout.write('\npeak resident memory above the start, the median of five processes\n');
  for (const name of ['text', 'text, thread standing', 'start of the thread', 'value']) {
    const args = ['--expose-gc', '--import', 'tsx', import.meta.filename, '--memory', name];
    const peaks = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, args, { encoding: 'utf8' })));
    const sorted = peaks.sort((one, other) => one - other).map((bytes) => (bytes / 1e6).toFixed(1));
    process.stdout.write(`  ${name.padEnd(22)} ${sorted[2]} MB (${sorted[0]} to ${sorted[4]})\n`);
  }
}
