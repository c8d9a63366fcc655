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
  [[0, 1], 'integer'],
  [[-2, -1], 'integer'],
  [[-1, 0], 'signed'],
  [[-1, null, 1], 'signed'],
  [[-1, 0.5, 1], 'number'],
])('whole numbers of one sign and of both: %j', (values, type) => {
  expect(typesOf(JSON.stringify(values.map((a) => ({ a }))))).toEqual({ a: type });
});

test.each([
  ['a second type in the last record', many({ a: 'seven' })],
  ['a nested value', many({ d: { e: 1 } })],
  ['a list', many({ d: [] })],
  ['a column of nulls alone', many({ d: null })],
  ['names that differ only in case', many({ A: 1 })],
  ['a name that is none in SQL', many({ 'a.b': 1 })],
  ['an integer below -2^53', JSON.stringify([{ a: 1 }, { a: -(2 ** 53) }])],
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
