import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api';

/**
 * A value of an answer as JSON text. Whole numbers and decimals are written digit by digit, whatever their size; dates
 * and times as text; a value that JSON has no number for (NaN, infinities) as a marked string.
 */
export function jsonText(value: DuckDBValue, type?: DuckDBType): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'bigint':
      return value.toString();
    case 'number':
      return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
    case 'string':
      return type?.typeId === DuckDBTypeId.VARCHAR && type.alias === 'JSON' ? embedded(value) : JSON.stringify(value);
    default:
      return objectText(value);
  }
}

function objectText(value: Exclude<DuckDBValue, null | boolean | number | bigint | string>): string {
  if (value instanceof DuckDBDecimalValue) return value.toString();
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return `[${value.items.map((item) => jsonText(item)).join(',')}]`;
  }
  if (value instanceof DuckDBStructValue) {
    const fields = Object.entries(value.entries).map(([name, item]) => `${JSON.stringify(name)}:${jsonText(item)}`);
    return `{${fields.join(',')}}`;
  }
  if (value instanceof DuckDBMapValue) {
    const pairs = value.entries.map(({ key, value: item }) => {
      const name = typeof key === 'string' ? key : String(key);
      return `${JSON.stringify(name)}:${jsonText(item)}`;
    });
    return `{${pairs.join(',')}}`;
  }
  if (value instanceof DuckDBUnionValue) return jsonText(value.value);
  return JSON.stringify(String(value));
}

/** A column of mixed types holds JSON text of its own. */
function embedded(text: string): string {
  try {
    JSON.parse(text);
    // In JSON they stand between values only; a row is one line.
    return text.replace(/[\r\n]/g, ' ');
  } catch {
    return JSON.stringify(text);
  }
}
