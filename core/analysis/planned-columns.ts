import type { KnownType } from './known-types.ts';

/** A column of a table before any of its records is loaded. */
export interface PlannedColumn {
  readonly name: string;
  readonly type: 'BIGINT' | 'HUGEINT' | 'DOUBLE' | 'BOOLEAN' | 'VARCHAR' | 'DATE' | 'TIMESTAMP' | 'UUID';
  /** How every date of the column is written: a record that writes another one fails the load. */
  readonly format?: string;
}

/** `signed`: the engine takes whole numbers below zero for one type, others for another, and `HUGEINT` holds both. */
const typeNames = { integer: 'BIGINT', signed: 'HUGEINT', number: 'DOUBLE', boolean: 'BOOLEAN' } as const;

/** What the engine itself would make of texts that are all written so. */
const textShapes: readonly (readonly [RegExp, Omit<PlannedColumn, 'name'>])[] = [
  [/^\d{4}-\d\d-\d\d$/, { type: 'DATE', format: '%Y-%m-%d' }],
  ...['T', ' '].flatMap((between) =>
    ['', 'Z'].flatMap((zone) =>
      [
        ['', ''],
        ['\\.\\d{1,6}', '.%f'],
      ].map(
        ([digits, fraction]) =>
          [
            new RegExp(`^\\d{4}-\\d\\d-\\d\\d${between}\\d\\d:\\d\\d:\\d\\d${digits}${zone}$`),
            { type: 'TIMESTAMP' as const, format: `%Y-%m-%d${between}%H:%M:%S${fraction}${zone}` },
          ] as const,
      ),
    ),
  ),
  [/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i, { type: 'UUID' }],
];

/**
 * The columns that the engine would find if it read all records first, in its order, from the types that are known of
 * all of them (`knownTypes`) and from the first of them. A text that is no date, time or UUID makes its column one of
 * texts; texts that are all written as one of those are taken for it, which the load then holds all others to. Null
 * where the first records leave a column open.
 */
export function plannedColumns(
  types: Readonly<Record<string, KnownType>>,
  first: readonly Readonly<Record<string, unknown>>[],
): readonly PlannedColumn[] | null {
  const names = [...new Set(first.flatMap((record) => Object.keys(record)))];
  if (names.length !== Object.keys(types).length) return null;
  const planned: PlannedColumn[] = [];
  const formats = new Map<string, string>();
  for (const name of names) {
    const known = Object.hasOwn(types, name) ? types[name] : undefined;
    if (known === undefined) return null;
    if (known !== 'string') planned.push({ name, type: typeNames[known] });
    else {
      const found = textColumn(first.map((record) => record[name]));
      if (found === null) return null;
      // A table is read with one way to write each of them.
      if (found.format !== undefined && (formats.get(found.type) ?? found.format) !== found.format) return null;
      if (found.format !== undefined) formats.set(found.type, found.format);
      planned.push({ name, ...found });
    }
  }
  return planned;
}

function textColumn(values: readonly unknown[]): Omit<PlannedColumn, 'name'> | null {
  const texts = values.filter((value): value is string => typeof value === 'string');
  if (texts.some(isPlainText)) return { type: 'VARCHAR' };
  const first = texts[0];
  if (first === undefined) return null;
  const [shape, column] = textShapes.find(([pattern]) => pattern.test(first)) ?? [];
  return shape !== undefined && column !== undefined && texts.every((text) => shape.test(text)) ? column : null;
}

/** Neither a date nor a time nor a UUID, however it is written. */
function isPlainText(text: string): boolean {
  if (text === '' || /^(inf|epoch)/i.test(text)) return false;
  // 32 hexadecimal digits are a UUID, with and without dashes and braces.
  if (text.length >= 32 && !/[g-z]/i.test(text)) return false;
  return /^[A-Za-z]/.test(text) || /^\d[\dA-Za-z._,]*$/.test(text);
}
