import { chartData } from '../../../core/analysis/chart-data.ts';
import { parseChart } from '../../../core/analysis/chart-spec.ts';
import { vegaChart } from '../../../core/analysis/chart-vega.ts';
import { chartWords } from '../../../core/analysis/chart-words.ts';
import { cleanMessage } from '../../../core/analysis/clean-message.ts';
import { lastKeys, pairedEscapes } from '../../../core/analysis/last-keys.ts';

const columns = ['x', 'y', 's'].map((name) => ({ name, type: 'VARCHAR' }));
const drawn = (spec: object, rows: readonly (readonly unknown[])[]) => {
  const chart = parseChart({ type: 'bar', x: 'x', y: 'y', ...spec });
  const data = chartData(chart, columns, rows);
  return { data, words: chartWords(chart, data), vega: JSON.stringify(vegaChart(chart, data).spec) };
};

test('rows of one x become one mark by the aggregate', () => {
  const rows = [
    ['a', 1],
    ['a', 5],
    ['b', 3],
  ];
  const marks = (aggregate: string) => drawn({ aggregate }, rows).data.marks.map(({ y }) => y);
  expect(marks('sum')).toEqual([6, 3]);
  expect(marks('mean')).toEqual([3, 3]);
  expect(marks('min')).toEqual([1, 3]);
  expect(marks('max')).toEqual([5, 3]);
  expect(marks('count')).toEqual([2, 1]);
});

test.each([
  ['days', ['2026-03-01', '2026-01-01'], 'time'],
  ['instants of the engine', ['2026-03-01 10:00:00', '2026-01-01 09:00:00'], 'time'],
  ['instants with a zone', ['2026-03-01T10:00:00+02', '2026-01-01T09:00:00Z'], 'time'],
  ['numbers', [3, 1], 'number'],
  ['one name among dates', ['2026-03-01', 'unknown'], 'text'],
] as const)('an axis of %s', (_, values, kind) => {
  const { data } = drawn(
    { type: 'line' },
    values.map((value) => [value, 1]),
  );
  expect(data.xKind).toBe(kind);
  // Dates and numbers stand in their own order, names in that of the rows.
  if (kind === 'text') expect(data.marks[1]?.x).toBe('unknown');
  else expect(Number(data.marks[0]?.x)).toBeLessThan(Number(data.marks[1]?.x));
});

test('the words have the exact numbers, the unit and what is not drawn', () => {
  const { words } = drawn({ unit: 'ms', title: 'Latency' }, [
    ['a', 1.25],
    ['b', 12],
    ['c', null],
  ]);
  expect(words).toBe(
    'Latency. bar chart of y by x, 2 marks; highest b 12 ms; lowest a 1.25 ms; all: a 1.25 ms; b 12 ms; 1 rows without a number are not drawn.',
  );
});

test('long names are shortened in the middle and stay apart', () => {
  const long = (n: number) => `${'the same beginning of all of them '.repeat(3)}${n} and the same end`;
  const { vega } = drawn(
    {},
    [1, 2, 3].map((n) => [long(n), n]),
  );
  const names = [...vega.matchAll(/"x":"([^"]+)"/g)].map((found) => found[1]);
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect([...(name ?? '')].length).toBeLessThanOrEqual(38);
});

test('long names of series stay apart too', () => {
  const long = (n: number) => `${'the same beginning of all of them '.repeat(3)}${n} and the same end`;
  const rows = [1, 2, 3].flatMap((n) => [
    ['a', n, long(n)],
    ['b', n, long(n)],
  ]);
  const { vega } = drawn({ type: 'line', series: 's' }, rows);
  const series = [...vega.matchAll(/"series":"([^"]+)"/g)].map((found) => found[1]);
  expect(series).toHaveLength(6);
  expect(new Set(series).size).toBe(3);
});

describe('rows without a value for x', () => {
  test.each([
    ['times', 'line', ['2026-03-01', '2026-01-01']],
    ['times', 'bar', ['2026-03-01', '2026-01-01']],
    ['numbers', 'point', [3, 1]],
  ])('have no place on an axis of %s (%s), and are told', (_, type, places) => {
    const rows = [...places.map((x) => [x, 1]), [null, 100], [null, null]];
    const { data, words, vega } = drawn({ type }, rows);
    expect(data.marks).toHaveLength(2);
    expect(words).toContain('1 rows without a number are not drawn; 1 rows without x are not drawn.');
    expect(vega).not.toMatch(/100|"x":(null|"none")/);
  });

  test('are a bar of their own among names and numbers, behind these', () => {
    const xs = (values: readonly unknown[], spec = {}) =>
      drawn(
        spec,
        values.map((x) => [x, 1]),
      ).data.marks.map(({ x }) => x);
    expect(xs(['b', null, 'a'])).toEqual(['b', 'none', 'a']);
    expect(xs([10, null, 9, 2])).toEqual([2, 9, 10, 'none']);
    expect(xs(['b', null, 'a', null, 'b'], { sort: 'x' })).toEqual(['a', 'b', 'b', 'none', 'none']);
  });

  test('are never put together with those that have that name', () => {
    const rows = [
      ['none', 1, 'none'],
      [null, 10, null],
      ['none', 100, null],
      [null, 1_000, '(none)'],
    ];
    const sums = (spec: object) => drawn({ aggregate: 'sum', ...spec }, rows).data.marks;
    expect(sums({})).toEqual([
      { x: 'none', y: 101, series: null },
      { x: '(none)', y: 1_010, series: null },
    ]);
    expect(sums({ series: 's' }).map(({ series }) => series)).toEqual(['none', '((none))', '((none))', '(none)']);
  });

  test('are named where none of the others has a number', () => {
    const rows = [
      [null, 1],
      ['2026-01-01', null],
    ];
    expect(() => drawn({}, rows)).toThrow('chart.x: x holds nothing where y holds numbers');
  });
});

test('the unit stands on the axis, the theme is the ground', () => {
  expect(drawn({ unit: '€', theme: 'dark' }, [['a', 1]]).vega).toContain('"title":"y (€)"');
  expect(drawn({ theme: 'dark' }, [['a', 1]]).vega).toContain('"background":"#14181d"');
});

test.each([
  [5_001, 'number', 'AnalysisLimit'],
  [401, 'text', 'AnalysisLimit'],
])('%i marks along a %s axis are too many', (count, kind, code) => {
  const rows = Array.from({ length: count }, (_, n) => [kind === 'number' ? n : `name ${n}`, n]);
  expect(() => drawn({}, rows)).toThrow(expect.objectContaining({ code }));
  expect(drawn({}, rows.slice(1)).data.marks).toHaveLength(count - 1);
});

test('a column that is not there is named with those that are', () => {
  expect(() => drawn({ y: 'z' }, [['a', 1]])).toThrow('chart.y: there is no column z; the columns are x, y, s');
});

test('an engine’s words lose their paths and keep their place', () => {
  const said =
    'IO Error: cannot open "/tmp/scratch/input-0.ndjson" or /etc/passwd or https://b.example/k?X-Sig=1\nLINE 1: SELECT a/b';
  expect(cleanMessage(said, ['/tmp/scratch/input-0.ndjson'])).toBe(
    'IO Error: cannot open "input" or [path] or [address]\nLINE 1: SELECT a/b',
  );
});

test('the last value of a key, every digit of a number', () => {
  expect(lastKeys('{"a":1,"b":{"c":1,"c":12345678901234567890},"\\u0061":2.50,"d":["x,]}\\""]}')).toBe(
    '{"\\u0061":2.50,"b":{"c":12345678901234567890},"d":["x,]}\\""]}',
  );
  expect(pairedEscapes('"\\ud800 \\ud83d\\ude00 \\\\ud800 \\udc00"')).toBe(
    '"\\ufffd \\ud83d\\ude00 \\\\ud800 \\ufffd"',
  );
});
