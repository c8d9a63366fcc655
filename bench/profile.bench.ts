import { ProfileBuilder } from '../core/profile/profile-builder.ts';
import { kinds, mixedRow } from './mixed-rows.ts';

/**
 * The profile's own cost, on one core, as CPU time: a million rows of ten columns, and 14.7 MB of nested records;
 * each beside `JSON.parse` of the same bytes in the same run (with and without a loop that only counts).
 */
const rows = 1_000_000;

interface Timed<T> {
  readonly value: T;
  readonly ms: number;
}

/** Fastest of a few runs: what the work costs when nothing else wants the core. */
function cpu<T>(run: () => T, times: number): Timed<T> {
  let best = Number.POSITIVE_INFINITY;
  let value = undefined as T;
  for (let time = 0; time < times; time += 1) {
    globalThis.gc?.();
    const start = process.cpuUsage();
    value = run();
    const used = process.cpuUsage(start);
    best = Math.min(best, (used.user + used.system) / 1000);
  }
  return { value, ms: best };
}

/** Records and the offsets where each starts; the last offset is the end. */
function records(count: number, make: (index: number) => unknown): { bytes: Buffer; starts: Int32Array } {
  const parts: Buffer[] = [];
  const starts = new Int32Array(count + 1);
  let at = 0;
  let text: string[] = [];
  const flush = (): void => {
    parts.push(Buffer.from(text.join(''), 'utf8'));
    text = [];
  };
  for (let index = 0; index < count; index += 1) {
    const line = `${JSON.stringify(make(index))}\n`;
    starts[index] = at;
    at += Buffer.byteLength(line, 'utf8');
    text.push(line);
    if (text.length === 20_000) flush();
  }
  flush();
  starts[count] = at;
  return { bytes: Buffer.concat(parts), starts };
}

function profile(input: { bytes: Buffer }): ProfileBuilder {
  const builder = new ProfileBuilder({ format: 'json' });
  builder.lines(input.bytes, 0, input.bytes.length);
  return builder;
}

function parseEach(input: { bytes: Buffer; starts: Int32Array }): number {
  let seen = 0;
  for (let index = 0; index + 1 < input.starts.length; index += 1) {
    const text = input.bytes.toString('utf8', input.starts[index] as number, (input.starts[index + 1] as number) - 1);
    for (const value of Object.values(JSON.parse(text) as object)) if (value !== null) seen += 1;
  }
  return seen;
}

const truth: Readonly<Record<string, number>> = {
  id: rows,
  code: rows,
  kind: 8,
  amount: rows,
  open: 2,
  customer: 50_000,
  created: rows,
  region: 20,
  note: 1000,
};
const nested = (i: number) => ({
  id: i,
  status: kinds[i % 8],
  customer: { name: `customer ${i % 5000}`, address: { city: `city ${i % 300}`, zip: String(10_000 + (i % 900)) } },
  items: Array.from({ length: 3 }, (_, n) => ({ sku: `S${(i * 3 + n) % 4000}`, count: n + 1, price: (i % 997) / 10 })),
  updated: new Date(1_600_000_000_000 + i * 1000).toISOString(),
});

const wide = records(rows, mixedRow);
const profiled = cpu(() => profile(wide).build(), 3);
const parsed = cpu(() => parseEach(wide), 1);
const perSecond = Math.round(rows / (profiled.ms / 1000));
console.log(`1,000,000 rows x 10 columns, ${(wide.bytes.length / 1e6).toFixed(1)} MB, CPU time`);
console.log(`  profile               ${profiled.ms.toFixed(0)} ms, ${perSecond.toLocaleString('en')} rows/s`);
console.log(`  JSON.parse + loop     ${parsed.ms.toFixed(0)} ms, profile is ${(profiled.ms / parsed.ms).toFixed(2)} x`);
let worst = 0;
for (const column of profiled.value.columns) {
  const expected = truth[column.path];
  if (expected === undefined) continue;
  const error = Math.abs(column.distinct - expected) / expected;
  worst = Math.max(worst, error);
  if (!column.distinct_exact) {
    console.log(
      `  distinct ${column.path.padEnd(12)} ${column.distinct} of ${expected}, ${(error * 100).toFixed(2)} % off`,
    );
  }
}
console.log(`  worst error of a distinct count: ${(worst * 100).toFixed(2)} %`);

const deep = records(46_500, nested);
const whole = `[${deep.bytes.toString('utf8').trimEnd().replaceAll('\n', ',')}]`;
const document = Buffer.from(whole, 'utf8');
const parse = cpu(() => (JSON.parse(document.toString('utf8')) as unknown[]).length, 5);
const deepProfile = cpu(() => profile(deep).build(), 5);
console.log(`nested records, ${(document.length / 1e6).toFixed(1)} MB, CPU time`);
console.log(`  JSON.parse of the text ${parse.ms.toFixed(1)} ms`);
console.log(
  `  profile                ${deepProfile.ms.toFixed(1)} ms, ${(deepProfile.ms / parse.ms).toFixed(2)} x JSON.parse`,
);
if (perSecond < 500_000 || worst > 0.01) process.exitCode = 1;
