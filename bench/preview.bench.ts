import { createHash } from 'node:crypto';
import { bodyPreview } from '../core/preview/body-preview.ts';
import { headPreview } from '../core/preview/head-preview.ts';
import type { PreviewSource } from '../core/preview/preview-source.ts';
import { startScan } from '../core/scan/detect-kind.ts';
import { ResultScanner, scanBytes } from '../core/scan/result-scanner.ts';
import { generated, type Shape, shapes } from './generated-results.ts';

/**
 * `npm run bench -- preview [--gigabytes N]`: what previews, totals, index, digests and profile cost, as ratios to `JSON.parse`
 * of the same text in the same run. CPU time (user + system), the fastest of several rounds that take turns. Then results of N GB (default
 * 1) that exist only as a stream: speed and resident memory, each shape in a process of its own.
 */
const previewBytes = 24 * 1024;
const withoutProfile = 'preview + total + index + SHA-256';
const withProfile = 'the same with the full profile';

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
}

/**
 * The fastest of several rounds of each, one work after the other: a forced collection between rounds would throw
 * away compiled code, and the collector's own threads count as CPU time.
 */
function best(rounds: number, works: Readonly<Record<string, () => unknown>>): Record<string, number> {
  const fastest: Record<string, number> = {};
  for (const [name, work] of Object.entries(works)) {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) least = Math.min(least, cpuMs(work));
    fastest[name] = least;
  }
  return fastest;
}

type MakeRow = (id: number) => unknown;

/** Records of 225 to 245 bytes: nested objects and lists of them; and, harder on a scanner, flat ones of long strings. */
const documents: Readonly<Record<string, MakeRow>> = {
  'nested records': (id) => ({
    id,
    name: `customer ${id}`,
    address: { city: ['Lisbon', 'Kraków', '大阪'][id % 3], geo: { lat: (id % 180) - 90, lon: id / 1000 } },
    lines: [
      { sku: `S-${id % 500}`, qty: id % 9, tax: { rate: 0.2, paid: id % 3 === 0 } },
      { sku: 'X', qty: 1, tax: { rate: 0.1, paid: true } },
    ],
    trail: { last: { by: { id: id % 90 } }, steps: [[1, 2], [3]] },
    note: null,
  }),
  'flat records of strings': (id) => ({
    id,
    name: `customer number ${id}`,
    email: `customer.${id}@example.com`,
    status: ['active', 'closed', 'pending'][id % 3],
    street: `${id % 200} Long Street, second floor`,
    created: new Date(1.7e12 + id * 1e6).toISOString(),
    total: id * 1.5,
    tags: ['new', 'vip'],
  }),
};

function documentOf(bytes: number, makeRow: MakeRow): string {
  const rows: string[] = [];
  for (let size = 0, id = 0; size < bytes; id++) {
    const row = JSON.stringify(makeRow(id));
    rows.push(row);
    size += Buffer.byteLength(row) + 1;
  }
  return `{"total":${rows.length},"data":{"rows":[${rows.join(',')}]}}`;
}

function table(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows) {
    process.stdout.write(
      `${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')}\n`,
    );
  }
}

function inMemory(title: string, makeRow: MakeRow, targets: Readonly<Record<string, string>>): void {
  const text = documentOf(14_700_000, makeRow);
  const bytes = Buffer.from(text);
  const copy = Buffer.alloc(bytes.length);
  const times = best(12, {
    [withoutProfile]: () => scanBytes(bytes, { previewBytes }),
    [withProfile]: () => scanBytes(bytes, { previewBytes, profile: true }),
    'floor: SHA-256': () => createHash('sha256').update(bytes).digest(),
    'floor: a loop over the bytes': () => {
      let sum = 0;
      for (let i = 0; i < bytes.length; i++) sum = (sum + (bytes[i] as number)) | 0;
      return sum;
    },
    'floor: Buffer.copy': () => bytes.copy(copy),
    'JSON.parse': () => JSON.parse(text),
  });
  const parse = times['JSON.parse'] as number;
  process.stdout.write(`\n${(bytes.length / 1e6).toFixed(1)} MB of JSON in one line: ${title}\n`);
  table([
    ['', 'ms', 'MB/s', '× JSON.parse', 'target'],
    ...Object.entries(times).map(([name, ms]) => [
      name,
      ms.toFixed(1),
      (bytes.length / 1000 / ms).toFixed(0),
      (ms / parse).toFixed(2),
      targets[name] ?? '',
    ]),
  ]);

  const head = bytes.subarray(0, previewBytes + 64);
  const whole = head.toString();
  const end = whole.lastIndexOf('},{"id"') + 1;
  const cuts = 400;
  const repeated = (work: () => unknown) => () => {
    for (let i = 0; i < cuts; i++) work();
  };
  const scanned = scannedSource(bytes);
  const cut = best(15, {
    scanned: repeated(() => bodyPreview(scanned)),
    preview: repeated(() => headPreview(head, previewBytes)),
    parse: repeated(() => JSON.parse(`${whole.slice(0, end)}]}}`)),
  });
  const each = (name: string) => ((cut[name] as number) / cuts).toFixed(3);
  process.stdout.write(
    `cutting a 24 KiB head, warm (target <= 0.05 ms): ${each('scanned')} ms where the body was scanned, as the hook does it; ` +
      `${each('preview')} ms from the bare bytes, strict scan included; JSON.parse of it: ${each('parse')} ms\n`,
  );
}

/** The whole body scanned once: cutting it costs nothing that grows with it. */
function scannedSource(bytes: Buffer): PreviewSource {
  const { kind, scan } = startScan(bytes, true, {
    headBytes: previewBytes + 1,
    maxRecordBytes: 0,
    jsonSink: null,
    csvSink: null,
  });
  const facts = scan.end();
  return {
    kind,
    bytes: bytes.length,
    head: bytes.subarray(0, 64 * 1024),
    facts,
    records: facts.list?.index.records ?? 0,
    budget: previewBytes,
  };
}

async function streamed(shape: Shape, gigabytes: number): Promise<void> {
  const scanner = new ResultScanner({ previewBytes });
  let peak = 0;
  let pieces = 0;
  const before = process.cpuUsage();
  let making = 0;
  for (const piece of generated(shape, gigabytes * 1e9, (ms) => {
    making += ms;
  })) {
    scanner.write(piece);
    if (++pieces % 256 === 0) peak = Math.max(peak, process.memoryUsage.rss());
  }
  const summary = scanner.end();
  const used = process.cpuUsage(before);
  const ms = (used.user + used.system) / 1000 - making;
  peak = Math.max(peak, process.memoryUsage.rss());
  process.stdout.write(
    `${JSON.stringify({
      shape,
      kind: summary.kind,
      records: summary.records,
      bytes: summary.bytes,
      MBperSecond: Math.round(summary.bytes / 1000 / ms),
      rssMB: Math.round(peak / 1e6),
    })}\n`,
  );
}

const at = process.argv.indexOf('--gigabytes');
const gigabytes = at < 0 ? 1 : Number(process.argv[at + 1]);
const child = process.argv.indexOf('--shape');
if (child >= 0) await streamed(process.argv[child + 1] as Shape, gigabytes);
else {
  for (const [title, makeRow] of Object.entries(documents)) {
    inMemory(title, makeRow, title.startsWith('nested') ? { [withoutProfile]: '<= 0.3', [withProfile]: '<= 1.2' } : {});
  }
  process.stdout.write(
    `\n${gigabytes} GB streamed, no profile (targets: >= 150 MB/s of CPU time, < 150 MB resident)\n`,
  );
  const { spawnSync } = await import('node:child_process');
  for (const shape of shapes) {
    const run = spawnSync(
      process.execPath,
      ['--import', 'tsx', import.meta.filename, '--shape', shape, '--gigabytes', String(gigabytes)],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    if (run.status !== 0) process.exitCode = 1;
  }
}
