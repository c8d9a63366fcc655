import * as z from 'zod/mini';
import { defaultLimit, maxLimit, statuses } from './choices.ts';

/** Columns of a row, in the order of the file. */
export const orderColumns = [
  'id',
  'order_number',
  'customer',
  'country',
  'status',
  'amount',
  'items',
  'paid',
  'note',
  'ordered_at',
] as const;

/** The column that carries the true total in every row; it leaves with the first row that is read. */
export const totalColumn = 'total_matching';

/** What a model may ask for. */
export const ordersInput = z.strictObject({
  status: z.optional(z.enum(statuses)),
  country: z.optional(z.string().check(z.regex(/^[A-Z]{2}$/, 'two capital letters, a country code'))),
  customer: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
  from: z.optional(z.iso.datetime({ offset: true })),
  before: z.optional(z.iso.datetime({ offset: true })),
  limit: z._default(z.int().check(z.minimum(0), z.maximum(maxLimit)), defaultLimit),
  offset: z._default(z.int().check(z.minimum(0)), 0),
});
export type OrdersInput = z.output<typeof ordersInput>;

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The rows asked for, each with the number of all that match: `COUNT(*) OVER ()` is computed before `LIMIT` and
 * `OFFSET`. Input travels as parameters, never as SQL.
 */
export function rowsStatement(input: OrdersInput): Statement {
  const { where, values } = filter(input);
  const page = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  return {
    text: `SELECT ${orderColumns.join(', ')}, COUNT(*) OVER () AS ${totalColumn} FROM orders${where} ORDER BY id ${page}`,
    values: [...values, input.limit, input.offset],
  };
}

/** The same number where no row can carry it: a limit of 0, an offset past the end, no match. */
export function countStatement(input: OrdersInput): Statement {
  const { where, values } = filter(input);
  return { text: `SELECT COUNT(*) AS ${totalColumn} FROM orders${where}`, values };
}

function filter(input: OrdersInput): { readonly where: string; readonly values: readonly unknown[] } {
  const conditions: readonly (readonly [condition: string, value: unknown])[] = [
    ['status =', input.status],
    ['country =', input.country],
    ['customer =', input.customer],
    ['ordered_at >=', input.from],
    ['ordered_at <', input.before],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const where = given.map(([condition], at) => `${condition} $${at + 1}`).join(' AND ');
  return { where: where === '' ? '' : ` WHERE ${where}`, values: given.map(([, value]) => value) };
}
