import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AfterToolCallEvent, TextBlock, ToolResultBlock } from '@strands-agents/sdk';
import { ContextOffloader, FileStorage } from '@strands-agents/sdk/vended-plugins/context-offloader';
import { References } from '../core/wrap/references.ts';
import { withResultsByReference } from '../core/wrap/with-results-by-reference.ts';
import { FileCatalogue } from '../files/file-catalogue.ts';
import { FileResultStore } from '../files/file-result-store.ts';

/**
 * `npm run bench -- wrapper`: what the wrapper costs in one process, beside a plain write and a peer, in turns within one
 * run (the fastest of several rounds; a forced collection between them would throw away compiled code); then peak resident memory, each case in a process of its own.
 */
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const context = () => ({ owner: 'ada', session: 'bench' });
let run = 0;

function references(): References {
  run += 1;
  const own = join(folder, `run-${run}`);
  return new References({ store: new FileResultStore(own), catalogue: new FileCatalogue(own) });
}

const record = (id: number) => ({
  id,
  name: `customer ${id}`,
  address: { city: ['Lisbon', 'Kraków', 'Turin'][id % 3], zip: String(10_000 + (id % 90_000)) },
  lines: [{ sku: `S-${id % 500}`, qty: id % 9 }],
  total: (id * 7919) % 100_000,
  note: id % 5 === 0 ? 'a longer note about this customer and what they wanted last time' : null,
});
const records = () => Array.from({ length: 66_606 }, (_, id) => record(id));

async function fastest(
  rounds: number,
  works: Readonly<Record<string, () => unknown>>,
): Promise<Record<string, number>> {
  const best: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      const start = performance.now();
      await work();
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, performance.now() - start);
    }
  }
  return best;
}

function report(title: string, best: Record<string, number>, base: string): void {
  process.stdout.write(`\n${title}\n`);
  for (const [name, ms] of Object.entries(best)) {
    const ratio = (ms / (best[base] as number)).toFixed(2);
    process.stdout.write(`  ${name.padEnd(48)} ${ms.toFixed(ms < 1 ? 4 : 1).padStart(9)} ms  ${ratio} x\n`);
  }
}

async function plainWrite(text: string): Promise<void> {
  const file = await open(join(folder, `plain-${run++}`), 'w');
  for (let at = 0; at < text.length; at += 65_536) await file.write(text.slice(at, at + 65_536));
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

/** Its hook, as the agent would call it. */
async function strandsOffloader(text: string): Promise<void> {
  const hooks: ((event: AfterToolCallEvent) => unknown)[] = [];
  const countTokens = async () => Math.ceil(text.length / 4);
  const agent = {
    model: { countTokens },
    addHook: (kind: unknown, hook: never) => (kind === AfterToolCallEvent ? hooks.push(hook) : 0),
  } as never;
  await new ContextOffloader({ storage: new FileStorage(join(folder, `strands-${run++}`)) }).initAgent(agent);
  const toolUseId = 'use';
  const result = new ToolResultBlock({ toolUseId, status: 'success', content: [new TextBlock(text)] });
  const toolUse = { name: 'rows', toolUseId, input: {} };
  const event = new AfterToolCallEvent({ agent, toolUse, tool: undefined, result, invocationState: {} as never });
  for (const hook of hooks) await hook(event);
  if (event.result === result) throw new Error('nothing was offloaded');
}

const tool = (made: unknown) => withResultsByReference(() => made, { references: references(), name: 'rows', context });

async function speed(): Promise<void> {
  const small = { total: 120, rows: Array.from({ length: 120 }, (_, id) => record(id)) };
  const wrapped = tool(small);
  const times = 300;
  const under = await fastest(9, {
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

  const rows = records();
  const text = JSON.stringify(rows).slice(0, 14_700_000);
  const byText = await fastest(7, {
    'plain write by 64 KiB pieces': () => plainWrite(text),
    'wrapper, text': () => tool(text)({}),
    'Strands ContextOffloader 1.19.0 (no records)': () => strandsOffloader(text),
  });
  report(`over the budget: text of ${text.length} characters`, byText, 'plain write by 64 KiB pieces');

  const byValue = await fastest(5, {
    'written record by record': () => recordByRecord(rows),
    'wrapper, value': () => tool(rows)({}),
  });
  report(`over the budget: value of ${rows.length} records`, byValue, 'written record by record');
}

/** One case in this process: peak resident memory above what it had when its input stood ready. */
async function memory(name: string): Promise<void> {
  await tool('x'.repeat(2_000_000))({});
  await tool(records().slice(0, 20_000))({});
  const works: Readonly<Record<string, () => () => Promise<unknown>>> = {
    text: () => {
      const text = JSON.stringify(records()).slice(0, 14_700_000);
      return () => tool(text)({});
    },
    value: () => {
      const rows = records();
      return () => tool(rows)({});
    },
    'pool-100': () => () => pool(100),
    'pool-1000': () => () => pool(1_000),
  };
  const work = (works[name] as NonNullable<(typeof works)[string]>)();
  globalThis.gc?.();
  await writeFile('/proc/self/clear_refs', '5').catch(() => {});
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 2);
  const kept = await work();
  clearInterval(timer);
  peak = Math.max(peak, process.memoryUsage.rss());
  void kept;
  process.stdout.write(`  ${name.padEnd(12)} ${((peak - before) / 1e6).toFixed(1)} MB above the start\n`);
}

/** Results of 1 MB, each a stream of its own, all at once. */
async function pool(count: number): Promise<void> {
  const all = references();
  const owner = all.run(context());
  const piece = Buffer.alloc(64 * 1024, 'a line of text that is repeated\n');
  await Promise.all(
    Array.from({ length: count }, (_, id) => {
      async function* made() {
        for (let at = 0; at < 16; at += 1) yield piece;
      }
      return all.keep(
        { run: owner, tool: 'rows', toolUseId: String(id), input: {} },
        { kind: 'stream', pieces: made() },
      );
    }),
  );
}

const only = process.argv.indexOf('--memory');
if (only >= 0) await memory(process.argv[only + 1] ?? '');
else {
  await speed();
  process.stdout.write('\npeak resident memory\n');
  for (const name of ['text', 'value', 'pool-100', 'pool-1000']) {
    const args = ['--expose-gc', '--import', 'tsx', import.meta.filename, '--memory', name];
    process.stdout.write(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  }
}
