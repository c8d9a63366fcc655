import { ClaimcheckError } from '../errors.ts';
import { valueColumn } from './chart-query.ts';
import { type ChartSpec, maxMarks, maxNames, maxSeries } from './chart-spec.ts';

/** One mark; `x` is a number, a text, or milliseconds since the epoch where the axis is one of time. */
export interface Mark {
  readonly x: string | number;
  readonly y: number;
  readonly series: string | null;
}

export interface ChartData {
  readonly marks: readonly Mark[];
  readonly xKind: 'time' | 'number' | 'text';
  /** Rows without a number to draw. */
  readonly skipped: number;
  /** Rows with a number and without a place on an axis of times or numbers. */
  readonly unplaced: number;
}

export interface ChartColumn {
  readonly name: string;
  readonly type: string;
}

const isoDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * The marks of a chart out of an answer's rows, aggregated where the chart says so. Throws `AnalysisFailed` for columns
 * that are not there or hold no numbers, `AnalysisLimit` for more marks or series than can be told apart.
 */
export function chartData(
  chart: ChartSpec,
  columns: readonly ChartColumn[],
  rows: readonly (readonly unknown[])[],
): ChartData {
  const x = position(columns, chart.x, 'chart.x');
  const series = chart.series === undefined ? null : position(columns, chart.series, 'chart.series');
  const y = chart.y === undefined ? null : position(columns, chart.y, 'chart.y');
  const xKind = kindOf(rows, x);
  // Bars of numbers stand beside one another like names.
  const named = xKind === 'text' || (xKind === 'number' && chart.type === 'bar');
  const [noX, noSeries] = [emptyLabel(rows, x), series === null ? '' : emptyLabel(rows, series)];
  const marks: Mark[] = [];
  let skipped = 0;
  let unplaced = 0;
  for (const row of rows) {
    const value = y === null ? 1 : numberOf(row[y]);
    if (value === null || row[x] === undefined) {
      skipped += 1;
      continue;
    }
    if (row[x] === null && !named) {
      unplaced += 1;
      continue;
    }
    const mark = { x: xValue(row[x], xKind, noX), y: value };
    marks.push({ ...mark, series: series === null ? null : label(row[series], noSeries) });
  }
  if (rows.length > 0 && marks.length === 0) {
    const what =
      unplaced > 0
        ? `chart.x: ${chart.x} holds nothing where ${valueColumn(chart)} holds numbers`
        : `chart.y: ${valueColumn(chart)} holds no numbers`;
    throw new ClaimcheckError('AnalysisFailed', what);
  }
  const drawn = ordered(chart.aggregate === undefined ? marks : aggregated(marks, chart.aggregate), chart, xKind);
  if (drawn.length > maxMarks) {
    throw new ClaimcheckError('AnalysisLimit', `chart: ${drawn.length} marks, at most ${maxMarks}; group the rows`);
  }
  const places = new Set(drawn.map((mark) => mark.x)).size;
  if (xKind === 'text' && places > maxNames) {
    throw new ClaimcheckError('AnalysisLimit', `chart.x: ${places} names, at most ${maxNames}; take the largest`);
  }
  const names = new Set(drawn.map((mark) => mark.series));
  if (names.size > maxSeries) {
    throw new ClaimcheckError('AnalysisLimit', `chart.series: ${names.size} series, at most ${maxSeries}`);
  }
  return { marks: drawn, xKind, skipped, unplaced };
}

function position(columns: readonly ChartColumn[], name: string, field: string): number {
  const exact = columns.findIndex((column) => column.name === name);
  const found = exact >= 0 ? exact : columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase());
  if (found >= 0) return found;
  const known = columns
    .map((column) => column.name)
    .join(', ')
    .slice(0, 500);
  throw new ClaimcheckError('AnalysisFailed', `${field}: there is no column ${name}; the columns are ${known}`);
}

function kindOf(rows: readonly (readonly unknown[])[], at: number): ChartData['xKind'] {
  let [numbers, dates, filled] = [0, 0, 0];
  for (const row of rows) {
    const value = row[at];
    if (value === null || value === undefined) continue;
    filled += 1;
    if (typeof value === 'number') numbers += 1;
    else if (typeof value === 'string' && isoDate.test(value) && Number.isFinite(timeOf(value))) dates += 1;
  }
  if (filled === 0) return 'text';
  return dates === filled ? 'time' : numbers === filled ? 'number' : 'text';
}

/** UTC where no zone is said. */
function timeOf(text: string): number {
  if (!/[T ]/.test(text)) return Date.parse(text);
  const iso = text.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00');
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(iso) ? iso : `${iso}Z`);
}

function xValue(value: unknown, kind: ChartData['xKind'], empty: string): string | number {
  if (kind === 'time') return timeOf(String(value));
  if (kind === 'number' && typeof value === 'number') return value;
  return label(value, empty);
}

/** What stands for no value: a name that no value of the column has. */
function emptyLabel(rows: readonly (readonly unknown[])[], at: number): string {
  let name = 'none';
  while (rows.some((row) => row[at] === name)) name = `(${name})`;
  return name;
}

function label(value: unknown, empty: string): string {
  if (value === null || value === undefined) return empty;
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return null;
}

function aggregated(marks: readonly Mark[], how: NonNullable<ChartSpec['aggregate']>): Mark[] {
  const groups = new Map<string, { mark: Mark; sum: number; count: number; min: number; max: number }>();
  for (const mark of marks) {
    const key = JSON.stringify([mark.x, mark.series]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { mark, sum: mark.y, count: 1, min: mark.y, max: mark.y });
    else {
      group.sum += mark.y;
      group.count += 1;
      group.min = Math.min(group.min, mark.y);
      group.max = Math.max(group.max, mark.y);
    }
  }
  return [...groups.values()].map((group) => {
    const value = how === 'mean' ? group.sum / group.count : group[how];
    return { ...group.mark, y: value };
  });
}

function ordered(marks: readonly Mark[], chart: ChartSpec, kind: ChartData['xKind']): readonly Mark[] {
  const sort = chart.sort ?? (kind === 'text' ? 'rows' : 'x');
  if (sort === 'rows') return marks;
  const byX = (a: Mark, b: Mark) => {
    if (typeof a.x === 'number' && typeof b.x === 'number') return a.x - b.x;
    // No value stands behind all numbers.
    if (typeof a.x !== typeof b.x) return typeof a.x === 'number' ? -1 : 1;
    return a.x < b.x ? -1 : a.x > b.x ? 1 : 0;
  };
  const compare = sort === 'x' ? byX : sort === 'y' ? (a: Mark, b: Mark) => a.y - b.y : (a: Mark, b: Mark) => b.y - a.y;
  return [...marks].sort(compare);
}
