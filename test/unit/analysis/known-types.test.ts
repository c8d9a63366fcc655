import { knownTypes } from '../../../core/analysis/known-types.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

const typesOf = (body: string, profileBytes?: number) =>
  knownTypes(
    scanBytes(Buffer.from(body), {
      previewBytes: 0,
      profile: true,
      ...(profileBytes === undefined ? {} : { profileBytes }),
    }),
  );
const many = (last: object) => JSON.stringify([...Array.from({ length: 50 }, (_, a) => ({ a, b: 'x', c: 0.5 })), last]);

test('flat records of one type a column', () => {
  expect(typesOf(many({ a: null, b: 'y', c: 2, d: true }))).toEqual({
    a: 'integer',
    b: 'string',
    c: 'number',
    d: 'boolean',
  });
});

test.each([
  ['a second type in the last record', many({ a: 'seven' })],
  ['a nested value', many({ d: { e: 1 } })],
  ['a list', many({ d: [] })],
  ['a column of nulls alone', many({ d: null })],
  ['names that differ only in case', many({ A: 1 })],
  ['a name that is none in SQL', many({ 'a.b': 1 })],
  ['an integer beyond 2^53', many({}).replace('{}', '{"a":18446744073709551616}')],
  ['a table of text', 'a,b\n1,2\n3,4\n'],
  ['a text', 'one\ntwo\n'],
])('in doubt: %s', (_, body) => {
  expect(typesOf(body)).toBeNull();
});

test('in doubt: a profile without all columns', () => {
  const wide = JSON.stringify([Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`column_${n}`, n]))]);
  expect(typesOf(wide)).not.toBeNull();
  expect(typesOf(wide, 400)).toBeNull();
});
