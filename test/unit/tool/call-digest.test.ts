import { callDigest } from '../../../core/tool/call-digest.ts';

it('the same call has the same digest, whatever the order of its arguments', () => {
  expect(callDigest('rows', { a: 1, b: { c: [1, 2], d: null } })).toBe(
    callDigest('rows', { b: { d: null, c: [1, 2] }, a: 1 }),
  );
  expect(callDigest('rows', { a: 1, refresh: true })).toBe(callDigest('rows', { a: 1 }));
});

it.each([
  ['another tool', 'flights', { a: 1 }],
  ['another value', 'rows', { a: 2 }],
  ['a value of another type', 'rows', { a: '1' }],
  ['another order in a list', 'rows', { a: 1, list: [2, 1] }],
  ['one argument more', 'rows', { a: 1, b: null }],
  ['an inner refresh', 'rows', { a: 1, b: { refresh: true } }],
  ['a list in the shape of an object', 'rows', [['a', 1]]],
])('%s is another call', (_name, tool, input) => {
  expect(callDigest(tool, input)).not.toBe(callDigest('rows', { a: 1 }));
  expect(callDigest(tool, input)).not.toBe(callDigest('rows', { a: 1, list: [1, 2] }));
});

it('keys of the prototype count like any other', () => {
  expect(callDigest('rows', JSON.parse('{"__proto__": 1}'))).not.toBe(callDigest('rows', {}));
  expect(callDigest('rows', JSON.parse('{"__proto__": 1}'))).not.toBe(
    callDigest('rows', JSON.parse('{"__proto__": 2}')),
  );
});
