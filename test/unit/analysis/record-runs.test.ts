import { RecordRuns } from '../../../core/analysis/record-runs.ts';
import { locateRecord } from '../../../core/scan/record-locator.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

/** The lines that come out when the body arrives in pieces of one size. */
function linesOf(body: Uint8Array, size: number) {
  const index = scanBytes(body, { previewBytes: 0 });
  const from = locateRecord(index, 0)?.recordStart ?? 0;
  const kept: Uint8Array[] = [];
  let counted = 0;
  const runs = new RecordRuns(
    index,
    from,
    {
      lines: (bytes, records) => {
        kept.push(bytes);
        counted += records;
      },
      wide: (bytes) => {
        throw new Error(`wide: ${bytes}`);
      },
    },
    1024 * 1024,
  );
  let more = true;
  // Each piece is memory of its own, as what comes from a network is.
  for (let at = from; more && at < body.length; at += size) more = runs.write(body.slice(at, at + size));
  if (more) runs.end();
  const lines = Buffer.concat(kept).toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  expect(counted).toBe(lines.length);
  expect(counted).toBe(index.records);
  return { values: lines.map((line) => JSON.parse(line) as unknown), marked: runs.marked, pieces: kept.length };
}

const records = Array.from({ length: 40 }, (_, n) => ({ n, text: `},{ "a" \\ ü ${n}`, deep: [{ x: [n] }, '},{'] }));
const tail = { n: 40, last: true };
const all = [...records, tail];
const text = (value: unknown) => Buffer.from(JSON.stringify(value), 'utf8');

describe.each([1, 2, 3, 7, 64, 1_000, 1_000_000])('pieces of %i bytes', (size) => {
  test.each([
    ['a list', text(all), all],
    ['a list as Python writes it', Buffer.from(`[${all.map((r) => JSON.stringify(r)).join(', ')}]`), all],
    ['a list over many lines', Buffer.from(JSON.stringify(all, null, 2).replaceAll('\n', '\r\n')), all],
    ['a list inside a document', text({ before: [1], items: all, after: { total: 41 } }), all],
    ['lines', Buffer.from(all.map((r) => JSON.stringify(r)).join('\n')), all],
    ['lines with carriage returns and gaps', Buffer.from(all.map((r) => JSON.stringify(r)).join(' \r\n\r\n')), all],
    [
      'values that are no objects',
      text([{ a: 1 }, { a: 2 }, 3, [4], { a: 5 }]),
      [{ a: 1 }, { a: 2 }, { value: 3 }, { value: [4] }, { a: 5 }],
    ],
  ])('%s', (_, body, expected) => {
    const { values, marked } = linesOf(body, size);
    expect(values).toEqual(expected);
    expect(marked).toBe(false);
  });

  test('a malformed record between good ones is left out, and joins nothing', () => {
    const { values } = linesOf(Buffer.from('[{"a":1},{"a":2},{"a" 3},{"a":4},{"a":5}]'), size);
    expect(values).toEqual([{ a: 1 }, { a: 2 }, { a: 4 }, { a: 5 }]);
  });

  test('NaN in the last record is marked, and said', () => {
    const { values, marked } = linesOf(Buffer.from('[{"a":1},{"a":2},{"a":NaN}]'), size);
    expect(values).toEqual([{ a: 1 }, { a: 2 }, { a: 'NaN' }]);
    expect(marked).toBe(true);
  });

  test('bytes that are no UTF-8 show as such, in their record alone', () => {
    const body = Buffer.from('[{"a":"x"}, {"a":"#"},{"a":"z"}]');
    body[body.indexOf('#')] = 0xff;
    expect(linesOf(body, size).values).toEqual([{ a: 'x' }, { a: '\ufffd' }, { a: 'z' }]);
  });
});

test('records that follow one another come out as one run, not one by one', () => {
  expect(linesOf(text(all), 1_000_000).pieces).toBe(2);
});
