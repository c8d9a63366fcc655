import fc from 'fast-check';
import { ownerKey } from '../../../core/reference/owner-key.ts';

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const identity = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }),
  fc.string({ unit: fc.constantFrom('a', 'A', '%', '2', 'F', '~', '.', '/', '#', ' ', 'é', 'é', 'ß', 'İ', '\u0000') }),
);
const key = (text: string, caseSensitive: boolean) => {
  try {
    return ownerKey(text, { caseSensitive });
  } catch {
    return null;
  }
};

it.each([false, true])(
  'two people never share a key, nor does one key begin another’s prefix (case matters: %s)',
  (exact) => {
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        const [left, right] = [key(one, exact), key(other, exact)];
        if (left === null || right === null) return;
        const same = exact ? one === other : folded(one) === folded(other);
        expect(left === right).toBe(same);
        expect(`${left}/`.startsWith(`${right}/`)).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  },
);

it('every key is a safe part of an object’s and of a table’s key, however long or odd the identity', () => {
  fc.assert(
    fc.property(identity, fc.boolean(), (text, exact) => {
      const made = key(text, exact);
      if (made === null) return;
      expect(made).toMatch(/^[a-z0-9_%A-F~.-]+$/);
      expect(Buffer.byteLength(`results/${made}/${'0'.repeat(32)}/${'0'.repeat(32)}/body`)).toBeLessThan(400);
      expect(made).not.toMatch(/^\.{1,2}$/);
    }),
    { numRuns: 2_000 },
  );
});

it.each(['', ' ', 'undefined', 'NULL', 'a\ud800', '\udc00b', undefined, null, 5, ['ada'], { toString: () => 'ada' }])(
  'nobody is called %j',
  (text) => {
    expect(() => ownerKey(text)).toThrow(expect.objectContaining({ code: 'Forbidden' }));
  },
);
