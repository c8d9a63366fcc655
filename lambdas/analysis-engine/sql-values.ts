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
 * A struct with all its fields. The package keeps them in an object by their names, where those of a row without names
 * take each other's place, and `__proto__` none.
 */
export class StructFields extends DuckDBStructValue {
  readonly fields: readonly (readonly [name: string, value: DuckDBValue])[];

  constructor(fields: StructFields['fields']) {
    super({});
    this.fields = fields;
  }

  /** As an object; as a list where names are the same, which those of a row without names are. */
  override toString(): string {
    const values = this.fields.map(([, value]) => jsonText(value));
    if (new Set(this.fields.map(([name]) => name)).size < this.fields.length) return `[${values.join(',')}]`;
    return `{${this.fields.map(([name], at) => `${JSON.stringify(name)}:${values[at]}`).join(',')}}`;
  }
}

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
  if (value instanceof StructFields) return value.toString();
  if (value instanceof DuckDBMapValue) {
    const pairs = value.entries.map(({ key, value: item }) => {
      const name = typeof key === 'string' ? key : String(key);
      return `${JSON.stringify(name)}:${jsonText(item)}`;
    });
    return `{${pairs.join(',')}}`;
  }
  if (value instanceof DuckDBUnionValue) return jsonText(value.value);
  // The package writes some of them as a day.
  if ('isFinite' in value && !value.isFinite) {
    return Object.values(value).some((since: number | bigint) => since < 0) ? '"-infinity"' : '"infinity"';
  }
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
