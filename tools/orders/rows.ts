import type { Client, CustomTypesConfig } from 'pg';
import { types } from 'pg';
import Cursor from 'pg-cursor';
import type { RowSource } from '../../core/export/export-rows.ts';
import { countStatement, type OrdersInput, orderColumns, rowsStatement, totalColumn } from './query.ts';

/** Rows that are in memory at once. */
export const batchRows = 1_000;

/** `int8` as a number where a double holds it exactly; `numeric` stays the database's own text, digit for digit. */
const columnTypes: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 && format !== 'binary'
      ? wholeNumber
      : (types.getTypeParser as (oid: number, format?: string) => unknown)(oid, format),
} as CustomTypesConfig;

function wholeNumber(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/**
 * The orders asked for, as a source for an export. Rows come by a server-side cursor in batches of `batchRows`; the next
 * is fetched when the one before was written, so the database waits for the upload. All of it happens in one read-only
 * snapshot: the total asked for afterwards, where no row came, is that of the same moment.
 */
export function orderRows(client: Client, input: OrdersInput): RowSource {
  return {
    columns: orderColumns,
    rows: batches(client, input),
    batched: true,
    totalColumn,
    total: async () => {
      const { text, values } = countStatement(input);
      const answer = await client.query({ text, values: [...values], types: columnTypes });
      return Number((answer.rows[0] as Readonly<Record<string, unknown>>)[totalColumn]);
    },
  };
}

async function* batches(client: Client, input: OrdersInput): AsyncGenerator<readonly unknown[]> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { text, values } = rowsStatement(input);
  const cursor = client.query(new Cursor(text, [...values], { types: columnTypes }));
  try {
    for (;;) {
      const rows = await cursor.read(batchRows);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    // Also when the export gave up in the middle: the server drops the rest.
    await cursor.close();
  }
}
