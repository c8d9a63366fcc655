import { DuckDBResult, type DuckDBStructValue, DuckDBStructVector } from '@duckdb/node-api';
import type { Result } from '@duckdb/node-bindings';
import type { Rows } from './plain-rows.ts';
import { jsonText, StructFields } from './sql-values.ts';

DuckDBStructVector.prototype.getItem = function (at: number): DuckDBStructValue | null {
  if (!this.isItemValid(at)) return null;
  return new StructFields(this.type.entryNames.map((name, field) => [name, this.getItemValue(at, field)]));
};

/** The rows of an answer of any types. Loaded only where they are needed. */
export function anyRows(raw: Result): Rows {
  const result = new DuckDBResult(raw);
  const types = result.columnTypes();
  return {
    columns: result.columnNames().map((name, at) => ({ name, type: String(types[at]) })),
    next: async () => {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return null;
      return {
        count: chunk.rowCount,
        visit: (take) => {
          for (let row = 0; row < chunk.rowCount; row += 1) {
            if (!take(chunk.getRowValues(row).map((value, at) => jsonText(value, types[at])))) return;
          }
        },
      };
    },
  };
}
