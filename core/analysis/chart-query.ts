import type { ChartSpec } from './chart-spec.ts';

const functions = { sum: 'sum', mean: 'avg', min: 'min', max: 'max', count: 'count' } as const;

/** The query behind a chart that came without one: the aggregation runs in the engine, over every record. */
export function chartQuery(chart: ChartSpec, table: string): string {
  const keys = [chart.x, ...(chart.series === undefined ? [] : [chart.series])];
  const selected = keys.map(quoted).join(', ');
  if (chart.aggregate === undefined) {
    return `SELECT ${selected}, ${quoted(chart.y ?? '')} FROM ${quoted(table)}`;
  }
  const value = chart.y === undefined ? 'count(*)' : `${functions[chart.aggregate]}(${quoted(chart.y)})`;
  return `SELECT ${selected}, ${value} AS ${quoted(valueColumn(chart))} FROM ${quoted(table)} GROUP BY ALL ORDER BY ALL`;
}

/** The column that is drawn on the y axis. */
export function valueColumn(chart: Pick<ChartSpec, 'y'>): string {
  return chart.y ?? 'count';
}

/** `a.b` names a field inside an object where the whole is no column; a name with a dot of its own needs SQL. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
