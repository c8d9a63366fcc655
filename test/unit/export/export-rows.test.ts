import fc from 'fast-check';
import { csvText } from '../../../core/export/csv-cell.ts';
import { exportRows, type RowSource } from '../../../core/export/export-rows.ts';
import { MemorySpool } from '../../../core/export/spool.ts';
import { collect, exported, lines, parsed } from './exported.ts';

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield item;
}

/** What a cell reads as, by the rules of DESIGN 5.6, written down once more and otherwise. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') {
    const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value);
    const formula = /^[\t\r\n]/.test(value) || /^[\s\p{Cc}\u180e\u200b\u2060]*[=+\-@＝＋－＠]/u.test(value);
    return (formula && !number ? `'${value}` : value).replace(/[\ud800-\udfff]/gu, '\ufffd');
  }
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '=1+1',
    ' =x',
    '\t=1',
    '\r\n',
    'a\r\nb',
    '"q"',
    'a,b',
    '\r',
    '-5',
    '-x',
    '+1.5',
    '@x',
    "'=1",
    '\u2028',
    '',
  ),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(fc.integer(), fc.constantFrom('x', 'a"b\r\nc')), { maxLength: 3 }),
);
const key = fc.constantFrom('id', 'name', '=late', 'a,b', 'c"d', 'constructor', 'toString', 'length', 'x\r\ny');
const rows = fc.array(fc.dictionary(key, value, { maxKeys: 6, noNullPrototype: true }), { maxLength: 60 });

test('any rows, whatever key comes late: two strict parsers give the cells back, and the typed copy the rows', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), async (made, declared) => {
      const columns = [...new Set(made.flatMap((row) => Object.keys(row)))];
      const { csv, typed, rows: count } = await exported({ rows: each(made), ...(declared ? { columns } : {}) });
      expect(count).toBe(made.length);
      expect(csv.startsWith('\ufeff')).toBe(true);
      expect(lines(typed)).toEqual(made);
      if (columns.length === 0) return;
      const [header, ...body] = parsed(csv);
      expect(header).toEqual(columns.map((name) => cellText(name)));
      expect(body).toEqual(
        made.map((row) => columns.map((name) => cellText(Object.hasOwn(row, name) ? row[name] : null))),
      );
    }),
    { numRuns: 400 },
  );
});

test('a key that first appears in the last of many rows is in the first line, and every row is as wide', async () => {
  const made = Array.from({ length: 20_000 }, (_, id) =>
    id === 19_999 ? { id, 'very late': '\r\n"' } : { id, note: 'x\r\n,"' },
  );
  const records = parsed((await exported({ rows: made })).csv);
  expect(records[0]).toEqual(['id', 'note', 'very late']);
  expect(records).toHaveLength(20_001);
  expect(records.at(-1)).toEqual(['19999', '', '\r\n"'].map((cell) => (cell.startsWith('\r') ? `'${cell}` : cell)));
  expect(records[1]).toEqual(['0', 'x\r\n,"', '']);
});

test('what JSON cannot say keeps its digits and its name', async () => {
  const row = {
    big: 12345678901234567890n,
    numeric: '12345.678900000000000000001',
    negative: '-7.50',
    zero: -0,
    nan: Number.NaN,
    date: new Date('2026-02-03T04:05:06.789Z'),
    bytes: Buffer.from([1, 2, 3]),
    nested: { at: new Date(0), n: 10n, list: ['=1'] },
  };
  const { csv, typed } = await exported({ rows: [row] });
  expect(parsed(csv)[1]).toEqual([
    '12345678901234567890',
    '12345.678900000000000000001',
    '-7.50',
    '-0',
    'NaN',
    '2026-02-03T04:05:06.789Z',
    'AQID',
    '{"at":"1970-01-01T00:00:00.000Z","n":10,"list":["=1"]}',
  ]);
  expect(typed).toContain('"big":12345678901234567890,');
  expect(typed).toContain('"zero":-0,');
  expect(typed).toContain('"nan":"NaN"');
});

test('the inline rows are a prefix that stops at the first row that does not fit, to the byte', async () => {
  const made = [{ a: 1 }, { a: 'x'.repeat(100) }, { a: 2 }];
  const whole = Buffer.byteLength(JSON.stringify(made));
  expect(await exported({ rows: made }, { inlineBytes: whole })).toMatchObject({
    inlineRows: 3,
    inlineJson: JSON.stringify(made),
  });
  expect(await exported({ rows: made }, { inlineBytes: whole - 1 })).toMatchObject({ inlineRows: 2 });
  expect(await exported({ rows: made }, { inlineBytes: 40 })).toMatchObject({ inlineRows: 1, inlineJson: '[{"a":1}]' });
});

test('totals: told by the first row and stripped, asked for when there is none, null when nobody knows', async () => {
  const counted: RowSource = {
    rows: [
      { total: '48211', id: 1 },
      { total: '48211', id: 2 },
    ],
    totalColumn: 'total',
  };
  const result = await exported(counted);
  expect(result).toMatchObject({ total: 48_211, rows: 2, columns: ['id'] });
  expect(result.csv).toBe('\ufeffid\r\n1\r\n2\r\n');
  expect(result.typed).toBe('{"id":1}\n{"id":2}\n');
  expect(await exported({ rows: [], totalColumn: 'total', total: async () => 12 })).toMatchObject({
    total: 12,
    rows: 0,
  });
  expect(await exported({ rows: [{ id: 1 }] })).toMatchObject({ total: null, rows: 1 });
  await expect(exported({ rows: [{ id: 1 }], totalColumn: 'total' })).rejects.toMatchObject({ code: 'InvalidInput' });
});

test('no rows make a file with the declared header, and without one an empty file', async () => {
  expect((await exported({ rows: [], columns: ['a', 'b'] })).csv).toBe('\ufeffa,b\r\n');
  expect((await exported({ rows: [] }, { byteOrderMark: false })).csv).toBe('');
  expect((await exported({ rows: [{}, {}] })).csv).toBe('\ufeff""\r\n""\r\n""\r\n');
});

test('a row with a column that was not declared is refused by name, and both uploads see the error', async () => {
  const seen: unknown[] = [];
  const watch = async (pieces: AsyncIterable<Uint8Array>) => {
    try {
      await collect(pieces, []);
    } catch (error) {
      seen.push(error);
      throw error;
    }
  };
  const made = exportRows(
    { rows: [{ a: 1 }, { b: 2 }], columns: ['a'] },
    { csv: watch, typed: watch },
    { inlineBytes: 100, makeSpool: () => new MemorySpool() },
  );
  await expect(made).rejects.toMatchObject({ code: 'InvalidInput', message: expect.stringContaining('"b"') });
  expect(seen).toHaveLength(2);
});

describe('uploads that fail', () => {
  const many = () => Array.from({ length: 5_000 }, (_, id) => ({ id, pad: 'x'.repeat(200) }));
  type Fate = 'never' | 'at once' | 'on the way' | 'at the end' | 'stops early';
  const upload = (fate: Fate, log: string[], name: string) => async (pieces: AsyncIterable<Uint8Array>) => {
    if (fate === 'at once') throw new Error(`${name} refused`);
    let seen = 0;
    try {
      for await (const _ of pieces) {
        seen += 1;
        await new Promise((resolve) => setImmediate(resolve));
        if (fate === 'on the way' && seen === 2) throw new Error(`${name} broke`);
        if (fate === 'stops early' && seen === 2) return;
      }
    } catch (error) {
      log.push(`${name} aborted`);
      throw error;
    }
    if (fate === 'at the end') throw new Error(`${name} unconfirmed`);
    log.push(`${name} confirmed`);
  };
  const fates: readonly Fate[] = ['never', 'at once', 'on the way', 'at the end', 'stops early'];
  for (const csvFate of fates) {
    for (const typedFate of fates) {
      for (const columns of [undefined, ['id', 'pad']]) {
        const how = columns === undefined ? 'spooled' : 'streamed';
        test(`csv fails ${csvFate}, typed fails ${typedFate}, ${how}`, async () => {
          const log: string[] = [];
          let read = 0;
          const source = (function* () {
            for (const row of many()) {
              read += 1;
              yield row;
            }
          })();
          let disposed = 0;
          const spool = new MemorySpool();
          const dispose = spool.dispose.bind(spool);
          spool.dispose = async () => {
            disposed += 1;
            await dispose();
          };
          const result = await exportRows(
            { rows: source, total: () => 9_999, ...(columns === undefined ? {} : { columns }) },
            { csv: upload(csvFate, log, 'csv'), typed: upload(typedFate, log, 'typed') },
            { inlineBytes: 1_000, makeSpool: () => spool },
          );
          const fine = csvFate === 'never' && typedFate === 'never';
          expect(result.kept).toBe(fine);
          expect(result.total).toBe(9_999);
          // The rows that were read are not lost: the inline part is there in any case.
          expect(result.inlineRows).toBeGreaterThan(2);
          expect(JSON.parse(result.inlineJson)).toEqual(many().slice(0, result.inlineRows));
          expect(disposed).toBe(columns === undefined ? 1 : 0);
          if (fine) {
            expect(log.sort()).toEqual(['csv confirmed', 'typed confirmed']);
            expect(read).toBe(5_000);
          } else {
            // The file for people never stands complete beside a typed copy that is missing.
            expect(log).not.toContain(typedFate === 'never' ? 'nothing' : 'csv confirmed');
            expect(result.failure).toBeInstanceOf(Error);
          }
        });
      }
    }
  }

  test('a source that breaks makes both give up, and its own error is thrown', async () => {
    const log: string[] = [];
    const source = (async function* () {
      yield* many();
      throw new Error('the database went away');
    })();
    const made = exportRows(
      { rows: source, columns: ['id', 'pad'] },
      { csv: upload('never', log, 'csv'), typed: upload('never', log, 'typed') },
      { inlineBytes: 1_000, makeSpool: () => new MemorySpool() },
    );
    await expect(made).rejects.toThrow('the database went away');
    expect(log.sort()).toEqual(['csv aborted', 'typed aborted']);
  });

  test('slow uploads hold the source back: it is never more than two pieces ahead', async () => {
    let taken = 0;
    let made = 0;
    let most = 0;
    const slow = async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) {
        taken += piece.length;
        most = Math.max(most, made - taken);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    const source = (function* () {
      for (const row of many()) {
        made += JSON.stringify(row).length + 1;
        yield row;
      }
    })();
    await exportRows(
      { rows: source, columns: ['id', 'pad'] },
      { csv: (pieces) => collect(pieces, []), typed: slow },
      { inlineBytes: 0, makeSpool: () => new MemorySpool() },
    );
    expect(most).toBeLessThan(2 * 64 * 1024);
  });
});

test('the profile is that of all rows, the count too, with and without a typed copy', async () => {
  const made = Array.from({ length: 3_000 }, (_, id) => ({ id, kind: id === 2_999 ? 'last' : 'other' }));
  for (const withTyped of [true, false]) {
    const { profile, rows: count } = await exported(
      { rows: [made], batched: true },
      { profileBytes: 4_096, withTyped },
    );
    expect(count).toBe(3_000);
    expect(profile).toMatchObject({ records: 3_000 });
    expect(profile?.columns.find(({ path }) => path === 'id')).toMatchObject({ max: 2_999, distinct: 3_000 });
  }
});

test('the guard is one mark, before the quotes are added', () => {
  expect(csvText('=HYPERLINK("x","y")')).toBe(`"'=HYPERLINK(""x"",""y"")"`);
});
