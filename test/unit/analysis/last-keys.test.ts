import { lastKeys, pairedEscapes } from '../../../core/analysis/last-keys.ts';

test('the last value of a key that comes twice, every other character as it was', () => {
  expect(lastKeys('{"a":1, "b":[{"c":1.10,"c":1.20}], "\\u0061":12345678901234567890}')).toBe(
    '{"\\u0061":12345678901234567890,"b":[{"c":1.20}]}',
  );
  expect(lastKeys('{"a":"\\\\","b":"x\\"}\\\\\\"","a":2}')).toBe('{"a":2,"b":"x\\"}\\\\\\""}');
});

test('a string of 24 million characters is walked like a short one', () => {
  const long = 'x\\"é\\\\'.repeat(4_000_000);
  const json = `{"a":1,"text":"${long}","a":2}`;
  expect(lastKeys(json) === `{"a":2,"text":"${long}"}`).toBe(true);
  expect(pairedEscapes(json) === json).toBe(true);
});
