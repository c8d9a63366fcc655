import fc from 'fast-check';
import type { ContentBlock, ToolResult } from '../../../core/content/block.ts';
import { isJson } from '../../../core/content/json-check.ts';
import { normalisedTexts, normaliseResult } from '../../../core/content/normalise.ts';
import { quoted, unquoted } from '../../../core/content/quoted.ts';
import { equalValues, saysTheSame } from '../../../core/content/same-json.ts';
import { inOneGo } from '../../../core/content/steps.ts';
import type { JsonValue } from '../../../core/json.ts';
import { textBytes } from '../../../core/wrap/text-bytes.ts';

/** Long enough for every way that is only taken with long texts. */
const rows = Array.from({ length: 6_000 }, (_, id) => ({
  id,
  name: `row "${id}" \\ é 中 😀`,
  words: 'some words of it '.repeat(3),
  ok: id % 2 === 0,
}));
const long = (value: JsonValue) => ({ value, rows, blob: '"é\\😀\ud800 '.repeat(60_000) });
const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
/** As other serialisers write it. */
const ascii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const spellings = fc.constantFrom<(text: string) => string>(
  (text) => text,
  ascii,
  (text) => ` \n${text}\r\n\t`,
);
const spaces = fc.constantFrom(undefined, 1, 2, '\t');

it('a quoted text is what the serialiser makes of it, and unquoted it is the text, wherever both are cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.integer({ min: 0, max: 9 }), (unit, shift) => {
      const text = 'x'.repeat(shift) + unit.repeat(Math.ceil(140_000 / unit.length));
      const written = JSON.stringify(text);
      expect([...quoted(text)].join('') === written).toBe(true);
      for (const spelling of [written, ascii(written)]) {
        const pieces = [...unquoted(spelling, 1, spelling.length - 1)];
        expect(pieces.join('') === text).toBe(true);
        expect(pieces.length).toBeGreaterThan(1);
      }
    }),
    { numRuns: 60 },
  );
  expect(() => [...unquoted('"a" "b"', 1, 6)]).toThrow(SyntaxError);
  expect(() => [...unquoted('"a\\"', 1, 3)]).toThrow(SyntaxError);
});

it('a text is JSON in steps where it is JSON to the parser', () => {
  const valid = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const broken = fc.tuple(
    value,
    fc.nat(),
    fc.constantFrom('', ',', '}', ']', '"', 'x', '0', '\\', ' ', '\u0007', 'NaN'),
  );
  fc.assert(
    fc.property(broken, ([made, at, sign]) => {
      const text = JSON.stringify(long(made));
      const place = at % text.length;
      for (const one of [text, text.slice(0, place) + sign + text.slice(place + 1), text.slice(0, place) + sign]) {
        expect(inOneGo(isJson([one]))).toBe(valid(one));
      }
    }),
    { numRuns: 40 },
  );
  for (const odd of ['', ' ', 'NaN', '[NaN]', '[1] [2]', '\ufeff[1]', '01', '-', '"a', '[1', '{"a":1}}'])
    expect([odd, inOneGo(isJson([odd]))]).toEqual([odd, valid(odd)]);
});

it('a long text says the same however it is written, and nothing else does', () => {
  fc.assert(
    fc.property(value, spellings, spaces, fc.nat(), (made, spell, space, at) => {
      const whole = JSON.parse(JSON.stringify(long(made)));
      const text = spell(JSON.stringify(whole, null, space));
      expect(inOneGo(saysTheSame(text, whole))).toBe(true);
      const row = rows[at % rows.length] as (typeof rows)[number];
      const others = [
        { ...whole, rows: rows.map((each) => (each === row ? { ...each, ok: !each.ok } : each)) },
        { ...whole, rows: rows.slice(1) },
        { ...whole, rows: [...rows, row] },
        { ...whole, blob: `${whole.blob}x` },
        { ...whole, blob: whole.blob.slice(1) },
        { ...whole, more: null },
        { value: whole.value, rows: whole.rows },
        { ...whole, rows: Object.fromEntries(rows.entries()) },
        [whole],
      ];
      for (const other of others) {
        expect(inOneGo(saysTheSame(text, other))).toBe(false);
        expect(inOneGo(equalValues(other, whole))).toBe(false);
      }
      expect(inOneGo(equalValues(JSON.parse(JSON.stringify(whole)), whole))).toBe(true);
    }),
    { numRuns: 12 },
  );
  const twice = JSON.stringify(long(1)).replace('{"value":1,', '{"value":2,"value":1,');
  expect(inOneGo(saysTheSame(twice, long(1)))).toBe(false);
});

it.each<[string, ToolResult['content'], JsonValue | undefined, object, string]>([
  [
    'words and rows',
    [{ text: 'Found.' }, { text: JSON.stringify({ rows }) }],
    undefined,
    { encoding: 'text', acknowledgement: 'Found.' },
    JSON.stringify({ rows }),
  ],
  [
    'words and what only looks like rows',
    [{ text: 'Found.' }, { text: `{${JSON.stringify(rows)}}` }],
    undefined,
    { encoding: 'content' },
    JSON.stringify({ content: [{ text: 'Found.' }, { text: `{${JSON.stringify(rows)}}` }] }),
  ],
  [
    'several lists',
    [{ text: JSON.stringify(rows) }, { json: rows }],
    undefined,
    { encoding: 'array' },
    `[${JSON.stringify(rows)},${JSON.stringify(rows)}]`,
  ],
  [
    'data and a text that repeats it',
    [{ text: JSON.stringify({ rows }, null, 2) }],
    { rows },
    { encoding: 'text', acknowledgement: null },
    JSON.stringify({ rows }, null, 2),
  ],
  [
    'data, wrapped by the server',
    [{ text: JSON.stringify(rows) }],
    { result: rows },
    { encoding: 'text' },
    JSON.stringify(rows),
  ],
  [
    'data and other words',
    [{ text: `no ${'word '.repeat(90_000)}` }],
    { rows },
    { encoding: 'structured' },
    JSON.stringify({ structuredContent: { rows }, text: { 1: `no ${'word '.repeat(90_000)}` } }),
  ],
  [
    'JSON in a string',
    [{ text: ` ${ascii(JSON.stringify(JSON.stringify({ rows })))}\n` }],
    undefined,
    { encoding: 'unwrapped' },
    JSON.stringify({ rows }),
  ],
  [
    'a string that only looks like JSON',
    [{ text: JSON.stringify(`{${JSON.stringify(rows)}}`) }],
    undefined,
    { encoding: 'text' },
    JSON.stringify(`{${JSON.stringify(rows)}}`),
  ],
  [
    'what looks like a string',
    [{ text: `"{${JSON.stringify(JSON.stringify(rows))}` }],
    undefined,
    { encoding: 'text' },
    `"{${JSON.stringify(JSON.stringify(rows))}`,
  ],
])('%s, long: one body, whole or in pieces', (_, content, structuredContent, facts, body) => {
  const result = {
    status: 'success' as const,
    content: content as ContentBlock[],
    ...(structuredContent && { structuredContent }),
  };
  const one = normaliseResult(result);
  expect(one).toMatchObject(facts);
  expect(Buffer.from(one.body).toString() === body).toBe(true);
  const { texts, leastBytes } = inOneGo(normalisedTexts(result));
  const pieces: Buffer[] = [];
  for (const piece of textBytes(texts())) pieces.push(Buffer.from(piece));
  expect(Buffer.concat(pieces).equals(Buffer.from(one.body))).toBe(true);
  expect(leastBytes).toBeLessThanOrEqual(one.body.length);
});
