import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { ProfileBuilder } from '../../../core/profile/profile-builder.ts';
import { column, profileOf } from './profile-of.ts';

const cases = join(__dirname, '../../fixtures/cases');
const recordsOf = (file: string): string[] =>
  (JSON.parse(readFileSync(join(cases, file), 'utf8')) as unknown[]).map((value) => JSON.stringify(value));

describe('profile of JSON records', () => {
  test('numbers keep the digits they came with, beyond what a double holds', () => {
    const profile = profileOf([
      '{"n":12345678901234567890}',
      '{"n":12345678901234567891}',
      '{"n":1.50}',
      '{"n":-3}',
      '{"n":12345678901234567889}',
    ]);
    expect(column(profile, 'n')).toMatchObject({
      types: { integer: 4, number: 1 },
      min: -3,
      max: '12345678901234567891',
      distinct: 5,
    });
    const large = column(profileOf(['{"n":1e400}', '{"n":1E401}', '{"n":7}']), 'n');
    expect(large).toMatchObject({ min: 7, max: '1E401', distinct: 3 });
    expect(large.mean).toBeUndefined();
    expect(column(profileOf(['{"n":2.50}', '{"n":2.5}', '{"n":25e-1}']), 'n')).toMatchObject({
      min: '2.50',
      distinct: 1,
    });
  });

  test('a late key, a null and a missing key are told apart', () => {
    const late = profileOf(recordsOf('late-keys.json'));
    expect(column(late, 'error')).toMatchObject({ missing: late.records - 1, nulls: 0, distinct: 1 });
    const empty = profileOf(recordsOf('null-empty.json'));
    expect(empty.records).toBe(7);
    expect(column(empty, 'a')).toMatchObject({
      nulls: 1,
      missing: 2,
      types: { string: 2, boolean: 1, array: 1 },
      min_items: 0,
      max_items: 0,
    });
    expect(column(empty, 'c')).toMatchObject({ nulls: 1, missing: 1, types: { string: 3, integer: 2 }, min: 0 });
  });

  test('__proto__, constructor and toString are columns like any; of a repeated key the last value counts', () => {
    const lines = readFileSync(join(cases, 'proto-keys.json'), 'utf8')
      .trim()
      .slice(1, -1)
      .split(/(?<=\}),(?=\{)/);
    const profile = profileOf(lines);
    expect(profile.records).toBe(4);
    expect(profile.columns.map((each) => each.path)).toEqual([
      'id',
      '__proto__',
      '__proto__.polluted',
      'constructor',
      'toString',
      'a',
      'hasOwnProperty',
      'length',
    ]);
    expect(column(profile, 'a')).toMatchObject({ types: { integer: 1 }, min: 2, max: 2, distinct: 1 });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const replaced = profileOf(['{"a":{"x":1,"y":{"z":2}},"a":"last"}']);
    expect(replaced.columns.map((each) => each.path)).toEqual(['a']);
    expect(column(replaced, 'a').types).toEqual({ string: 1 });
  });

  test('a record that breaks off changes nothing but the count of skipped ones', () => {
    const whole = ['{"a":1,"b":{"c":"x"}}', '{"a":2,"b":{"c":"y"}}'];
    for (const broken of [
      '{"a":9,"b":{"c":"z"',
      '{"a":01}',
      '{"a":1,}',
      '{"a" 1}',
      '{"a":"\\x"}',
      '',
      '{"a":tru}',
      '{"a":1}{',
    ]) {
      const { skipped_records: skipped, ...rest } = profileOf([...whole, broken]);
      const { skipped_records: none, ...expected } = profileOf(whole);
      expect([broken, skipped, none]).toEqual([broken, 1, 0]);
      expect(rest).toEqual(expected);
    }
  });

  test('a record too wide to be handed over is counted as skipped', () => {
    const builder = new ProfileBuilder({ format: 'json' });
    builder.wide(5_000_000);
    expect(builder.build()).toEqual({ records: 0, skipped_records: 1, columns: [], columns_left_out: 0 });
  });

  test('spelling does not make a value or a key another one', () => {
    const profile = profileOf(['{"k\\u00e9y":"\\u00e9\\ud83d\\ude00/"}', '{ "kéy" : "é😀\\/" }', '{"kéy":"é😀/"}']);
    expect(profile.columns).toHaveLength(1);
    expect(column(profile, 'kéy')).toMatchObject({
      distinct: 1,
      min_length: 7,
      max_length: 7,
      top: [{ value: 'é😀/', count: 3 }],
    });
  });

  test('dates have a first and a last, by time and not by text; one other string ends that', () => {
    const dates = [
      '{"d":"2024-05-01T10:00:00+02:00"}',
      '{"d":"2024-05-01T09:30:00Z"}',
      '{"d":"2024-05-01T08:00:00.5Z"}',
    ];
    expect(column(profileOf(dates), 'd')).toMatchObject({
      min: '2024-05-01T10:00:00+02:00',
      max: '2024-05-01T09:30:00Z',
    });
    expect(column(profileOf([...dates, '{"d":"soon"}']), 'd').max).toBeUndefined();
  });

  test('records that are no objects stand under the empty path; deep ones are counted, not looked into', () => {
    const profile = profileOf([
      '1',
      '"x"',
      '[1,[2,3],{"a":[]}]',
      'null',
      `{"deep":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ]);
    expect(profile.records).toBe(5);
    expect(column(profile, '')).toMatchObject({ types: { integer: 1, string: 1, array: 1 }, nulls: 1, max_items: 3 });
    expect(column(profile, 'deep').types).toEqual({ object: 1 });
    expect(profile.columns.length).toBeLessThan(20);
  });

  test('columns past the cap are counted, and so are keys too long to be names', () => {
    const wide = `{${Array.from({ length: 700 }, (_, index) => `"k${index}":${index}`).join()}}`;
    const profile = profileOf([wide, wide, `{"k0":5,"${'x'.repeat(2000)}":1,"k1":7}`]);
    expect(profile.columns).toHaveLength(512);
    expect(profile.columns_left_out).toBe(700 - 512 + 1);
    expect(column(profile, 'k1')).toMatchObject({ min: 1, max: 7 });
    // A key without a column must not lend its value to a column of another object.
    const small = profileOf(
      ['{"a":{"b":1,"late":2,"c":3},"late":9,"c":4}', '{"a":{"b":1,"late":2,"c":3},"late":9,"c":4}'],
      undefined,
      {
        maxColumns: 3,
      },
    );
    expect(small.columns.map((each) => each.path)).toEqual(['a', 'a.b', 'a.late']);
    expect(column(small, 'a.late')).toMatchObject({ min: 2, max: 2 });
  });

  test('top values come most frequent first, only where values repeat', () => {
    const records = Array.from(
      { length: 300 },
      (_, index) => `{"k":"${index % 3 === 0 ? 'often' : `v${index % 7}`}","id":${index}}`,
    );
    const profile = profileOf(records);
    expect(column(profile, 'k').top?.[0]).toEqual({ value: 'often', count: 100 });
    expect(column(profile, 'k').distinct).toBe(8);
    expect(column(profile, 'id').top).toBeUndefined();
  });

  test.each([
    ['integers', (i: number) => String(i)],
    ['decimals', (i: number) => String(i / 8)],
    ['padded codes', (i: number) => `"C-${String(i * 37).padStart(9, '0')}"`],
    ['hex ids', (i: number) => `"${(i * 2654435761).toString(16)}"`],
    ['mail addresses', (i: number) => `"user.${i}@example.org"`],
    ['times', (i: number) => `"${new Date(1.6e12 + i * 1000).toISOString()}"`],
    ['arrays', (i: number) => `[${i},"x",{"a":${i % 10}}]`],
    ['objects', (i: number) => `{"a":${i % 1000},"b":"${Math.floor(i / 1000)}"}`],
  ])('distinct of 40,000 %s is within 1 %%, and says that it is an estimate', (_, make) => {
    const builder = new ProfileBuilder({ format: 'json' });
    for (let index = 0; index < 60_000; index += 1) {
      const bytes = Buffer.from(`{"v":${make(index % 40_000)}}`, 'utf8');
      builder.record(bytes, 0, bytes.length);
    }
    const found = column(builder.build(), 'v');
    expect(found.distinct_exact).toBe(false);
    expect(Math.abs(found.distinct - 40_000) / 40_000).toBeLessThan(0.01);
  });

  test('for any records: counts, nulls, missing, distinct and bounds are those of a plain loop', () => {
    const scalar = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
    );
    const record = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'ü"\\', ''), scalar, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), fc.constantFrom(0, 1, 2), (records, indent) => {
        const profile = profileOf(records.map((each) => JSON.stringify(each, null, indent)));
        expect(profile.records).toBe(records.length);
        for (const found of profile.columns) {
          const having = records.filter((each) => Object.hasOwn(each, found.path)).map((each) => each[found.path]);
          const values = having.filter((value) => value !== null);
          const numbers = values.filter((value) => typeof value === 'number');
          const lengths = values
            .filter((value) => typeof value === 'string')
            .map((text) => Buffer.byteLength(text, 'utf8'));
          expect(found.missing).toBe(records.length - having.length);
          expect(found.nulls).toBe(having.length - values.length);
          expect(found.distinct).toBe(new Set(values.map((value) => (value === 0 ? 0 : value))).size);
          if (numbers.length > 0) {
            expect(Number(found.min) + 0).toBe(Math.min(...numbers) + 0);
            expect(Number(found.max) + 0).toBe(Math.max(...numbers) + 0);
          }
          if (lengths.length > 0) expect(found.max_length).toBe(Math.max(...lengths));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('no bytes whatever make it throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        fc.nat(60),
        (bytes, cut) => {
          const builder = new ProfileBuilder({ format: 'json' });
          builder.record(bytes, 0, bytes.length);
          builder.record(bytes, 0, Math.min(cut, bytes.length));
          const profile = builder.build();
          expect(profile.records + profile.skipped_records).toBe(2);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('a number of a million digits takes no longer than its bytes are', () => {
    const long = `1${'0'.repeat(500_000)}1`;
    const records = [`{"v":${long}}`, `{"v":0.${'0'.repeat(400_000)}${long}}`, `{"v":${long}.0}`];
    const began = process.cpuUsage();
    expect(column(profileOf(records), 'v')).toMatchObject({ distinct: 2, max: long });
    // Microseconds; at a step a pair of digits it would be minutes.
    expect(process.cpuUsage(began).user).toBeLessThan(2e6);
  });

  test.each([
    ['zeros', `0.${'0'.repeat(400_000)}`, '0.0'],
    ['doubles', `1.${'0'.repeat(400_000)}1`, '1.0000000000000000'],
  ])('the digits of a long number are not gone over again for each of the %s that tie with it', (_, long, short) => {
    const records = [long, ...new Array<string>(10_000).fill(short)].map((v) => `{"v":${v}}`);
    const began = process.cpuUsage();
    expect(column(profileOf(records), 'v')).toMatchObject({ types: { number: 10_001 } });
    // Microseconds; both bounds compared anew each time, it would be many seconds.
    expect(process.cpuUsage(began).user).toBeLessThan(1e6);
  });

  test('arrays of strings and of what those spell are different values; so are objects of equal members', () => {
    const arrays = ['[1]', '["1"]', '[true]', '["true"]', '[{"a":null}]', '[{"a":"null"}]'];
    expect(column(profileOf([...arrays, ...arrays].map((is) => `{"v":${is}}`)), 'v').distinct).toBe(arrays.length);
    const pairs = Array.from({ length: 100_000 }, (_, i) => `{"v":{"first":${i},"last":${i}}}`);
    const { distinct } = column(profileOf(pairs), 'v');
    expect(Math.abs(distinct / pairs.length - 1)).toBeLessThan(0.01);
  });
});

describe('profile of CSV rows', () => {
  test('types are read off the cells; zeros in front make a code, quotes a text', () => {
    const profile = profileOf(
      ['1,007,"a ""b"" c",true,2024-01-01\r', '2.50,8,,false,2024-01-03', '"3",x,"",TRUE,2024-01-02,extra'],
      { format: 'csv', delimiter: ',', header: ['n', 'code', 'text', 'flag', 'day'] },
    );
    expect(column(profile, 'n')).toMatchObject({ types: { integer: 2, number: 1 }, min: 1, max: 3, mean: 6.5 / 3 });
    expect(column(profile, 'code').types).toEqual({ string: 2, integer: 1 });
    expect(column(profile, 'text')).toMatchObject({ types: { string: 2 }, nulls: 1, min_length: 0, max_length: 7 });
    expect(column(profile, 'flag')).toMatchObject({ types: { boolean: 3 }, distinct: 2 });
    expect(column(profile, 'day')).toMatchObject({ min: '2024-01-01', max: '2024-01-03' });
    expect(column(profile, 'column 6')).toMatchObject({ missing: 2 });
  });
});

describe('profile of rows given as objects', () => {
  test('says the same as the profile of their JSON', () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({
      id: index,
      price: index / 4,
      name: index % 2 === 0 ? 'é' : null,
      made: new Date(1.7e12 + index),
      inner: { flag: index > 3, list: [index] },
      ...(index > 40 ? { late: '' } : {}),
    }));
    const builder = new ProfileBuilder({ format: 'rows' });
    for (const row of rows) builder.row(row);
    expect(builder.build()).toEqual(profileOf(rows.map((row) => JSON.stringify(row))));
  });

  test('a big integer keeps its digits', () => {
    const builder = new ProfileBuilder({ format: 'rows' });
    builder.row({ n: 9007199254740993n, gone: undefined });
    expect(builder.build().columns).toMatchObject([{ path: 'n', max: '9007199254740993' }]);
  });

  test('objects that hold nothing but null are one value, whatever stood before them', () => {
    const builder = new ProfileBuilder({ format: 'rows' });
    for (let id = 0; id < 50; id += 1) builder.row({ id, held: { x: null } });
    expect(column(builder.build(), 'held')).toMatchObject({ distinct: 1, distinct_exact: true });
  });
});
