import { costOf, type Prices, partBytes, putsOf, tokensSaved, type Usage } from '../../../scripts/cost-formula.ts';
import { sizeClasses, usageOf } from '../../../scripts/cost-usage.ts';

const GiB = 1024 ** 3;
const prices: Prices = {
  currency: 'X',
  s3: { perPut: 2, perGet: 3, perGiBMonth: 5 },
  dynamo: { perWriteUnit: 7, perReadUnit: 11, perGiBMonth: 13 },
  lambda: { perRequest: 17, perGiBSecond: 19 },
  stepFunctions: { perTransition: 23 },
  logs: { perGiB: 29 },
  model: { perInputToken: 31 },
};
const usage: Usage = {
  bytes: 2 * GiB,
  retentionDays: 60,
  puts: 10,
  gets: 20,
  writeUnits: 30,
  readUnits: 40,
  tableBytes: GiB / 2,
  transitions: 50,
  invocations: 60,
  seconds: 70,
  memoryMiB: 512,
  logBytes: GiB,
};

test('each service by hand: requests, units, bytes over months, memory over time', () => {
  expect(costOf(usage, prices)).toEqual({
    s3: 10 * 2 + 20 * 3 + 2 * 2 * 5,
    dynamo: 30 * 7 + 40 * 11 + 0.5 * 2 * 13,
    lambda: 60 * 17 + 70 * 0.5 * 19,
    stepFunctions: 50 * 23,
    logs: 29,
    total: 100 + 663 + 1685 + 1150 + 29,
  });
});

test.each(Object.keys(usage) as (keyof Usage)[])(
  '%s: twice as much never costs less, and something costs more',
  (key) => {
    const before = costOf(usage, prices);
    const after = costOf({ ...usage, [key]: usage[key] * 2 }, prices);
    expect(after.total).toBeGreaterThan(before.total);
  },
);

test('uploads: one for the body and one for the index, or start, parts and completion', () => {
  expect([1, partBytes, partBytes + 1, 3 * partBytes].map(putsOf)).toEqual([2, 2, 5, 6]);
});

test('tokens: what later requests do not carry, at most a window of it, never below nothing', () => {
  const model = { bytesPerToken: 2, windowTokens: 1_000 };
  expect(tokensSaved({ bytes: 1_000, insertedBytes: 200, laterCalls: 3 }, model)).toBe(3 * (500 - 100));
  expect(tokensSaved({ bytes: 1_000_000, insertedBytes: 200, laterCalls: 3 }, model)).toBe(3 * (1_000 - 100));
  expect(tokensSaved({ bytes: 100, insertedBytes: 200, laterCalls: 3 }, model)).toBe(0);
});

test('classes: nothing is stored under the floor, and a larger result never asks for less', () => {
  const usages = sizeClasses.map((size) => usageOf(size, 30));
  expect(usages[0]).toMatchObject({ puts: 0, bytes: 0 });
  for (const [at, next] of usages.slice(1).entries()) {
    const before = usages[at] as Usage;
    for (const key of ['puts', 'seconds', 'writeUnits'] as const) expect(next[key]).toBeGreaterThanOrEqual(before[key]);
  }
});
