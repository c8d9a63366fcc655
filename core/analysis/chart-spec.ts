import * as z from 'zod/mini';
import { ClaimcheckError } from '../errors.ts';
import { readInput } from '../input/read-input.ts';

/** Marks of one chart; what has more is to be grouped first. */
export const maxMarks = 5_000;
/** Names along one axis; dates and numbers have only the limit on marks. */
export const maxNames = 400;
/** Series of one chart: more colours than this cannot be told apart. */
export const maxSeries = 20;

const column = z.string().check(z.minLength(1), z.maxLength(200));
const words = z.string().check(z.minLength(1), z.maxLength(200));

/**
 * Everything that can be said of a chart. The schema is closed and holds no expression, address or format: the host
 * alone writes what the renderer gets.
 */
const chartSchema = z.strictObject({
  type: z.enum(['bar', 'line', 'area', 'point']),
  x: column,
  /** Left out for a count of rows. */
  y: z.optional(column),
  series: z.optional(column),
  /** What becomes of several rows of one x (and series). Default: they are drawn as they are. */
  aggregate: z.optional(z.enum(['sum', 'mean', 'min', 'max', 'count'])),
  title: z.optional(words),
  x_title: z.optional(words),
  y_title: z.optional(words),
  /** Of y: stands behind the axis title. */
  unit: z.optional(z.string().check(z.minLength(1), z.maxLength(20))),
  /** Default: the order of the rows, dates and numbers by value. */
  sort: z.optional(z.enum(['rows', 'x', 'y', 'y_descending'])),
  theme: z.optional(z.enum(['light', 'dark'])),
  width: z.optional(z.int().check(z.minimum(200), z.maximum(1_600))),
  height: z.optional(z.int().check(z.minimum(150), z.maximum(1_200))),
});

export type ChartSpec = z.infer<typeof chartSchema>;

/** A checked chart. Throws `InvalidInput` naming the field. */
export function parseChart(value: unknown): ChartSpec {
  const parsed = readInput(chartSchema, value, 'chart', { within: 'chart.' });
  if (!parsed.success) throw parsed.error;
  const chart = parsed.data;
  if (chart.y === undefined && chart.aggregate !== 'count') {
    throw new ClaimcheckError('InvalidInput', 'chart.y: required, except with aggregate "count"');
  }
  return chart;
}
