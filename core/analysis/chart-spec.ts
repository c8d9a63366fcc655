import * as z from 'zod';
import { ClaimcheckError } from '../errors.ts';

/** Marks of one chart; what has more is to be grouped first. */
export const maxMarks = 5_000;
/** Names along one axis; dates and numbers have only the limit on marks. */
export const maxNames = 400;
/** Series of one chart: more colours than this cannot be told apart. */
export const maxSeries = 20;

const column = z.string().min(1).max(200);
const words = z.string().min(1).max(200);

/**
 * Everything that can be said of a chart. The schema is closed and holds no expression, address or format: the host
 * alone writes what the renderer gets.
 */
const chartSchema = z.strictObject({
  type: z.enum(['bar', 'line', 'area', 'point']),
  x: column,
  /** Left out for a count of rows. */
  y: column.optional(),
  series: column.optional(),
  /** What becomes of several rows of one x (and series). Default: they are drawn as they are. */
  aggregate: z.enum(['sum', 'mean', 'min', 'max', 'count']).optional(),
  title: words.optional(),
  x_title: words.optional(),
  y_title: words.optional(),
  /** Of y: stands behind the axis title. */
  unit: z.string().min(1).max(20).optional(),
  /** Default: the order of the rows, dates and numbers by value. */
  sort: z.enum(['rows', 'x', 'y', 'y_descending']).optional(),
  theme: z.enum(['light', 'dark']).optional(),
  width: z.int().min(200).max(1_600).optional(),
  height: z.int().min(150).max(1_200).optional(),
});

export type ChartSpec = z.infer<typeof chartSchema>;

/** A checked chart. Throws `InvalidInput` naming the field. */
export function parseChart(value: unknown): ChartSpec {
  const parsed = chartSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = ['chart', ...(issue?.path ?? [])].map(String).join('.');
    throw new ClaimcheckError('InvalidInput', `${path}: ${issue?.message ?? 'not a chart'}`.slice(0, 300));
  }
  const chart = parsed.data;
  if (chart.y === undefined && chart.aggregate !== 'count') {
    throw new ClaimcheckError('InvalidInput', 'chart.y: required, except with aggregate "count"');
  }
  return chart;
}
