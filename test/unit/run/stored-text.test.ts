import fc from 'fast-check';
import { storedText, storedValue, textPieces } from '../../../core/run/stored-text.ts';

it('brings blocks back as they were, bytes and keys of the prototype included', () => {
  const blocks = [
    { text: 'a\ud800b\u0000' },
    { json: JSON.parse('{"__proto__": 1, "constructor": {"bytes": [1]}, "": null}') },
    { image: { format: 'png', source: { bytes: new Uint8Array([0, 255, 7]) } } },
    { reasoningContent: { reasoningText: { text: 't', signature: 's' }, redactedContent: new Uint8Array([1]) } },
  ];
  expect(storedValue(storedText(blocks))).toEqual(blocks);
  const bytes = (storedValue(storedText(Buffer.from([1, 2]))) as Uint8Array) ?? null;
  expect(bytes).toEqual(new Uint8Array([1, 2]));
});

it('pieces are at most as long as asked, split no character and join to the whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 4, max: 50 }), (text, maxBytes) => {
      const pieces = textPieces(text, maxBytes);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxBytes);
    }),
  );
});
