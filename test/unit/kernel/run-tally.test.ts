import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { KernelTally } from '../../../core/kernel/kernel-tally.ts';
import { ProfileBuilder } from '../../../core/profile/profile-builder.ts';
import { type BlockHolder, RegisterBlocks } from '../../../core/profile/register-blocks.ts';

/** One profile that the kernel counts in runs, and the same records counted one by one. */
class Pair {
  readonly together = new ProfileBuilder({ format: 'json' });
  readonly apart = new ProfileBuilder({ format: 'json' });

  runs(rows: readonly string[]): this {
    const bytes = Buffer.from(rows.map((row) => `${row}\n`).join(''));
    this.together.lines(bytes, 0, bytes.length);
    for (const row of rows) this.apart.record(Buffer.from(row), 0, Buffer.byteLength(row));
    return this;
  }

  single(row: string): this {
    const bytes = Buffer.from(row);
    for (const builder of [this.together, this.apart]) builder.record(bytes, 0, bytes.length);
    return this;
  }

  check(): void {
    expect(this.together.build()).toEqual(this.apart.build());
  }
}

const many = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i));
const wide = (columns: number, from: number, count: number) =>
  many(count, (i) => `{${many(columns, (k) => `"c${k}":${(from + i) * 7 + k}`).join(',')}}`);

/** A date in one of the spellings that there are. */
function dateSpelled(i: number): string {
  const iso = new Date(-6e13 + ((i * 7919) % 7000) * 2.5e10).toISOString().replace(/^[+-]00/, '');
  const to = [10, 16, 19, 21, 22, 24][i % 6] as number;
  const zone = ['', 'Z', '+02:00', '-0730'][(i >> 3) % 4] as string;
  if (to === 10) return iso.slice(0, 10);
  return (i % 97 === 0 ? iso.replace('T', ' ') : iso).slice(0, to).replace('Z', '123456') + zone;
}

let sketched: jest.SpyInstance;
let taken: jest.SpyInstance;
beforeEach(() => {
  sketched = jest.spyOn(KernelTally.prototype, 'sketch');
  taken = jest.spyOn(RegisterBlocks.prototype, 'take');
});
afterEach(() => jest.restoreAllMocks());

const blocksTaken = () => taken.mock.results.filter(({ value }) => value !== 0).length;

describe('what is counted in runs is what is counted one by one', () => {
  test.each<[string, (i: number) => string]>([
    ['integers that grow', (i) => `${i}`],
    ['integers that fall below zero', (i) => `${2500 - i}`],
    ['decimals that come and go', (i) => `${((i * 7919) % 100_000) / 100}`],
    ['decimals that grow', (i) => `${i}.5`],
    ['few decimals, the bounds among them', (i) => `${(i % 10) + 0.25}`],
    ['integers and decimals', (i) => (i % 3 ? `${i}` : `${i}.25`)],
    [
      'one number spelled in several ways',
      (i) => ['1', '1.0', '1.00', '10e-1', '1.0000000000000000000001'][i % 5] ?? '',
    ],
    ['zeros of both signs', (i) => ['0', '-0', '0.0', '-0.0', '0e5'][(i * 3) % 5] ?? ''],
    ['numbers that are one double', (i) => `900719925474099${i % 7}.${i % 3}`],
    ['whole zeros of both signs', (i) => (i < 3000 ? '-3' : i % 2 ? '0' : '-0')],
    ['numbers that no double holds', (i) => ['1e400', '-1e400', '1e-400', `${i}`, '2e400'][i % 5] ?? ''],
    ['numbers too large for a double that grow', (i) => (i % 2 ? `1e${400 + i}` : `-1e${400 + i}`)],
    ['numbers too small for a double that grow', (i) => (i % 2 ? `-${i}e-400` : `-0.0${i}e-400`)],
    ['nulls between strings', (i) => (i % 5 ? 'null' : `"note ${i}"`)],
    ['nulls at the ends of runs', (i) => (i % 128 > 2 && i % 128 < 125 ? `${i}` : 'null')],
    ['nulls alone', () => 'null'],
    [
      'every kind',
      (i) => ['null', 'true', `${i}`, `${i}.5`, `"${i}"`, `[${i}]`, `{"in":${i}}`, 'false'][(i * 5) % 8] ?? '',
    ],
    ['kinds by stretches', (i) => (i % 700 < 300 ? `${i}` : i % 700 < 600 ? `"${i}"` : 'null')],
    ['strings of every length', (i) => JSON.stringify('é'.repeat((i * 31) % 97) + i)],
    ['arrays of every length', (i) => `[${many((i * 31) % 17, (k) => `${i + k}`).join(',')}]`],
    ['dates', (i) => JSON.stringify(new Date(1.7e12 + ((i * 7919) % 5000) * 1000).toISOString())],
    ['dates of every spelling', (i) => JSON.stringify(dateSpelled(i))],
    ['days', (i) => JSON.stringify(new Date(1.7e12 - ((i * 7919) % 5000) * 86_400_000).toISOString().slice(0, 10))],
    ['dates, then what is none', (i) => (i < 5000 ? JSON.stringify(dateSpelled(i % 1000)) : '"2026-13-01"')],
    ['dates, then one with an escape', (i) => (i === 5000 ? '"2026\\u002d01-01"' : '"2026-01-01"')],
    ['few values', (i) => `"${i % 200}"`],
    ['values that become too many to list, and then to keep', (i) => `"${Math.floor(i ** 1.5) % (i + 1)}"`],
  ])('%s', (_, make) => {
    const rows = many(7000, (i) => `{"id":${i},"v":${make(i)},"w":{"x":${make(i + 1)}}}`);
    new Pair().runs(rows).check();
    expect(sketched.mock.calls.length).toBeGreaterThan(30);
  });

  test('values of any kind in any order', () => {
    const value = fc.oneof(
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => JSON.stringify(double)),
      fc.constantFrom(
        'null',
        'null',
        'true',
        'false',
        '-0',
        '1.0',
        '1e400',
        '[]',
        '[1,2]',
        '{}',
        '"2026-11-30"',
        '0.10',
      ),
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom('12345678901234567890', '12345678901234567891', '0.30000000000000001', '123456789012345.25'),
    );
    const stretch = fc.array(value, { minLength: 1, maxLength: 60 });
    const columns = fc.array(fc.tuple(stretch, fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(columns, (of) => {
        const row = (i: number) => {
          const members = of.map(([values, step], k) => `"k${k}":${values[Math.floor(i / step) % values.length]}`);
          return `{${members.join(',')}}`;
        };
        new Pair().runs(many(300, row)).check();
      }),
      { numRuns: 300 },
    );
  });

  test('texts that are dates, or nearly', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    const texts = fc
      .tuple(date, fc.constantFrom(4, 10, 12, 16, 17, 19, 20, 22, 24), fc.constantFrom('', 'Z', '+01:00', '5', 'z'))
      .map(([of, to, zone]) => of.toISOString().slice(0, to) + zone);
    const changed = fc.tuple(texts, fc.nat(), fc.constantFrom(...'0123456789-:T. Z/;')).map(([text, place, byte]) => {
      const at = place % text.length;
      return text.slice(0, at) + byte + text.slice(at + 1);
    });
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 3 }), changed, (of, last) => {
        // The first say whether these are dates, so what may be none comes last, once its column is known.
        const rows = many(200, (i) => `{"a":"${of[0]}","b":"${of[i % of.length]}"}`);
        const pair = new Pair().runs(rows).runs(many(40, (i) => `{"a":"${i < 20 ? of[0] : last}","b":"${last}"}`));
        pair.check();
      }),
      { numRuns: 1500 },
    );
  });

  test('the ends of all months, in years of every kind', () => {
    const two = (of: number) => String(of).padStart(2, '0');
    const month = (year: number, of: number) => `${String(year).padStart(4, '0')}-${two(of)}-`;
    const days = [1, 4, 99, 100, 400, 1600, 1900, 1970, 2000, 2023, 2024, 2100, 2400, 9998].flatMap((year) =>
      Array.from({ length: 12 }, (_, of) => [
        ...[28, 29, 30, 31, 32].map((day) => month(year, of + 1) + day),
        of === 11 ? `${month(year + 1, 1)}01` : `${month(year, of + 2)}01`,
      ]),
    );
    for (const [some, later] of [
      [28, 29],
      [29, 28],
      [28, 30],
      [28, 31],
      [28, 32],
    ] as const) {
      const of = (i: number, ends: readonly string[]) => ends[i < 150 ? some - 28 : i % 2 ? later - 28 : 5];
      new Pair().runs(many(300, (i) => `{${days.map((ends, k) => `"k${k}":"${of(i, ends)}"`).join(',')}}`)).check();
    }
  });

  test('with records that come alone between runs, before the sketch and after it', () => {
    const pair = new Pair();
    for (let turn = 0; turn < 40; turn += 1) {
      pair.runs(many(150, (i) => `{"id":${turn * 150 + i},"v":"v${(i * turn) % 4001}"}`));
      pair.single(`{"id":${-turn},"v":"alone ${turn}"}`).single(`{"v":${turn}.5,"id":"${turn}"}`);
    }
    pair.check();
    expect(sketched).toHaveBeenCalled();
  });

  test('with a sketch that began outside of a run', () => {
    const pair = new Pair();
    for (let i = 0; i < 3000; i += 1) pair.single(`{"id":${i}}`);
    expect(taken).not.toHaveBeenCalled();
    pair.runs(many(3000, (i) => `{"id":${i + 2000}}`)).check();
    expect(blocksTaken()).toBe(1);
  });
});

describe('blocks for registers', () => {
  test('columns that find none are counted all the same', () => {
    new Pair().runs(wide(80, 0, 3000)).check();
    expect(blocksTaken()).toBeGreaterThan(0);
    expect(blocksTaken()).toBeLessThanOrEqual(64);
    expect(taken).toHaveBeenCalledTimes(80);
  });

  test('profiles in turns keep to their own', () => {
    const pairs = many(5, () => '').map(() => new Pair());
    for (let turn = 0; turn < 12; turn += 1) {
      for (const [index, pair] of pairs.entries()) pair.runs(wide(16, turn * 400 * (index + 1), 400));
    }
    for (const pair of pairs) pair.check();
    expect(blocksTaken()).toBeLessThan(5 * 16);
  });

  test('what is asked, and what comes, after a profile was made is right, whoever has the blocks then', () => {
    const first = new Pair().runs(wide(10, 0, 3000));
    first.check();
    const early = blocksTaken();
    expect(early).toBe(10);
    const before = first.apart.build();
    const second = new Pair().runs(wide(10, 50_000, 3000));
    // The lowest blocks are those that the first profile had.
    expect(taken.mock.results.slice(10).map(({ value }) => value)).toEqual(
      taken.mock.results.slice(0, 10).map(({ value }) => value),
    );
    expect(first.together.build()).toEqual(before);
    first.runs(wide(10, 3000, 3000)).check();
    second.runs(wide(10, 1000, 3000)).check();
  });

  test('thousands of profiles one after the other take the same few', () => {
    for (let time = 0; time < 100; time += 1) new Pair().runs(wide(2, time * 3000, 2100)).check();
    expect(new Set(taken.mock.results.map(({ value }) => value)).size).toBe(2);
  });

  const holder = (): BlockHolder & { settled: boolean; leave: jest.Mock } => ({ settled: false, leave: jest.fn() });

  test('are zero when taken, the lowest first, and none is had twice', () => {
    const bytes = new Uint8Array(16 + 3 * 8).fill(7);
    const blocks = new RegisterBlocks(bytes, 16, 8, 3);
    const holders = [holder(), holder(), holder(), holder()] as const;
    expect(holders.map((one) => blocks.take(one))).toEqual([16, 24, 32, 0]);
    expect([...bytes]).toEqual([...new Array(16).fill(7), ...new Array(24).fill(0)]);
    blocks.at(24)[3] = 9;
    holders[1].settled = true;
    expect(holders[1].leave).not.toHaveBeenCalled();
    holders[1].leave.mockImplementation(() => expect(bytes[24 + 3]).toBe(9));
    expect(blocks.take(holders[3])).toBe(24);
    expect(holders[1].leave).toHaveBeenCalledTimes(1);
    expect([...blocks.at(24)]).toEqual(new Array(8).fill(0));
    expect(blocks.take(holder())).toBe(0);
  });

  test('of a profile that was never made come free with it', async () => {
    // It would keep whom it was called with.
    taken.mockRestore();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const blocks = new RegisterBlocks(new Uint8Array(4 * 8), 8, 8, 3);
    const kept = holder();
    (() => {
      blocks.take(holder());
      blocks.take(kept);
      blocks.take(holder());
    })();
    expect(blocks.take(holder())).toBe(0);
    await setTimeout(1);
    collect();
    expect([blocks.take(kept), blocks.take(kept), blocks.take(kept)]).toEqual([8, 24, 0]);
  });
});
