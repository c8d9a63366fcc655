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

it('no key of a tool or a model is taken for the platform’s own bytes', () => {
  for (const json of [
    '{"\\u0000bytes": "QUJD"}',
    '{"\\u0000bytes": "QUJD", "rows": [1, 2]}',
    '{"\\u0000\\u0000bytes": {"\\u0000bytes": {"__proto__": {"\\u0000bytes": "x"}}}}',
  ]) {
    const block = { json: JSON.parse(json), image: { source: { bytes: new Uint8Array([1, 2]) } } };
    const back = storedValue(storedText(block));
    expect(back).toEqual(block);
    expect(JSON.stringify(back)).toBe(JSON.stringify(block));
  }
});

it('what can be stored can be read again, however deep it is nested', () => {
  let deepest = 100;
  for (let levels = 100; levels < 100_000; levels *= 2) {
    const value: unknown = JSON.parse(`${'{"a":'.repeat(levels)}"x"${'}'.repeat(levels)}`);
    try {
      storedText(value);
    } catch {
      break;
    }
    deepest = levels;
    expect(() => storedValue(storedText(value))).not.toThrow();
  }
  expect(deepest).toBeGreaterThan(1_000);
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
