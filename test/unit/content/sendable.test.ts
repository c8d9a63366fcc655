import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { acceptBlock } from '../../../core/content/accept-block.ts';
import type { ContentBlock, Message } from '../../../core/content/block.ts';
import { DocumentNames } from '../../../core/content/document-names.ts';
import { nothingReturned, sendable } from '../../../core/content/sendable.ts';
import { sendableMessages } from '../../../core/content/sendable-messages.ts';
import type { JsonValue } from '../../../core/json.ts';

const fixture = (name: string) => JSON.parse(readFileSync(join(__dirname, '../../fixtures/cases', name), 'utf8'));
const allowedName = /^[A-Za-z0-9\-()[\]]+( [A-Za-z0-9\-()[\]]+)*$/;
const png = Buffer.from('\x89PNG\r\n\x1a\n00000000', 'latin1');

/** What the service would say to a tool result's blocks (the rules of the Converse API reference). */
function complaints(blocks: readonly ContentBlock[]): string[] {
  const names = new Set<string>();
  return blocks
    .flatMap((block): string[] => {
      if ('text' in block)
        return [/\S/u.test(block.text) ? '' : 'blank', /\p{Surrogate}/u.test(block.text) ? 'surrogate' : ''];
      if ('json' in block) {
        const object = typeof block.json === 'object' && block.json !== null && !Array.isArray(block.json);
        return [
          object ? '' : 'no object',
          /(^|[^\\])(\\\\)*\\ud[89a-f]/.test(JSON.stringify(block.json)) ? 'surrogate' : '',
        ];
      }
      if ('document' in block) {
        const { name } = block.document;
        const repeated = names.has(name);
        names.add(name);
        return [allowedName.test(name) && name.length <= 200 ? '' : `name ${name}`, repeated ? `twice ${name}` : ''];
      }
      return [];
    })
    .filter((complaint) => complaint !== '');
}

test('H011: arrays and scalars travel as text and mean what they meant; objects stay json', () => {
  const outputs = fixture('tool-outputs-json.json').rows.map((row: { output: JsonValue }) => row.output) as JsonValue[];
  const texts = [...outputs, '', ' ', '0', 'null'].map((json) => {
    const sent = sendable([{ json }]);
    expect(complaints(sent)).toEqual([]);
    const [block] = sent as [ContentBlock];
    const value = 'json' in block ? block.json : JSON.parse((block as { text: string }).text);
    expect(value).toEqual(json);
    return JSON.stringify(block);
  });
  expect(new Set(texts).size).toBe(texts.length);
});

test('blank texts go, lone surrogates are mended in texts, values and keys; what is fine is the same object', () => {
  expect(sendable([{ text: ' \n' }, { text: '' }])).toEqual([{ text: nothingReturned }]);
  expect(sendable([{ text: 'a\udc00' }, { text: ' ' }])).toEqual([{ text: 'a\ufffd' }]);
  expect(sendable([{ json: { 'k\ud800': ['\ud83d', '😀', '\\ud83d'] } }])).toEqual([
    { json: { 'k\ufffd': ['\ufffd', '😀', '\\ud83d'] } },
  ]);
  expect(sendable([{ json: ['\ud83d'] }])).toEqual([{ text: '["\ufffd"]' }]);
  const fine: ContentBlock[] = [{ text: 'x' }, { json: JSON.parse('{"__proto__":{"a":"\\\\ud83d"}}') }];
  expect(sendable(fine)).toEqual(fine);
  sendable(fine).forEach((block, index) => {
    expect(block).toBe(fine[index]);
  });
});

test('any blocks become ones the service accepts', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  );
  const block = fc.oneof(
    anyText.map((text) => ({ text })),
    fc.jsonValue().map((json) => ({ json })),
    fc.dictionary(anyText, anyText).map((json) => ({ json })),
    fc
      .record({ name: anyText, format: fc.constantFrom('txt', 'exe', 'PDF') })
      .map((document) => ({ document: { ...document, source: { text: 'x' } } })),
  ) as fc.Arbitrary<ContentBlock>;
  fc.assert(
    fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
      const sent = sendable(blocks);
      expect(sent.length).toBeGreaterThan(0);
      expect(complaints(sent)).toEqual([]);
      expect(sendable(sent)).toEqual(sent);
    }),
    { numRuns: 400 },
  );
});

test('H015: names are reduced, unique and never empty; people keep the original', () => {
  const originals = fixture('document-names.json').names as string[];
  const names = new DocumentNames();
  const sent = sendable(
    originals.map((name) => ({ document: { format: 'csv', name, source: { bytes: Buffer.from('a') } } })),
    names,
  );
  expect(complaints(sent)).toEqual([]);
  expect(sent).toHaveLength(originals.length);
  expect([...names.originals.values()]).toEqual(originals);
  const again = sendable(sent as ContentBlock[]);
  expect(again).toEqual(sent);
  const long = new DocumentNames();
  const allocated = Array.from({ length: 12 }, () => long.allocate('x'.repeat(300)));
  expect(new Set(allocated).size).toBe(12);
  expect(Math.max(...allocated.map((name) => name.length))).toBe(200);
});

test('H009: sources that are not bytes stay as they were; nothing is called empty that is not', () => {
  const { content } = fixture('non-text-blocks.json').toolResult;
  const sent = sendable(content.map(acceptBlock));
  expect(sent).toEqual(content);
  const notes = sendable([
    { document: { format: 'exe', name: 'tool.exe', source: { s3Location: { uri: 's3://bucket/k' } } } },
    { image: { format: 'tiff', source: { bytes: Buffer.alloc(1234, 1) } } },
    { image: { format: 'png', source: { bytes: new Uint8Array(0) } } },
  ]);
  const text = JSON.stringify(notes);
  expect(notes.every((block) => 'text' in block)).toBe(true);
  expect(text).not.toContain('0 bytes');
  expect(text).toContain('tiff, 1234 bytes');
});

test('what the service would refuse for its place or its size in pixels is said in words', () => {
  const huge = Buffer.alloc(64);
  huge.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  huge.writeUInt32BE(9000, 16);
  huge.writeUInt32BE(10, 20);
  const sent = sendable([
    { image: { format: 'png', source: { bytes: huge } } },
    { image: { format: 'png', source: { s3Location: { uri: 'https://example.org/a.png' } } } },
    { document: { format: 'pdf', name: 'a', source: { s3Location: { uri: 'file:///a.pdf' } } } },
    { video: { format: 'mp4', source: { text: 'x' } } },
  ]);
  expect(sent.map((block) => ('text' in block ? block.text.includes('left out') : false))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const fine: ContentBlock = { image: { format: 'png', source: { s3Location: { uri: 's3://example-bucket/a.png' } } } };
  expect(sendable([fine])[0]).toBe(fine);
});

const [someSession, someId] = ['5'.repeat(32), '6'.repeat(32)];

test.each([
  `s3://claimcheck-results/results/bob/${someSession}/${someId}/body`,
  `s3://claimcheck-results/results/bob%40example.org/${someSession}/${someId}/index`,
  `s3://claimcheck-results/exports/bob/${someId}`,
  `s3://alias-of-an-access-point-s3alias/results/bob/${someSession}/${someId}/body`,
])('a tool’s attachment never makes the service open a stored result: %s', (uri) => {
  const source = { s3Location: { uri } };
  const sent = sendable([
    { image: { format: 'png', source } },
    { document: { format: 'txt', name: 'notes', source } },
    { video: { format: 'mp4', source } },
  ]);
  expect(sent).toHaveLength(3);
  expect(sent.every((block) => 'text' in block && block.text.includes('left out'))).toBe(true);
  expect(JSON.stringify(sent)).not.toContain(someId);
});

test('a wrong image label is put right by the bytes', () => {
  expect(sendable([{ image: { format: 'jpg', source: { bytes: png } } }])).toEqual([
    { image: { format: 'png', source: { bytes: png } } },
  ]);
  const fine: ContentBlock = { image: { format: 'png', source: { bytes: png } } };
  expect(sendable([fine])[0]).toBe(fine);
});

test('a whole request: names unique across messages, reasoning untouched, no json outside tool results', () => {
  const document = { document: { format: 'txt', name: 'a.txt', source: { text: 'x' } } };
  const reasoning = { reasoningContent: { reasoningText: { text: '\ud800', signature: 's' } } };
  const messages: Message[] = [
    { role: 'user', content: [{ text: 'hello' }, document] },
    { role: 'assistant', content: [reasoning, { toolUse: { toolUseId: 't', name: 'n', input: { q: '\ud800' } } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [document, { json: [1] }] } }, { text: '' }] },
  ];
  const sent = sendableMessages(messages);
  expect(JSON.stringify(sent)).toContain('"a txt (2)"');
  expect(sent[1]?.content[0]).toBe(reasoning);
  expect(sent[1]?.content[1]).toEqual({ toolUse: { toolUseId: 't', name: 'n', input: { q: '\ufffd' } } });
  expect(sent[2]?.content).toHaveLength(1);
  expect(sendableMessages(sent)).toEqual(sent);
});
