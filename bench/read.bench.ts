import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { previewCoverage } from '../core/coverage/compute.ts';
import { readSelection } from '../core/read/read-result.ts';
import { allRecords } from '../core/read/record-feed.ts';
import { parseSelection } from '../core/read/selection.ts';
import { VerifiedBody } from '../core/read/verified-body.ts';
import { scanStream } from '../core/scan/result-scanner.ts';
import { defaultSettings } from '../core/settings.ts';
import { decodeIndex, encodeIndex } from '../core/store/index-codec.ts';
import { type ResultIndex, resultFormat } from '../core/store/result-index.ts';
import { firstId, SyntheticBody } from './synthetic-body.ts';

/**
 * `npm run bench -- read`: 50 records near the end of results of 10,000 and 1,000,000 records, the commit record
 * fetched and parsed each time: object requests, bytes, time, and a full scan of the larger one in the same run.
 * Then the memory of a reader of 1 GB, in a process of its own. Ends with status 1 when a target is missed.
 */
const file = import.meta.filename;

/** What one object request costs before its first byte comes: a low figure for S3 inside a region. */
const requestMs = 15;

async function indexBytes(body: SyntheticBody): Promise<Uint8Array> {
  const { preview: _preview, ...summary } = await scanStream(body.stream(), { previewBytes: 2000 });
  const index: ResultIndex = {
    ...summary,
    format: resultFormat,
    ref: '',
    tool: 'bench',
    toolVersion: '1',
    runId: '',
    turn: 0,
    index: 0,
    etag: '',
    population: 'finite',
    coverage: previewCoverage({ unit: 'records', total: summary.records, shown: 0, complete: false }),
    acquiredAt: '',
    availableUntil: '',
    gates: [],
    derivedFrom: [],
    leftOut: [],
  };
  return encodeIndex(index);
}

interface Cost {
  requests: number;
  bytes: number;
  /** Time in which the bytes of the answer were made up, which storage would have had at hand. */
  makingMs: number;
}

async function read(
  body: SyntheticBody,
  index: Uint8Array,
  input: Record<string, unknown>,
  delayMs: number,
  cost: Cost,
) {
  const request = async (bytes: number): Promise<void> => {
    cost.requests += 1;
    cost.bytes += bytes;
    if (delayMs > 0) await sleep(delayMs);
  };
  await request(index.length);
  const parsed = decodeIndex(index) as ResultIndex;
  const source = {
    index: parsed,
    version: null,
    body: new VerifiedBody(
      parsed,
      {
        range: async (start, end) => {
          await request(end - start);
          const before = performance.now();
          const bytes = body.range(start, end);
          cost.makingMs += performance.now() - before;
          return bytes;
        },
        whole: async () => {
          await request(body.bytes);
          return body.stream();
        },
      },
      () => new Error('gone') as never,
    ),
  };
  return readSelection(source, parseSelection(input), defaultSettings, { idField: 'id', left: null });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(body: SyntheticBody, index: Uint8Array, offset: number, delayMs: number, rounds: number) {
  const times: number[] = [];
  const cost = { requests: 0, bytes: 0, makingMs: 0 };
  for (let round = -3; round < rounds; round += 1) {
    cost.requests = 0;
    cost.bytes = 0;
    cost.makingMs = 0;
    const before = performance.now();
    const answer = await read(body, index, { offset, limit: 50 }, delayMs, cost);
    if (round >= 0) times.push(performance.now() - before - cost.makingMs);
    const { data } = JSON.parse(answer.text) as { data: { id: number }[] };
    if (data.length !== 50 || data[49]?.id !== firstId + offset + 49) throw new Error('read: the wrong records');
  }
  // Computing alone: the fastest round, since other work on the machine only adds to it.
  return { ms: delayMs === 0 ? Math.min(...times) : median(times), ...cost };
}

async function speed(): Promise<boolean> {
  const small = new SyntheticBody(10_000);
  const large = new SyntheticBody(1_000_000);
  const [smallIndex, largeIndex] = [await indexBytes(small), await indexBytes(large)];
  const rows: Record<string, unknown>[] = [];
  const ratios: number[] = [];
  for (const delayMs of [requestMs, 0]) {
    const few = await timed(small, smallIndex, 9_000, delayMs, delayMs === 0 ? 300 : 30);
    const many = await timed(large, largeIndex, 900_000, delayMs, delayMs === 0 ? 300 : 30);
    ratios.push(many.ms / few.ms);
    for (const [records, cost] of [
      [10_000, few],
      [1_000_000, many],
    ] as const) {
      rows.push({
        records,
        'ms a request': delayMs,
        'object requests': cost.requests,
        'KiB fetched': Math.round(cost.bytes / 1024),
        ms: Number(cost.ms.toFixed(2)),
      });
    }
    if (many.requests > 2 || many.bytes > 1024 * 1024) process.exitCode = 1;
  }
  const before = performance.now();
  const index = decodeIndex(largeIndex) as ResultIndex;
  const body = new VerifiedBody(
    index,
    { range: async () => undefined, whole: async () => large.stream() },
    () => new Error() as never,
  );
  let passed = 0;
  for await (const batch of allRecords(index, body)) {
    passed += batch.filter((record) => record.number >= 900_000).length;
    if (passed >= 50) break;
  }
  const scan = performance.now() - before;
  console.table(rows);
  const [withRequests = 0, computing = 0] = ratios;
  const indexed = rows[3]?.['ms'] as number;
  console.log(
    `1M over 10k records: ${withRequests.toFixed(2)} with ${requestMs} ms a request (target 1.5), ${computing.toFixed(2)} computing alone`,
  );
  console.log(
    `full scan to the same 50 records: ${scan.toFixed(0)} ms, ${Math.round(scan / indexed)} times the read by index (computing alone)`,
  );
  return withRequests <= 1.5;
}

/** Runs in a process of its own: the highest resident memory while a result of 1 GB is read in several ways. */
async function memory(indexFile: string, records: number): Promise<void> {
  const body = new SyntheticBody(records);
  const index = readFileSync(indexFile);
  const idle = process.resourceUsage().maxRSS / 1024;
  const cost = { requests: 0, bytes: 0, makingMs: 0 };
  const tail = records - 500;
  for (const input of [
    { offset: tail, limit: 50 },
    { offset: 0 },
    { fields: ['id', 'address.city'], offset: tail - 5_000, limit: 1000 },
    { bytes: `${body.bytes - 5_000}-${body.bytes}` },
    { ids: [String(firstId + records - 1), 'nobody'] },
  ]) {
    const before = performance.now();
    const answer = await read(body, index, input, 0, cost);
    console.log(
      `  ${JSON.stringify(input).padEnd(62)} ${String(answer.coverage.loaded).padStart(6)} ${answer.coverage.unit}, ${(performance.now() - before).toFixed(0)} ms`,
    );
  }
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log(
    `  resident memory: ${peak.toFixed(0)} MB at most (${idle.toFixed(0)} MB before the first read; target 256)`,
  );
  process.exitCode = peak < 256 ? 0 : 1;
}

const [mode, indexFile, count] = process.argv.slice(2);
if (mode === 'memory') await memory(indexFile as string, Number(count));
else {
  const inTime = await speed();
  const records = Math.ceil(1024 ** 3 / 216);
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-bench-'));
  try {
    const body = new SyntheticBody(records);
    console.log(`reading a result of ${(body.bytes / 1024 ** 3).toFixed(2)} GB, ${records} records:`);
    const path = join(folder, 'index.json');
    writeFileSync(path, await indexBytes(body));
    const child = spawnSync(
      process.execPath,
      ['--max-old-space-size=160', '--import', 'tsx', file, 'memory', path, String(records)],
      {
        stdio: 'inherit',
      },
    );
    if (!inTime || child.status !== 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
