import { dataReferenceOf, isDataReferenceShape } from '../../../core/content/data-block.ts';

const reference = { data_reference: { ref: `${'a'.repeat(32)}/${'b'.repeat(32)}` } };

test('the shape is recognised as json and as text, however it is spelt', () => {
  expect(isDataReferenceShape({ json: reference })).toBe(true);
  expect(isDataReferenceShape({ text: ` ${JSON.stringify(reference)}\n` })).toBe(true);
  expect(isDataReferenceShape({ text: JSON.stringify(reference).replace('data_', 'data\\u005f') })).toBe(true);
});

test('other data is not it', () => {
  expect(isDataReferenceShape({ json: { note: 'data_reference' } })).toBe(false);
  expect(isDataReferenceShape({ json: [reference] })).toBe(false);
  expect(isDataReferenceShape({ text: '{"data_reference": {' })).toBe(false);
  expect(isDataReferenceShape({ json: { data_reference: 'x' } })).toBe(false);
  expect(dataReferenceOf({ text: JSON.stringify(reference) })).toBeUndefined();
  expect(dataReferenceOf({ json: reference })).toEqual(reference.data_reference);
});
