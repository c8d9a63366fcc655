import { JsonText } from './json-text.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Rows are objects; anything else (a list, a text, a date) is the one column `value`. */
export function rowOf(item: unknown): Row {
  const row =
    typeof item === 'object' &&
    item !== null &&
    !Array.isArray(item) &&
    !(item instanceof Date) &&
    !(item instanceof JsonText) &&
    !(item instanceof Uint8Array);
  return row ? (item as Row) : { value: item };
}

/** A cell as one of few kinds: what JSON cannot say becomes a text that loses nothing. */
export type Cell =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  /** Digits as they came. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'nested'; readonly value: object };

const empty: Cell = { kind: 'empty' };

/** What an object or another rare value is in a cell: dates as ISO instants, bytes as base64, `toJSON` respected. */
export function cellOf(value: unknown): Cell {
  switch (typeof value) {
    case 'string':
      return { kind: 'text', text: value };
    case 'number':
      if (Number.isFinite(value)) return { kind: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
      return { kind: 'text', text: String(value) };
    case 'boolean':
    case 'bigint':
      return { kind: 'number', text: String(value) };
    case 'object':
      return value === null ? empty : objectCell(value);
    default:
      return empty;
  }
}

function objectCell(value: object): Cell {
  if (value instanceof JsonText) return jsonCell(value);
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? empty : { kind: 'text', text: value.toISOString() };
  }
  if (value instanceof Uint8Array) return { kind: 'text', text: Buffer.from(value).toString('base64') };
  return 'toJSON' in value && typeof value.toJSON === 'function' ? cellOf(value.toJSON()) : { kind: 'nested', value };
}

/** A bracket makes it nested; else it is a number (or one of its odd relatives, such as NaN) with its own digits. */
function jsonCell(value: JsonText): Cell {
  const first = value.text.charCodeAt(0);
  return first === 0x7b || first === 0x5b ? { kind: 'nested', value } : { kind: 'number', text: value.text };
}
