import { hostileChartRows, hostileCharts } from '../hostile/charts.ts';
import { hostileBodies } from '../hostile/data-files.ts';
import { type CorpusReport, corpusLimits, runCorpus } from '../hostile/run-corpus.ts';
import { hostileScripts } from '../hostile/scripts.ts';
import { hostileSql } from '../hostile/sql.ts';

// `npm run -s hostile` prints the same as a table.
jest.setTimeout(600_000);
let report: CorpusReport;
beforeAll(async () => {
  report = await runCorpus();
});

/** Statements that mean no harm and are answered: they show that the others are not refused for another reason. */
const harmless = [
  /^SHOW data/,
  /^SELECT regexp_replace/,
  /^SELECT \(\(\(/,
  /^SELECT 1\+1/,
  /^SELECT \* FROM data WHERE id=0 OR/,
  /^SELECT '\ufffd?.?'$/,
  /^SELECT 1 AS "columns"/,
];

test('the corpus is as large as it has to be', () => {
  expect(hostileSql.length).toBeGreaterThanOrEqual(100);
  expect(hostileScripts.length).toBeGreaterThanOrEqual(80);
  expect(hostileCharts.length + hostileChartRows.length).toBeGreaterThanOrEqual(20);
  expect(hostileBodies.length).toBeGreaterThanOrEqual(10);
});

test('nothing is read, written, sent or kept alive', () => {
  expect(report.rows.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
  expect(report.requests).toEqual([]);
  expect(report.newFiles).toEqual([]);
  expect(report.alive).toEqual([]);
});

test('the stored copy and everything else is what it was', () => {
  expect(report.storedCopyUnchanged).toBe(true);
  expect(report.secretUnchanged).toBe(true);
});

test('the process is well, and so are an honest query and script after everything', () => {
  expect(report.rows.filter(({ outcome }) => outcome === 'fault')).toEqual([]);
  expect(report.healthy).toBe(true);
});

test('the worst takes its hard limit and no longer', () => {
  const late = report.rows.filter(({ kind, milliseconds }) => {
    const limit = kind === 'script' ? corpusLimits.scriptMs : corpusLimits.sqlMs;
    // Building the table and a picture are not the program's own time.
    return milliseconds > limit + corpusLimits.graceMs + (kind === 'chart' ? 20_000 : 0);
  });
  expect(late).toEqual([]);
});

test('a statement is answered only where it means no harm', () => {
  const answered = report.rows.filter(({ kind, outcome }) => kind === 'sql' && outcome === 'answered');
  expect(answered.filter(({ name }) => !harmless.some((pattern) => pattern.test(name)))).toEqual([]);
});

test('pictures hold words and numbers only', () => {
  const drawn = report.rows.filter(({ kind, outcome }) => kind === 'chart' && outcome === 'answered');
  expect(drawn.length).toBeGreaterThanOrEqual(6);
});
