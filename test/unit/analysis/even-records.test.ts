import fc from 'fast-check';
import { EvenRecords, UnevenRecords } from '../../../core/analysis/even-records.ts';
import { locateRecord } from '../../../core/scan/record-locator.ts';
import { recordSpans } from '../../../core/scan/record-spans.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

/** The lines of a body that arrives as a first piece of `head` bytes and others of `size`; null: not for this way. */
function linesOf(whole: Uint8Array, head: number, size: number) {
  const body = new Uint8Array(whole);
  const index = scanBytes(body, { previewBytes: 0 });
  const from = locateRecord(index, 0)?.recordStart ?? 0;
  const kept: Uint8Array[] = [];
  let counted = 0;
  const sink = {
    lines: (bytes: Uint8Array, records: number) => {
      kept.push(bytes);
      counted += records;
    },
  };
  const first = body.slice(from, from + head);
  const even = EvenRecords.of(index, first, recordSpans(index, 0).write(first), sink);
  if (even === null) return null;
  even.write(body.slice(from, from + head));
  // Each piece is memory of its own, as what comes from a network is.
  for (let at = from + head; at < body.length; at += size) even.write(body.slice(at, at + size));
  even.end();
  const lines = Buffer.concat(kept).toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  expect(counted).toBe(lines.length);
  expect(even.longest).toBeGreaterThanOrEqual(Math.max(...lines.map((line) => Buffer.byteLength(line.trimEnd()))));
  return lines.map((line) => JSON.parse(line) as unknown);
}

const records = Array.from({ length: 40 }, (_, n) => ({ n, text: `},{ "a" \\ ü ${n} {"b":1},{\\"n`, half: n / 2 }));
const all = [...records, { n: 40, text: 'the last', half: null }];
const listed = (between: string) => `[${all.map((record) => JSON.stringify(record)).join(between)}]`;

describe.each([1, 2, 3, 5, 7, 15, 16, 17, 64, 1_000, 1_000_000])('pieces of %i bytes', (size) => {
  test.each([
    ['a list', listed(',')],
    ['a list as Python writes it', listed(', ')],
    ['a list with gaps', listed(' ,  ').replaceAll('{"n"', '{ "n"')],
    ['a list inside a document', `{"before":[1],"items":${listed(',')},"after":{"total":41}}`],
    ['lines', all.map((record) => JSON.stringify(record)).join('\n')],
    ['lines with carriage returns and gaps', all.map((record) => JSON.stringify(record)).join(' \r\n\r\n')],
  ])('%s', (_, body) => {
    for (const head of [200, 201, 213, 222, 231, 400]) {
      expect(linesOf(Buffer.from(body), head, size)).toEqual(all);
    }
  });
});

test('records cut anywhere', () => {
  const value = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('},{"', '}', '{"a":1},{"', ']}]'),
    fc.double(),
    fc.boolean(),
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: value, b: value }), { minLength: 4, maxLength: 60 }),
      fc.nat(40),
      (rows, size) => {
        const body = Buffer.from(JSON.stringify(rows));
        const head = Buffer.byteLength(JSON.stringify(rows.slice(0, 3)));
        expect(linesOf(body, head, size + 1)).toEqual(JSON.parse(body.toString()));
      },
    ),
  );
});

test.each([
  ['a list over many lines', JSON.stringify(all, null, 2)],
  ['one record', '[{"a":1}]'],
  ['values', '[1,2,3,4]'],
  ['a table', 'a,b\n1,2\n3,4\n'],
  ['a text', 'one\ntwo\n'],
  ['a document', '{"a":1,"b":{"c":2}}'],
  ['a list of which every other record is empty', listed(',{},')],
  ['lines of which every other record is empty', listed('\n{}\n').slice(1, -1)],
])('%s is read the long way', (_, body) => {
  expect(linesOf(Buffer.from(body), body.length, 64)).toBeNull();
});

test('a line end in a later record is found', () => {
  const body = listed(',').replace('"text":"the last"', '"text":\n"the last"');
  expect(() => linesOf(Buffer.from(body), 400, 64)).toThrow(UnevenRecords);
});

describe('lines that end in another way once', () => {
  const lines = all.map((record) => JSON.stringify(record));
  const sizes = [...Array.from({ length: 20 }, (_, at) => at + 1), 64, 1_000_000];

  test.each([
    ['a blank line', '\n\n'],
    ['a carriage return', '\r\n'],
    ['a blank before the end', ' \n'],
    ['a blank behind the end', '\n '],
    ['an empty record', '\n{}\n'],
  ])('%s', (_, end) => {
    for (const at of [20, 39]) {
      const body = Buffer.from([lines.slice(0, at).join('\n'), lines.slice(at).join('\n')].join(end));
      for (const size of sizes) expect(() => linesOf(body, 300, size)).toThrow(UnevenRecords);
    }
  });

  test('a first key that stands apart', () => {
    const body = Buffer.from(lines.join('\n').replace('{"n":20,', '{ "n":20,'));
    for (const size of sizes) expect(() => linesOf(body, 300, size)).toThrow(UnevenRecords);
  });

  test('blank lines at the end are none', () => {
    for (const size of sizes) expect(linesOf(Buffer.from(`${lines.join('\n')}\n\n \n`), 300, size)).toEqual(all);
  });
});

test.each([
  ['another gap between the last two', listed(',').replace('},{"n":40', '}, {"n":40')],
  ['an empty record between others', listed(',').replace('},{"n":40', '},{},{"n":40')],
  ['a text that ends like a record', listed(',').replace('the last', 'the last},{')],
  ['another list behind it', `{"items":${listed(',')},"others":[{"n":1},{"n":2}]}`],
])('%s is not taken for anything else', (_, body) => {
  expect(() => linesOf(Buffer.from(body), 400, 64)).toThrow(/JSON|end the list/);
});
