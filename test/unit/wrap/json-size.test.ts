import fc from 'fast-check';
import { jsonSize } from '../../../core/wrap/json-size.ts';

const serialised = (value: unknown): number => Buffer.byteLength(JSON.stringify(value), 'utf8');

describe('size of a JSON text that is not made', () => {
  test('plain data: the serialiser says the same', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ maxLength: 300 }),
      fc.double(),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constantFrom<unknown>(
        null,
        undefined,
        -0,
        1e15,
        -1e15,
        999_999_999_999_999,
        1e21,
        5e-324,
        () => 1,
        Symbol('s'),
      ),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        scalar,
        fc.array(tie('tree'), { maxLength: 8 }),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('tree'), { maxKeys: 8 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 8, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.nat({ max: 3_000 }), (value, maxBytes) => {
        if (JSON.stringify(value) === undefined) return expect(jsonSize(value, maxBytes)).toBe(-1);
        const exact = serialised(value);
        const size = jsonSize(value, maxBytes);
        if (exact <= maxBytes) return expect(size).toBe(exact);
        expect(size).toBeGreaterThan(maxBytes);
      }),
      { numRuns: 3_000 },
    );
  });

  test('lone surrogates, escapes and lists with holes', () => {
    for (const value of [
      '\ud800',
      'a\ud83dx',
      '\u2028"\\\u0001',
      '😀'.repeat(80),
      new Array(3),
      { a: undefined },
      [undefined],
    ]) {
      expect(jsonSize(value, 10_000)).toBe(serialised(value));
    }
  });

  test('what only the serialiser knows is not guessed', () => {
    class Point {
      readonly x = 1;
    }
    const circle: unknown[] = [];
    circle.push(circle);
    const deep = JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown;
    const values = [new Date(0), new Map(), new Point(), Object(5), 10n, { a: 10n }, [new Date(0)], circle, deep];
    for (const value of [...values, { toJSON: () => 'x' }, undefined, () => 1])
      expect(jsonSize(value, 10_000)).toBe(-1);
  });

  test('the look ends just past the bound', () => {
    let read = 0;
    const rows = Array.from({ length: 1_000 }, () => ({
      get text() {
        read += 1;
        return 'x'.repeat(100);
      },
    }));
    expect(jsonSize(rows, 5_000)).toBeGreaterThan(5_000);
    expect(read).toBeLessThan(60);
  });
});
