import { jsonRow } from '../../../core/export/json-rows.ts';
import type { JsonText } from '../../../core/export/json-text.ts';

it('a nested text of many megabytes is one cell like any other', () => {
  const long = 'x'.repeat(20_000_000);
  const row = jsonRow(`{ "id": 1, "a": { "b": "${long}" , "c": [ 1 ] } }`) as { id: number; a: JsonText };
  expect(row.id).toBe(1);
  expect(JSON.stringify(row.a).length).toBeGreaterThan(long.length);
});

it('names of the prototype are columns like any other', () => {
  const row = jsonRow('{ "__proto__": {"polluted": 1}, "constructor": 2, "id": 3 }') as Record<string, unknown>;
  expect(Object.keys(row)).toEqual(['__proto__', 'constructor', 'id']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
