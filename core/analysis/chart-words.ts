import type { ChartData, Mark } from './chart-data.ts';
import { valueColumn } from './chart-query.ts';
import type { ChartSpec } from './chart-spec.ts';

/** Marks that the description names one by one. */
const named = 6;

/** What the picture shows, in words and exact numbers: for whoever cannot see it, the model among them. */
export function chartWords(chart: ChartSpec, { marks, xKind, skipped, unplaced }: ChartData): string {
  const what = `${chart.type} chart of ${chart.aggregate ?? ''} ${valueColumn(chart)} by ${chart.x}`.replace(
    / {2,}/g,
    ' ',
  );
  const split = chart.series === undefined ? '' : ` for each ${chart.series}`;
  if (marks.length === 0) return `${what}${split}: no rows.`;
  const unit = chart.unit === undefined ? '' : ` ${chart.unit}`;
  const highest = marks.reduce((best, mark) => (mark.y > best.y ? mark : best));
  const lowest = marks.reduce((best, mark) => (mark.y < best.y ? mark : best));
  const text = (mark: Mark) => `${place(mark, xKind)} ${mark.y}${unit}`;
  const parts = [
    `${what}${split}, ${marks.length} ${marks.length === 1 ? 'mark' : 'marks'}`,
    `highest ${text(highest)}`,
    `lowest ${text(lowest)}`,
    ...(marks.length <= named ? [`all: ${marks.map(text).join('; ')}`] : []),
    ...(skipped > 0 ? [`${skipped} rows without a number are not drawn`] : []),
    ...(unplaced > 0 ? [`${unplaced} rows without ${chart.x} are not drawn`] : []),
  ];
  const title = chart.title === undefined ? '' : `${chart.title}. `;
  return `${title}${parts.join('; ')}.`.slice(0, 2_000);
}

function place({ x, series }: Mark, xKind: ChartData['xKind']): string {
  const at = xKind === 'time' ? new Date(Number(x)).toISOString() : String(x);
  return (series === null ? at : `${at} / ${series}`).slice(0, 120);
}
