import fc from 'fast-check';
import { profileOf } from './profile-of.ts';

type Fields = { readonly [key: string]: unknown };

const { record } = fc.letrec<{ value: unknown; record: Fields }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.constantFrom(null, '', '2024-01-01', '2024-05-05T10:00:00Z'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('record'),
  ),
  record: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'é', 'x y', 'constructor'), tie('value'), {
    maxKeys: 5,
    noNullPrototype: true,
  }),
}));

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every value by its dotted path, the plain way. */
function valuesByPath(records: readonly Fields[]): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  const visit = (fields: Fields, prefix: string): void => {
    for (const [key, value] of Object.entries(fields)) {
      const path = prefix + key;
      found.set(path, [...(found.get(path) ?? []), value]);
      if (isFields(value)) visit(value, `${path}.`);
    }
  };
  for (const each of records) visit(each, '');
  return found;
}

/** One text for equal values: key order and the sign of zero do not count. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `list ${JSON.stringify(value)}`;
  if (!isFields(value)) return `${typeof value} ${JSON.stringify(value === 0 ? 0 : value)}`;
  return `fields ${JSON.stringify(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key])]),
  )}`;
}

test('for any nested records: every path, count, distinct and top value is that of a plain walk over the parsed values', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 25 }), fc.constantFrom(0, 1, '\t'), (records, indent) => {
      const texts = records.map((each) => JSON.stringify(each, null, indent));
      const profile = profileOf(texts);
      const expected = valuesByPath(texts.map((text) => JSON.parse(text) as Fields));
      expect(profile.skipped_records).toBe(0);
      expect(profile.columns.map((column) => column.path).sort()).toEqual([...expected.keys()].sort());
      for (const column of profile.columns) {
        const all = expected.get(column.path) ?? [];
        const values = all.filter((value) => value !== null).map(canonical);
        expect([column.missing, column.nulls]).toEqual([records.length - all.length, all.length - values.length]);
        expect(column.types.string ?? 0).toBe(values.filter((value) => value.startsWith('string')).length);
        expect(column.distinct).toBe(new Set(values).size);
        for (const { value, count } of column.top ?? []) {
          // Digits that a double would print otherwise are listed as text.
          const same = [canonical(value), canonical(Number(value))];
          expect(same.map((each) => values.filter((other) => other === each).length)).toContain(count);
        }
      }
    }),
    { numRuns: 150 },
  );
});
