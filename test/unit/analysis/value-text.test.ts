import fc from 'fast-check';
import { listItems, maxDepth, readValueText } from '../../../core/analysis/value-text.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('takes exactly the texts that JSON takes', () => {
  const piece = fc.constantFrom(
    ...['[', ']', '{', '}', ',', ':', ' ', '\n', '"', '"a"', '"a":', '"\\u00e4"', '"\\x"', '"\\u00g0"', '\\', '\u0001'],
    ...['0', '-', '01', '1.5e-3', '1.', '+1', 'true', 'null', 'NaN', 'ä', '"\ud800"', '{"a":1}', '[1,2]'],
  );
  const soup = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const broken = fc.tuple(fc.json(), fc.nat(), fc.nat(2), piece).map(([text, at, removed, put]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + put + text.slice(from + removed);
  });
  fc.assert(
    fc.property(fc.oneof(soup, broken, fc.json()), (text) => {
      expect(readValueText(text, 1_000).fault).toBe(isJson(text) ? null : 'syntax');
    }),
    { numRuns: 5_000 },
  );
});

test('of a list, how many items it has, and the first of them that fit, whole', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 2, max: 300 }), fc.boolean(), (list, room, spaced) => {
      const read = readValueText(JSON.stringify(list, null, spaced ? 2 : 0), room);
      if (read.fault !== null || read.items === null) throw new Error('a list was not taken for one');
      expect(read.items.count).toBe(list.length);
      const shown = JSON.parse(read.items.shown) as unknown[];
      expect(Buffer.byteLength(read.items.shown)).toBeLessThanOrEqual(room);
      expect(shown).toEqual(JSON.parse(JSON.stringify(list.slice(0, shown.length))));
      const next = JSON.stringify(list.slice(0, shown.length + 1));
      if (!spaced && shown.length < list.length) expect(Buffer.byteLength(next) + 1).toBeGreaterThan(room);
    }),
  );
  expect(readValueText('{"a":[1,2]}', 100)).toEqual({ fault: null, items: null });
  expect(readValueText('"[1,2]"', 100)).toEqual({ fault: null, items: null });
});

test('nested to the depth that whoever walks over it by calls survives, and no deeper', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(readValueText(nested(maxDepth), 10).fault).toBeNull();
  expect(readValueText(nested(maxDepth + 1), 10).fault).toBe('depth');
  expect(readValueText('{"a":'.repeat(1_000_000), 10).fault).toBe('depth');
});

test('millions of small items are counted without being built', () => {
  const text = `[${'{},'.repeat(4_000_000)}{}]`;
  const before = process.memoryUsage().heapUsed;
  expect(readValueText(text, 100).fault).toBeNull();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 1024 * 1024);
});

test('items of a list are as they were written', () => {
  fc.assert(
    fc.property(fc.array(fc.json()), fc.constantFrom('', ' ', '\n'), (items, space) => {
      expect(listItems(`${space}[${space}${items.join(`${space},${space}`)}${space}]${space}`)).toEqual(items);
    }),
  );
  expect(listItems('[12345678901234567890,1.0,-0,1e2,"\\u00e4",[9007199254740993]]')).toEqual([
    ...['12345678901234567890', '1.0', '-0', '1e2', '"\\u00e4"', '[9007199254740993]'],
  ]);
  for (const other of ['{"a":[1]}', '"[1]"', '1', 'null']) expect(listItems(other)).toBeNull();
});
