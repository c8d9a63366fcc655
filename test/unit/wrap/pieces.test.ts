import fc from 'fast-check';
import { storedBytes } from '../../../core/content/well-formed.ts';
import { jsonPieces } from '../../../core/wrap/json-pieces.ts';
import { textBytes } from '../../../core/wrap/text-bytes.ts';

const joined = (pieces: Iterable<Uint8Array>) => {
  const parts: Buffer[] = [];
  // A piece is not needed once the next is asked for: copied, as a store does.
  for (const piece of pieces) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
};

it('pieces of any value are, joined, what JSON.stringify makes of it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value));
    }),
  );
});

it('a long list, a list in a list, a wide member among narrow ones, what has no JSON text, and dates', () => {
  const rows = Array.from({ length: 9_000 }, (_, id) => ({ id, name: `row ${id}`, gone: undefined }));
  const odd = [undefined, () => 1, new Date(0), 'x'.repeat(300_000), null, Number.NaN, ...rows];
  const value = { total: 3, gone: undefined, rows, groups: [{ rows }, rows], odd, last: { when: new Date(1) } };
  const pieces = [...jsonPieces(value)];
  expect(pieces.join('')).toBe(JSON.stringify(value));
  expect(pieces.length).toBeGreaterThan(20);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(400_000);
});

it('a circle is refused as the serialiser refuses it, not written for ever', () => {
  const rows: unknown[] = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `a row of some width ${id}` }));
  const circle = { rows, self: null as unknown };
  circle.self = circle;
  expect(() => [...jsonPieces(circle)]).toThrow(/circular/);
});

it('texts become their UTF-8, pairs whole and lone halves with their own bytes', () => {
  const pair = '😀'.repeat(50_000);
  expect(joined(textBytes(['a', pair, 'é'.repeat(70_000)])).equals(Buffer.from(`a${pair}${'é'.repeat(70_000)}`))).toBe(
    true,
  );
  expect([...joined(textBytes(['x\ud800y']))]).toEqual([0x78, 0xed, 0xa0, 0x80, 0x79]);
});

const part = 32 * 1024;
const piece = 64 * 1024;

/** Texts whose odd characters stand about the borders of what is encoded and handed on at a time. */
const bordering = fc
  .array(
    fc.record({
      filler: fc.constantFrom('a', 'a', 'é', '漢'),
      length: fc.oneof(
        fc.nat(40),
        fc.integer({ min: part - 3, max: part + 3 }),
        fc.integer({ min: piece - 3, max: piece }),
      ),
      odd: fc.constantFrom('', 'é', '漢', '😀', '\ud83d', '\ude00', '\ude00\ud83d', '\ud83d😀'),
    }),
    { maxLength: 5 },
  )
  .map((parts) => parts.map(({ filler, length, odd }) => filler.repeat(length) + odd).join(''));

it('any texts, cut wherever they are cut, are what is stored of each; pieces are 64 KiB but for the last', () => {
  fc.assert(
    fc.property(fc.array(bordering, { maxLength: 3 }), (texts) => {
      const lengths: number[] = [];
      const parts: Buffer[] = [];
      for (const bytes of textBytes(texts)) {
        lengths.push(bytes.length);
        parts.push(Buffer.from(bytes));
      }
      expect(Buffer.concat(parts).equals(Buffer.concat(texts.map((text) => storedBytes(text))))).toBe(true);
      const last = lengths.pop() ?? 1;
      expect(lengths.every((length) => length === piece)).toBe(true);
      expect(last > 0 && last <= piece).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('an odd character at every place about the borders', () => {
  for (const odd of ['é', '漢', '😀', '\ud83d', '\ude00']) {
    for (const around of [part, piece]) {
      for (let at = around - 5; at < around + 2; at += 1) {
        const text = 'a'.repeat(at) + odd + 'b'.repeat(20);
        expect(joined(textBytes([text])).equals(storedBytes(text))).toBe(true);
      }
    }
  }
});

it('texts that are walked in turns do not get into each other', () => {
  const texts = ['é'.repeat(150_000), '漢'.repeat(100_000), '\ud800 and so on '.repeat(20_000)];
  const walks = texts.map((text) => textBytes([text]));
  const made = texts.map((): Buffer[] => []);
  for (let open = true; open; ) {
    open = false;
    for (const [n, walk] of walks.entries()) {
      const { done, value } = walk.next();
      if (done === true) continue;
      open = true;
      made[n]?.push(Buffer.from(value));
    }
  }
  for (const [n, text] of texts.entries()) expect(Buffer.concat(made[n] ?? []).equals(storedBytes(text))).toBe(true);
});
