import fc from 'fast-check';
import { scanBytes } from '../../../core/scan/result-scanner.ts';
import { decodeIndex, encodeIndex } from '../../../core/store/index-codec.ts';
import { indexOf } from '../../fakes/stored-result.ts';

const rows = (count: number) =>
  Buffer.from(
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, text: 'words '.repeat(id % 40), à: '大' }))),
  );

it.each([0, 1, 2_000])('%i rows: what is written comes back, with the records of every chunk', (count) => {
  const index = indexOf(rows(count), { fileName: 'Bücher.json', version: 2, supersedes: null });
  expect(decodeIndex(encodeIndex(index))).toEqual(index);
});

it('chunks in which no record starts, and a record wider than several', () => {
  const body = Buffer.from(JSON.stringify([{ a: 'x'.repeat(400_000) }, { a: 1 }, { b: 'y'.repeat(200_000) }, {}]));
  const index = indexOf(body);
  expect(index.chunks.firstOffset).toContain(-1);
  expect(decodeIndex(encodeIndex(index))?.chunks).toEqual(index.chunks);
});

it('property: any body', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 90_000 }), { maxLength: 6 }), fc.boolean(), (texts, json) => {
      const body = Buffer.from(json ? JSON.stringify(texts) : texts.join('\n'));
      const index = indexOf(body);
      expect(decodeIndex(encodeIndex(index))).toEqual(index);
      expect(index.chunks).toEqual(scanBytes(body, { previewBytes: 10 }).chunks);
    }),
    { numRuns: 40 },
  );
});

it('bytes that are no commit record, or not of a known format, are none', () => {
  const index = indexOf(rows(2_000));
  const bytes = Buffer.from(encodeIndex(index));
  const end = bytes.indexOf('\n');
  const changed = (change: object) => {
    const facts = { ...(JSON.parse(bytes.toString('utf8', 0, end)) as object), ...change };
    return decodeIndex(Buffer.concat([Buffer.from(JSON.stringify(facts)), bytes.subarray(end)]));
  };
  expect(changed({})).toEqual(index);
  expect(changed({ format: 2 })).toBeUndefined();
  expect(changed({ format: '1' })).toBeUndefined();
  expect(changed({ records: index.records + 1 })).toBeUndefined();
  expect(changed({ bytes: index.bytes + 1_000_000 })).toBeUndefined();
  for (const other of ['', '\n', 'null\n', '[]\n', '{}\n']) expect(decodeIndex(Buffer.from(other))).toBeUndefined();
  for (const cut of [end, end + 1, bytes.length - 1]) expect(decodeIndex(bytes.subarray(0, cut))).toBeUndefined();
});
