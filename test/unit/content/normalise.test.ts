import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ContentBlock, ToolResult } from '../../../core/content/block.ts';
import { normaliseResult } from '../../../core/content/normalise.ts';
import type { JsonValue } from '../../../core/json.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

const fixture = (name: string) => JSON.parse(readFileSync(join(__dirname, '../../fixtures/cases', name), 'utf8'));
const result = (content: unknown, structuredContent?: JsonValue): ToolResult => ({
  status: 'success',
  content: content as ContentBlock[],
  ...(structuredContent === undefined ? {} : { structuredContent }),
});
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

describe('one text or json block', () => {
  test('a text is its exact bytes, digits and spaces included', () => {
    const raw = '{ "n" : 12345678901234567890, "f": 1.50 }\n';
    const one = normaliseResult(result([{ text: raw }]));
    expect(text(one.body)).toBe(raw);
    expect(one).toMatchObject({ encoding: 'text', acknowledgement: null, kept: [] });
  });

  test('ill-formed and blank text is kept as it came in what is stored', () => {
    expect([...normaliseResult(result([{ text: 'a\ud83db😀' }])).body]).toEqual([
      0x61, 0xed, 0xa0, 0xbd, 0x62, 0xf0, 0x9f, 0x98, 0x80,
    ]);
    expect(text(normaliseResult(result([{ text: ' \n' }])).body)).toBe(' \n');
    expect(normaliseResult(result([])).encoding).toBe('none');
  });

  test('scalars and arrays keep apart (H011)', () => {
    const bodies = fixture('tool-outputs-json.json').rows.map((row: { output: JsonValue }) =>
      text(normaliseResult(result([{ json: row.output }])).body),
    );
    expect(bodies).toEqual(
      fixture('tool-outputs-json.json').rows.map((row: { output: JsonValue }) => JSON.stringify(row.output)),
    );
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  test('JSON in a JSON string is scanned as the JSON it holds; a string that holds none stays a string', () => {
    const inner = `{"rows":[{"id":12345678901234567890},{"id":2}]}`;
    for (const block of [{ text: JSON.stringify(inner) }, { text: ` ${JSON.stringify(inner)}` }, { json: inner }]) {
      const one = normaliseResult(result([block]));
      expect(text(one.body)).toBe(inner);
      expect(one.encoding).toBe('unwrapped');
      expect(scanBytes(one.body, { previewBytes: 1000 }).records).toBe(2);
    }
    for (const plain of ['plain', '7', '{not json}', '']) {
      expect(text(normaliseResult(result([{ json: plain }])).body)).toBe(JSON.stringify(plain));
    }
    expect(text(normaliseResult(result([{ text: '"{not json}"' }])).body)).toBe('"{not json}"');
  });

  test('a value nested deeper than recursion goes is still one body', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(normaliseResult(result([{ json: deep }])).body.length).toBe(100_001);
  });
});

describe('several blocks are one result', () => {
  test('H007: all blocks can be read back in order and unchanged, and the totals are of the whole', () => {
    const { content } = fixture('content-blocks.json').toolResult;
    const long = [{ text: content[0].text.repeat(400) }, content[1], content[2]];
    const one = normaliseResult(result(long));
    expect(one.encoding).toBe('content');
    expect(JSON.parse(text(one.body))).toEqual({ content: long });
    const scan = scanBytes(one.body, { previewBytes: 500 });
    expect(scan).toMatchObject({ kind: 'json', bytes: one.body.length });
  });

  test('any texts and values come back', () => {
    const block = fc.oneof(
      fc.string({ unit: 'binary' }).map((value) => ({ text: value })),
      fc.jsonValue().map((json) => ({ json })),
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 2, maxLength: 6 }), (blocks) => {
        const one = normaliseResult(result(blocks));
        const document = text(one.body);
        if (one.encoding === 'content') expect(document).toBe(JSON.stringify({ content: blocks }));
        else if (one.encoding === 'array') expect(JSON.parse(document)).toHaveLength(blocks.length);
        else expect(`${document}${one.acknowledgement}`.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  test('blocks that are each JSON are the records of one list, each with its own bytes', () => {
    const blocks = Array.from({ length: 25 }, (_, index) => ({
      text: `{"id": ${index}, "big": 12345678901234567${index}}`,
    }));
    const one = normaliseResult(result(blocks));
    expect(text(one.body)).toBe(`[${blocks.map((block) => block.text).join(',')}]`);
    expect(scanBytes(one.body, { previewBytes: 100 }).records).toBe(25);
  });

  test('a short word beside rows is an acknowledgement; the rows are the body', () => {
    const rows = JSON.stringify({ issues: Array.from({ length: 50 }, (_, key) => ({ key })) });
    const one = normaliseResult(result([{ text: 'Found 50 issues' }, { text: rows }]));
    expect(one).toMatchObject({ acknowledgement: 'Found 50 issues', encoding: 'text' });
    expect(scanBytes(one.body, { previewBytes: 100 })).toMatchObject({ records: 50, path: 'issues' });
  });
});

describe('MCP: structured content beside content (H024)', () => {
  const variants = fixture('mcp-dual.json').variants as Record<
    string,
    { content: unknown; structuredContent?: JsonValue }
  >;

  test.each(Object.keys(variants))('%s: 30 issues, once; the acknowledgement is not lost', (name) => {
    const variant = variants[name] as { content: unknown; structuredContent?: JsonValue };
    const one = normaliseResult(result(variant.content, variant.structuredContent));
    const scan = scanBytes(one.body, { previewBytes: 300 });
    expect(scan).toMatchObject({ kind: 'json', path: 'issues', records: 30 });
    expect(scan.preview.text).toContain('"K-0"');
    expect(scan.preview.text).not.toContain('see structured content');
    expect(text(one.body).split('"K-29"')).toHaveLength(2);
    expect(one.acknowledgement).toBe(name === 'ack_plus_structured' ? '30 issues, see structured content' : null);
  });

  test('the text that repeats it is stored, with every digit', () => {
    const raw = '{"id": 12345678901234567890}';
    expect(text(normaliseResult(result([{ type: 'text', text: raw }], JSON.parse(raw))).body)).toBe(raw);
  });

  test('what servers wrap in `result` is one result too', () => {
    expect(text(normaliseResult(result([{ text: 'plain words' }], { result: 'plain words' })).body)).toBe(
      'plain words',
    );
    const blocks = [{ text: '{"a":1}' }, { text: '{"a":2}' }];
    const list = normaliseResult(result(blocks, { result: [{ a: 1 }, { a: 2 }] }));
    expect(text(list.body)).toBe('{"result":[{"a":1},{"a":2}]}');
    expect(list.acknowledgement).toBeNull();
  });

  test('a long text that says something else is stored with the data, and the rows still count', () => {
    const report = 'word '.repeat(1000);
    const one = normaliseResult(
      result([{ text: report }, { text: 'end' }], { issues: [{ a: 1 }, { a: 2 }, { a: 3 }] }),
    );
    expect(JSON.parse(text(one.body))).toEqual({
      structuredContent: { issues: [{ a: 1 }, { a: 2 }, { a: 3 }] },
      text: { 1: report, 2: 'end' },
    });
    expect(scanBytes(one.body, { previewBytes: 10_000 }).records).toBe(3);
  });
});

describe('images and documents', () => {
  test('H009: each is left as it was; the text alone is the body', () => {
    const { content } = fixture('non-text-blocks.json').toolResult;
    const one = normaliseResult(result(content));
    expect(text(one.body)).toBe(content[0].text);
    expect(one.kept).toEqual(content.slice(1));
    expect(one).toMatchObject({ leftOut: ['2 documents', '1 image'], keptBefore: 0 });
  });

  test('H019: an image is never text: not in the body, and its bytes are bytes', () => {
    const { content } = fixture('image-result.json').toolResult;
    const one = normaliseResult(result(content));
    expect(text(one.body)).toBe('chart drawn');
    const [image] = one.kept as unknown as [{ image: { source: { bytes: Uint8Array } } }];
    expect([...image.image.source.bytes.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    const alone = normaliseResult(result([content[1]]));
    expect(alone).toMatchObject({ encoding: 'none', keptBefore: 1, leftOut: ['1 image'] });
  });

  test("MCP's attachments become blocks of the right kind, and none becomes base64 text", () => {
    const data = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1').toString('base64');
    const one = normaliseResult(
      result([
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'text', text: 'said' },
        { type: 'resource', resource: { uri: 'file:///a/q3.pdf', blob: data, mimeType: 'application/pdf' } },
        { type: 'audio', data, mimeType: 'audio/wav' },
      ]),
    );
    expect(one.kept.map((block) => Object.keys(block)[0])).toEqual(['image', 'document']);
    expect(one.keptBefore).toBe(1);
    expect(text(one.body)).toContain('audio left out: audio/wav, 12 bytes');
    expect(text(one.body)).not.toContain(data.slice(0, 8));
  });
});

test('whatever a tool sends as blocks, nothing throws', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.anything(), fc.jsonValue()), { maxLength: 5 }), (content) => {
      expect(normaliseResult(result(JSON.parse(JSON.stringify(content) ?? '[]'))).body).toBeInstanceOf(Uint8Array);
    }),
    { numRuns: 500 },
  );
});
