import { acceptBlock } from '../../../core/content/accept-block.ts';
import { sendable } from '../../../core/content/sendable.ts';
import { contentBytes } from '../../../core/store/content-size.ts';

const deep = JSON.parse(`${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}`) as unknown;

/** What a tool written carelessly, or on purpose, may answer as one block. */
const junk: readonly (readonly [string, unknown])[] = [
  ['a document whose name is a number', { document: { format: 'txt', name: 5, source: { text: 'hello' } } }],
  ['a document without a name', { document: { format: 'txt', source: { bytes: 'QUJD' } } }],
  ['a document of nothings', { document: { format: 'txt', name: 'a', source: { content: [null] } } }],
  ['a document of numbers', { document: { format: 'txt', name: 'a', source: { content: [{ text: 5 }] } } }],
  ['a format that is an object', { image: { format: { toString: 1 }, source: { bytes: 'QUJD' } } }],
  ['a place that is none', { video: { format: 'mp4', source: { s3Location: null } } }],
  ['bytes that are none', { image: { format: 'png', source: { bytes: { 0: 'x' } } } }],
  ['a text that is an object', { text: { toString: 1 } }],
  ['keys of the prototype', JSON.parse('{"__proto__": {"text": "x"}, "constructor": 1}')],
  ['a json block of 6,000 levels', { json: deep }],
  ['6,000 levels of no known kind', deep],
];

it.each(junk)('becomes blocks that can be measured, sent and stored: %s', (_name, raw) => {
  const block = acceptBlock(raw);
  expect(contentBytes([block])).toBeGreaterThanOrEqual(0);
  const sent = sendable([block]);
  expect(sent.length).toBeGreaterThan(0);
  expect(() => JSON.stringify(sent)).not.toThrow();
});
