import * as z from 'zod/mini';
import type { ClaimcheckError } from '../../../core/errors.ts';
import { readInput, type Schema, type Telling } from '../../../core/input/read-input.ts';

const schema = z.strictObject({
  agent: z.string().check(z.regex(/^[a-z]+$/, 'lower-case letters')),
  code: z.optional(z.string().check(z.regex(/^[a-z]+$/))),
  key: z.string().check(z.minLength(1), z.maxLength(200)),
  turn: z._default(z.int().check(z.minimum(0), z.maximum(99)), 3),
  share: z.optional(z.number().check(z.minimum(0))),
  list: z.optional(z.array(z.string().check(z.maxLength(3))).check(z.maxLength(2))),
  kind: z.optional(z.enum(['bar', 'line'])),
  flag: z.optional(z.boolean()),
  address: z.optional(z.url()),
  from: z.optional(z.iso.datetime({ offset: true })),
  one: z.nullish(z.string().check(z.length(1))),
  names: z.optional(z.record(z.string(), z.string().check(z.minLength(1)))),
  inner: z.optional(z.strictObject({ x: z.int(), y: z.optional(z.int()) })),
  what: z.optional(z.union([z.literal('all'), z.int()])),
  trimmed: z.optional(
    z.pipe(
      z.string().check(z.maxLength(4)),
      z.transform((text) => text.trim()),
    ),
  ),
});
const good = { agent: 'a', key: 'k' };

function messageOf(value: unknown, telling?: Telling): string {
  const read = readInput(schema, value, 'body', telling);
  expect(read.success).toBe(false);
  return (read as { error: ClaimcheckError }).error.message;
}

test('a value of the right shape comes through with its defaults and transformations', () => {
  expect(readInput(schema, { ...good, trimmed: ' a' }, 'body')).toEqual({
    success: true,
    data: { ...good, turn: 3, trimmed: 'a' },
  });
});

test('a missing field: its name, what was expected, and that it is required', () => {
  expect(messageOf({})).toBe(
    'agent: lower-case letters expected; it is required; key: text of 1 to 200 characters expected; it is required',
  );
});

test.each([
  [{ agent: 'SECRET' }, 'agent: lower-case letters expected'],
  [{ code: 'SECRET' }, 'code: text like ^[a-z]+$ expected'],
  [{ key: '' }, 'key: text of 1 to 200 characters expected; found 0 characters'],
  [{ key: 'SECRET'.repeat(50) }, 'key: text of 1 to 200 characters expected; found 300 characters'],
  [{ key: 7 }, 'key: text of 1 to 200 characters expected; found a whole number'],
  [{ key: null }, 'key: text of 1 to 200 characters expected; found null'],
  [{ turn: -1 }, 'turn: a whole number from 0 to 99 expected'],
  [{ turn: 1.5 }, 'turn: a whole number from 0 to 99 expected; found a number with a fraction'],
  [{ turn: 'SECRET' }, 'turn: a whole number from 0 to 99 expected; found text'],
  [{ share: -1 }, 'share: a number at least 0 expected'],
  [{ list: 'SECRET' }, 'list: a list of at most 2 entries, each text of at most 3 characters expected; found text'],
  [
    { list: ['a', 'b', 'c'] },
    'list: a list of at most 2 entries, each text of at most 3 characters expected; found 3 entries',
  ],
  [{ list: ['a', 'SECRET'] }, 'list.1: text of at most 3 characters expected; found 6 characters'],
  [{ kind: 'SECRET' }, 'kind: one of bar, line expected'],
  [{ flag: 1 }, 'flag: true or false expected; found a whole number'],
  [{ address: 'SECRET' }, 'address: an address (URL) expected'],
  [{ from: 'SECRET' }, 'from: a date and time (ISO 8601, with its zone) expected'],
  [{ one: 'SECRET' }, 'one: text of exactly 1 character expected; found 6 characters'],
  [{ names: { a: '' } }, 'names.a: text of at least 1 character expected; found 0 characters'],
  [{ names: [] }, 'names: an object of names, each with text of at least 1 character expected; found a list'],
  [{ inner: {} }, 'inner.x: a whole number expected; it is required'],
  [{ inner: 'SECRET' }, 'inner: an object {x, y?} expected; found text'],
  [{ inner: { x: 1, z: 'SECRET' } }, 'inner: z not expected; known are x, y?'],
  [{ what: 'SECRET' }, 'what: "all" or a whole number expected'],
  [{ trimmed: 'SECRET' }, 'trimmed: text of at most 4 characters expected; found 6 characters'],
])('%j: %s', (wrong, expected) => {
  const message = messageOf({ ...good, ...wrong });
  expect(message).toBe(expected);
  expect(message).not.toContain('SECRET');
});

test.each([
  [null, 'found null'],
  ['SECRET', 'found text'],
  [[], 'found a list'],
  [undefined, 'it is required'],
])('no object at all (%j) is named by what was to be read', (value, found) => {
  const message = messageOf(value);
  expect(message).toMatch(/^body: an object \{agent, code\?, key, turn\?, .*trimmed\?\} expected; /);
  expect(message).toContain(found);
});

test('an unknown field is named, with the known ones', () => {
  expect(messageOf({ ...good, owner: 'SECRET' })).toMatch(/^body: owner not expected; known are agent, code\?, key, /);
});

test('fields stand behind the name they are within, the whole does not', () => {
  expect(messageOf({ ...good, key: 7 }, { within: 'chart.' })).toMatch(/^chart\.key: /);
  expect(messageOf(null, { within: 'chart.' })).toMatch(/^body: /);
});

test('what the platform adds is not offered to whoever left it out', () => {
  expect(messageOf({ ...good, owner: 1 }, { unlisted: ['agent', 'share'] })).toMatch(
    /; known are code\?, key, turn\?, list\?, /,
  );
});

test('five faults at most, 300 characters at most', () => {
  const words = z.strictObject(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`field${n}`, z.string()])));
  const read = readInput(words, {}, 'body') as { error: ClaimcheckError };
  expect(read.error.message.match(/field\d/g)).toHaveLength(5);
  const long = readInput(z.strictObject({}), { ['k'.repeat(5_000)]: 1 }, 'body') as { error: ClaimcheckError };
  expect(long.error.message.length).toBeLessThanOrEqual(300);
});

test.each<[string, Schema<unknown>, (key: string) => unknown]>([
  ['an unknown one', z.strictObject({}), (key: string) => ({ [key]: 1 })],
  [
    'one of a record',
    z.strictObject({ names: z.record(z.string(), z.int()) }),
    (key: string) => ({ names: { [key]: '' } }),
  ],
])('a name from outside, %s, is told as far as it reads like one', (_name, words, of) => {
  const told = (key: string) => {
    const read = readInput(words, of(key), 'body');
    if (read.success) throw new Error('it was taken');
    return read.error;
  };
  expect(told('known').message).toContain('known');
  expect(told('a\n\u0000\u202eb').message).toContain('a\ufffd\ufffd\ufffdb');
  const { message, facts } = told(`${'k'.repeat(70)} and then SECRET ${'x'.repeat(100_000)}`);
  expect(message).not.toContain('SECRET');
  expect(message).toContain('expected');
  expect(JSON.stringify(facts).length).toBeLessThan(1_000);
  for (const before of ['', 'x']) expect(told(before + '\u{1f600}'.repeat(200)).message).not.toMatch(/\p{Surrogate}/u);
});

test('names of JavaScript’s own are names like others', () => {
  const loose = z.looseObject({ a: z.int() });
  const read = readInput(loose, JSON.parse('{"a":1,"__proto__":{"owner":"o"}}'), 'body');
  expect(read.success && Object.getPrototypeOf(read.data)).toBe(Object.prototype);
  expect((read as { data: Record<string, unknown> }).data['owner']).toBeUndefined();
  expect(messageOf(JSON.parse('{"agent":"a","key":"k","__proto__":{"x":1}}'))).toMatch(/^body: __proto__ not expected/);
});
