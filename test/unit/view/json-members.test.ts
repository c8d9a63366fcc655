import fc from 'fast-check';
import { elements, members } from '../../../core/view/json-members.ts';

test('elements keep their own digits and brackets inside texts', () => {
  const text = '{"a": 12345678901234567890}, [1,[2]], "]},\\"", null, -0.10e5 ] , "beyond"';
  expect([...elements(text)]).toEqual(['{"a": 12345678901234567890}', '[1,[2]]', '"]},\\""', 'null', '-0.10e5']);
});

test('what is cut is not delivered', () => {
  for (const cut of ['{"a":1}, {"b":', '{"a":1}, "x', '{"a":1}, 12', '{"a":1}, [1', '{"a":1}, {"a":"\\']) {
    expect([...elements(cut)]).toEqual(['{"a":1}']);
  }
});

test('members are the object’s own, in order', () => {
  expect([...members('{ "a" : 1.10 , "__proto__": {"x": 1}, "b\\u0020": "}" }')]).toEqual([
    ['a', '1.10'],
    ['__proto__', '{"x": 1}'],
    ['b ', '"}"'],
  ]);
  expect([...members('[1]')]).toEqual([]);
});

test('they say what JSON.parse says, for any document', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (list, indent) => {
      const text = JSON.stringify(list, null, indent).slice(1);
      expect([...elements(text)].map((element) => JSON.parse(element))).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const entries = [...members(JSON.stringify(object))].map(([key, value]) => [key, JSON.parse(value)]);
      expect(entries).toEqual(Object.entries(JSON.parse(JSON.stringify(object))));
    }),
  );
});
