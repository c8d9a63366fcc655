import fc from 'fast-check';
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
