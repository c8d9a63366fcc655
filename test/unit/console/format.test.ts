import { basisSentence } from '../../../console/basis-words.ts';
import { contentOf, counted, percent, pictureKind, size } from '../../../console/format.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 KB'],
  [14_713_201, '15 MB'],
  [4_200_000, '4.2 MB'],
  [999_600, '1 MB'],
  [5_368_709_120, '5.4 GB'],
])('%d bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text));

test.each([
  [0, 10, '0 %'],
  [10, 10, '100 %'],
  [1, 1_000_000, '< 0.1 %'],
  [999_999, 1_000_000, '> 99.9 %'],
  [1, 3, '33 %'],
  [1, 0, '0 %'],
])('%d of %d is %s', (part, whole, text) => expect(percent(part, whole)).toBe(text));

test('an unknown number is never shown as zero', () => {
  expect(counted(null, 'records')).toBe('an unknown number of records');
  expect(counted(1, 'lines')).toBe('1 line');
  expect(counted(60_000, 'records')).toBe('60,000 records');
});

test('of a part, what its source holds in all stands beside it', () => {
  const part = {
    file_name: 'orders.csv',
    picture_type: null,
    records: 100_000,
    bytes: 12_000_000,
    unit: 'records',
  } as const;
  expect(contentOf({ ...part, source_total: 1_000_000 })).toEqual(['100,000 of 1,000,000 records', '12 MB']);
  expect(contentOf({ ...part, source_total: null })).toEqual(['100,000 records', '12 MB']);
  const row = {
    ref: 'r',
    tool: 'list_orders',
    unit: 'records',
    seen: 37,
    ranges: [],
    total: 100_000,
    unread: 99_963,
  } as const;
  const basis = {
    ...row,
    selections: [],
    analyses: 0,
    wholeAnalyses: 0,
    complete: false,
    reasons: ['upstream_partial'],
  };
  expect(basisSentence(basis, 1_000_000)).toMatch(
    /37 of 100,000 records seen; its source holds 1,000,000 records in all \(/,
  );
  expect(basisSentence(basis, null)).not.toContain('source');
});

test('what is in a result: how much of it, or of a picture its name and kind', () => {
  const rows = { file_name: 'analysis.ndjson', picture_type: null, records: 60_000, bytes: 14_713_201, kind: 'ndjson' };
  expect(contentOf({ ...rows, unit: 'records' })).toEqual(['60,000 records', '15 MB', 'ndjson']);
  const chart = { file_name: 'chart.png', picture_type: 'image/png', records: null, bytes: 31_000, kind: null };
  expect(contentOf({ ...chart, unit: 'lines' })).toEqual(['chart.png', 'PNG picture', '31 KB']);
  expect(contentOf({ ...chart, unit: null, file_name: null, bytes: null })).toEqual(['PNG picture']);
  expect(pictureKind('image/svg+xml')).toBe('SVG picture');
});
