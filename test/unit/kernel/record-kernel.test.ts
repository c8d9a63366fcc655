import fc from 'fast-check';
import { powerOfFive } from '../../../core/kernel/power-of-five.ts';
import { recordsWasm } from '../../../core/kernel/records-wasm.ts';
import { WebAssembly } from '../../../core/kernel/web-assembly.ts';
import { ProfileBuilder } from '../../../core/profile/profile-builder.ts';
import { RecordRuns } from '../../../core/profile/record-runs.ts';
import { JsonScan } from '../../../core/scan/json-scan.ts';
import { NdjsonScan } from '../../../core/scan/ndjson-scan.ts';
import { ResultScanner, type ScanOptions } from '../../../core/scan/result-scanner.ts';
import type { ScanSummary } from '../../../core/scan/scan-summary.ts';
import { compileKernel } from '../../../scripts/build-kernel/compile.ts';

const options: ScanOptions = { previewBytes: 40, detectBytes: 16, profile: true, maxRecordBytes: 4096 };

function scan(pieces: readonly Uint8Array[]): ScanSummary {
  const scanner = new ResultScanner(options);
  for (const piece of pieces) scanner.write(piece);
  return scanner.end();
}

/** The same, record by record. */
function scanOneByOne(pieces: readonly Uint8Array[]): ScanSummary {
  const spies = [JsonScan, NdjsonScan].map((kind) =>
    jest.spyOn(kind.prototype as { settled(): unknown }, 'settled').mockImplementation(function (this: unknown) {
      return this;
    }),
  );
  try {
    return scan(pieces);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** What the scan says, and how many records the kernel read of it. */
function scanCounted(pieces: readonly Uint8Array[]): { readonly summary: ScanSummary; readonly read: number } {
  let read = 0;
  const plain = RecordRuns.prototype.read;
  const spy = jest.spyOn(RecordRuns.prototype, 'read').mockImplementation(function (this: RecordRuns, ...args) {
    const stopped = plain.apply(this, args);
    read += this.count;
    return stopped;
  });
  try {
    return { summary: scan(pieces), read };
  } finally {
    spy.mockRestore();
  }
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] as number;
    pieces.push(bytes.slice(at, at + size));
    at += size;
  }
  return pieces;
}

/** An object's members, those that cannot be enumerated too. */
const namesOf = (of: object) =>
  Object.fromEntries(Object.getOwnPropertyNames(of).map((name) => [name, of[name as keyof typeof of]]));

const listOf = (records: readonly string[]) => Buffer.from(`[${records.join(',')}]`);
const linesOf = (records: readonly string[]) => Buffer.from(`${records.join('\n')}\n`);

test('the kernel in the tree is what its source compiles to', () => {
  expect(compileKernel().toString('base64')).toBe(recordsWasm);
});

describe('records that differ in anything but the ordinary', () => {
  const words = [
    '',
    'a',
    'ab',
    'abc',
    'abcd',
    'é',
    '日本語',
    '😀',
    'a longer text of more than sixteen bytes',
    '2026-11-30',
  ];
  const string = fc.oneof(
    fc.constantFrom(...words).map((text) => JSON.stringify(text)),
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)),
    fc.constantFrom(
      '"\\u00e9"',
      '"\\ud83d\\ude00"',
      '"\\ud800"',
      '"\\/\\b\\f"',
      '"a\\u0000"',
      '"tab\\there"',
      '"\\\\"',
    ),
  );
  const number = fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.constantFrom('-0', '0', '0.0', '1.0', '1e0', '1E+2', '-1.50', '0.1', '123456789012345', '1234567890123456'),
    fc.constantFrom('9007199254740993', '1e400', '1e-400', '0.000000000000000000001', '12345678.12345678'),
  );
  const scalar = fc.oneof(string, number, fc.constantFrom('true', 'false', 'null'));
  /** What is not JSON, or not quite. */
  const odd = fc.constantFrom(
    'NaN',
    '-Infinity',
    '01',
    '1.',
    '-',
    'tru',
    '"open',
    '"\\x"',
    '"\\u12"',
    '"a\tb"',
    '{',
    '[1,]',
  );
  const key = fc.constantFrom(
    'id',
    'name',
    'n',
    'a key of more than sixteen bytes',
    'a key of more than sixteen BYTES',
    'é',
    '',
  );
  const space = fc.constantFrom('', '', '', ' ', '\t', '\r');
  const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      { arbitrary: scalar, weight: 12 },
      { arbitrary: tie('array'), weight: 2 },
      { arbitrary: tie('object'), weight: 2 },
    ),
    array: fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
      .map(([of, gap]) => `[${gap}${of.join(`,${gap}`)}${gap}]`),
    object: fc
      .tuple(fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 4, selector: ([name]) => name }), space)
      .map(
        ([of, gap]) =>
          `{${gap}${of.map(([name, held]) => `${JSON.stringify(name)}${gap}:${gap}${held}`).join(`${gap},`)}}`,
      ),
  }));
  const ordinary = fc
    .tuple(fc.nat(), value, value, space)
    .map(([id, name, n, gap]) => `{"id":${id},${gap}"name":${name},"n":${n}${gap}}`);
  const record = fc.oneof(
    { arbitrary: ordinary, weight: 20 },
    { arbitrary: value, weight: 2 },
    { arbitrary: odd, weight: 1 },
    { arbitrary: odd.map((is) => `{"id":1,"name":${is}}`), weight: 1 },
    { arbitrary: scalar.map((is) => `{"id":1,"id":${is},"name":{"a":1},"name":2}`), weight: 1 },
    { arbitrary: scalar.map((is) => `{"\\u0069d":${is}}`), weight: 1 },
  );
  const records = fc.array(record, { minLength: 4, maxLength: 40 });
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 200, max: 5000 })), {
    minLength: 1,
    maxLength: 4,
  });

  test('a list is told the same as record by record, wherever it is cut', () => {
    fc.assert(
      fc.property(records, sizes, (of, at) => {
        const pieces = cut(listOf(of), at);
        expect(scan(pieces)).toEqual(scanOneByOne(pieces));
      }),
      { numRuns: 1500 },
    );
  });

  test('so are lines', () => {
    fc.assert(
      fc.property(records, sizes, (of, at) => {
        const pieces = cut(linesOf(of.map((text) => text.replaceAll('\n', ' '))), at);
        expect(scan(pieces)).toEqual(scanOneByOne(pieces));
      }),
      { numRuns: 1500 },
    );
  });

  test('so is a list with any one byte changed, or cut short', () => {
    const list = fc.array(ordinary, { minLength: 12, maxLength: 20 });
    fc.assert(
      fc.property(list, fc.nat(), fc.nat({ max: 255 }), sizes, fc.boolean(), (of, place, byte, at, short) => {
        const bytes = new Uint8Array(listOf(of));
        bytes[place % bytes.length] = byte;
        const pieces = cut(short ? bytes.subarray(0, place % bytes.length) : bytes, at);
        expect(scan(pieces)).toEqual(scanOneByOne(pieces));
      }),
      { numRuns: 2500 },
    );
  });
});

describe('what the kernel reads', () => {
  const row = (id: number) => ({
    id,
    name: `customer "${id}"`,
    where: { city: ['Łódź', 'Turin'][id % 2], at: { lat: 52.1234567890123 + id / 1e12, on: id % 3 === 0 } },
    lines: [{ sku: `S-${id % 500}`, note: 'a\\b' }, [id], []],
    when: new Date(1.7e12 + id * 1000).toISOString(),
    none: null,
    ...(id % 4 === 0 ? { 'sometimes there, and long': id / 8 } : {}),
  });
  const texts = Array.from({ length: 5000 }, (_, id) => JSON.stringify(row(id)));

  test.each([
    ['a list', listOf(texts)],
    [
      'an indented list',
      Buffer.from(
        JSON.stringify(
          Array.from({ length: 5000 }, (_, id) => row(id)),
          null,
          2,
        ),
      ),
    ],
    ['lines', linesOf(texts)],
    ['lines that end with CR LF', Buffer.from(texts.join('\r\n'))],
    ['a list of numbers', listOf(Array.from({ length: 50_000 }, (_, i) => String(i / 4)))],
    ['a list of strings', listOf(Array.from({ length: 50_000 }, (_, i) => JSON.stringify(`value ${i}`)))],
    ['a list of lists', listOf(Array.from({ length: 30_000 }, (_, i) => `[${i},"x",{"a":[]}]`))],
    ['a list inside a document', Buffer.from(`{"count":5000,"rows":[${texts.join(', ')}],"next":null}`)],
  ])('of %s is nearly all of it, and told the same', (_, bytes) => {
    const pieces = cut(bytes, [64 * 1024]);
    const { summary, read } = scanCounted(pieces);
    expect(summary).toEqual(scanOneByOne(pieces));
    expect(summary.parseLoss).toBeNull();
    expect(read).toBeGreaterThan(summary.records * 0.95);
  });

  test('of several bodies in turns is kept apart', () => {
    const bodies = [0, 1, 2].map((shift) =>
      listOf(
        Array.from({ length: 3000 }, (_, id) => JSON.stringify({ [`k${shift}`]: id, same: `v${id % (shift + 7)}` })),
      ),
    );
    const scanners = bodies.map(() => new ResultScanner(options));
    const cuts = bodies.map((body) => cut(body, [9000]));
    for (let turn = 0; turn < 30; turn += 1) {
      for (const [index, scanner] of scanners.entries()) {
        const piece = cuts[index]?.[turn];
        if (piece !== undefined) scanner.write(piece);
      }
    }
    for (const [index, scanner] of scanners.entries()) {
      expect(scanner.end()).toEqual(scanOneByOne(cuts[index] as Uint8Array[]));
    }
  });

  test.each([
    [
      'more columns than it holds',
      (i: number) => Object.fromEntries(Array.from({ length: 80 }, (_, k) => [`k${k}`, i % (k + 2)])),
    ],
    [
      'objects nested deeper than columns go',
      (i: number) => JSON.parse(`${'{"a":'.repeat(20)}${i}${'}'.repeat(20)}`) as object,
    ],
    [
      'arrays nested deeper than it goes',
      (i: number) => ({ a: JSON.parse(`${'['.repeat(70)}${i}${']'.repeat(70)}`) as object }),
    ],
    ['keys that never come again', (i: number) => ({ id: i, [`k${i}`]: 1 })],
    ['keys too long for a column', (i: number) => ({ id: i, ['k'.repeat(300)]: i })],
  ])('with %s is told the same', (_, make) => {
    const pieces = cut(listOf(Array.from({ length: 1500 }, (_unused, i) => JSON.stringify(make(i)))), [64 * 1024]);
    expect(scan(pieces)).toEqual(scanOneByOne(pieces));
  });

  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: { CompileError: ErrorConstructor } };
  const failing = (error: () => Error) =>
    class {
      constructor() {
        throw error();
      }
    };

  test.each([
    ['has no SIMD', { ...namesOf(wasm), Module: failing(() => new wasm.CompileError('no such instructions')) }],
    ['has no address space for it', { ...namesOf(wasm), Instance: failing(() => new RangeError('out of memory')) }],
    ['has no WebAssembly', undefined],
  ])('an engine that %s reads record by record', async (_, instead) => {
    const pieces = cut(listOf(texts), [64 * 1024]);
    const expected = scanOneByOne(pieces);
    const here = globalThis as { WebAssembly?: unknown };
    await jest.isolateModulesAsync(async () => {
      here.WebAssembly = instead;
      try {
        const fresh = await import('../../../core/scan/result-scanner.ts');
        const scanner = new fresh.ResultScanner(options);
        for (const piece of pieces) scanner.write(piece);
        expect(scanner.end()).toEqual(expected);
      } finally {
        here.WebAssembly = wasm;
      }
    });
  });

  test.each([
    ['lines of every kind', texts],
    [
      'lines wider than a run',
      Array.from({ length: 40 }, (_, id) => JSON.stringify({ id, wide: 'x'.repeat(id * 4000) })),
    ],
    ['one line', texts.slice(0, 1)],
    ['no line', []],
  ])('%s given together are counted as one by one', (_, rows) => {
    const together = new ProfileBuilder({ format: 'json' });
    const apart = new ProfileBuilder({ format: 'json' });
    for (let from = 0; from < rows.length; from += 900) {
      const some = rows.slice(from, from + 900);
      const bytes = Buffer.from(`not of them${some.map((row) => `${row}\n`).join('')}`);
      together.lines(bytes, 11, bytes.length);
      for (const row of some) apart.record(Buffer.from(row), 0, Buffer.byteLength(row));
    }
    expect(together.build()).toEqual(apart.build());
    expect(together.build().records).toBe(rows.length);
  });

  test('a long decimal is the double nearest to it', () => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(recordsWasm, 'base64')), {
      host: { escapedString: () => 0, longNumber: () => 0 },
    });
    const doubleOf = exports['doubleOf'] as (digits: bigint, power: number) => number;
    const { memory } = exports as unknown as { memory: { buffer: ArrayBuffer } };
    const words = new BigUint64Array(memory.buffer);
    const at = (name: string) => (exports[name] as { value: number }).value;
    for (let power = -64; power <= 64; power += 1) {
      const place = (at('powersOfFive') + (power + 64) * 16) / 8;
      words[place] = powerOfFive(power) >> 64n;
      words[place + 1] = BigInt.asUintN(64, powerOfFive(power));
    }
    let told = 0;
    const check = (digits: bigint, power: number) => {
      const double = doubleOf(digits, power);
      if (double !== 0) told += 1;
      if (double !== 0)
        expect({ digits, power, double }).toEqual({ digits, power, double: Number(`${digits}e${power}`) });
    };
    const runs = 20_000;
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), fc.integer({ min: -64, max: 64 }), check), {
      numRuns: runs,
    });
    expect(told).toBeGreaterThan(runs * 0.99);
    // The hardest: those just at, below and above the middle between two doubles.
    for (let exponent = 54n; exponent < 64n; exponent += 1n) {
      for (let step = 1n; step < 2000n; step += 2n) {
        const middle = (2n ** 53n + step) * 2n ** (exponent - 53n) + 2n ** (exponent - 54n);
        for (const digits of [middle - 1n, middle, middle + 1n]) check(digits, 0);
      }
    }
    for (const [digits, power] of [
      [9007199254740993n, 0],
      [9007199254740993n, -22],
      [1n, 23],
      [5n, -23],
    ] as const)
      check(digits, power);
  });

  test('decimals of many digits are counted, listed and compared as they are', () => {
    const list = listOf(
      Array.from(
        { length: 3000 },
        (_, i) => `{"a":${i % 7}.12345678901234567,"b":1234567890123456${i % 50}.5e-3,"c":${i}e2}`,
      ),
    );
    const { summary, read } = scanCounted(cut(list, [64 * 1024]));
    expect(read).toBeGreaterThan(2900);
    expect(summary).toEqual(scanOneByOne(cut(list, [64 * 1024])));
    const [a, b, c] = summary.profile?.columns ?? [];
    expect([a?.distinct, b?.distinct]).toEqual([7, 50]);
    expect(a).toMatchObject({ min: '0.12345678901234567', max: '6.12345678901234567' });
    expect(b).toMatchObject({ min: '12345678901234560.5e-3', max: '123456789012345649.5e-3' });
    expect(c).toMatchObject({ min: '0e2', max: '2999e2', distinct: 2999 + 1 });
  });
});
