import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { chunkStart } from '../../../core/scan/chunk-schedule.ts';
import { walkRecords } from '../../../core/scan/record-walker.ts';
import { scanBytes, scanStream } from '../../../core/scan/result-scanner.ts';
import { checkIndex, checkJsonPreview, expectedList, pieces, scanPieces } from './oracle.ts';

const fixture = (name: string) => readFileSync(join(__dirname, '../../fixtures/cases', name));
const scan = (text: string | Uint8Array, previewBytes = 24_576) =>
  scanBytes(typeof text === 'string' ? Buffer.from(text) : text, { previewBytes });

async function walked(body: Uint8Array): Promise<string[]> {
  const records: string[] = [];
  for await (const record of walkRecords([body], scan(body))) {
    records.push(record instanceof Uint8Array ? Buffer.from(record).toString() : `wide ${record.wideBytes}`);
  }
  return records;
}

describe('any JSON, any cut, any budget', () => {
  const json = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.record({ id: fc.nat(), note: fc.string({ unit: 'binary', maxLength: 30 }) }), { maxLength: 30 }),
    fc.dictionary(fc.string(), fc.array(fc.jsonValue(), { maxLength: 5 })),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });

  test('shows the first records, totals exactly, finds every record', async () => {
    await fc.assert(
      fc.asyncProperty(
        json,
        sizes,
        fc.nat({ max: 400 }),
        fc.integer({ min: 1, max: 200 }),
        async (value, cut, budget, detectBytes) => {
          const text = JSON.stringify(value);
          const bytes = Buffer.from(text);
          const parsed: unknown = JSON.parse(text);
          const summary = scanPieces(bytes, cut, { previewBytes: budget, detectBytes });
          expect(summary).toEqual(scanBytes(bytes, { previewBytes: budget }));
          const expected = expectedList(parsed);
          expect([summary.kind, summary.path, summary.records]).toEqual(['json', expected.path, expected.rows.length]);
          expect(summary.parseLoss).toBeNull();
          checkJsonPreview(summary, parsed, budget);
          await checkIndex(bytes, summary, expected.rows);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a growing budget never shows fewer', () => {
    fc.assert(
      fc.property(json, fc.nat({ max: 300 }), fc.nat({ max: 300 }), (value, one, other) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const shown = (budget: number) => scanBytes(bytes, { previewBytes: budget }).preview.shown;
        expect(shown(Math.max(one, other))).toBeGreaterThanOrEqual(shown(Math.min(one, other)));
      }),
    );
  });

  test('broken bytes are never an exception, and what is shown of JSON parses', () => {
    const broken = fc.tuple(json, fc.nat({ max: 255 }), fc.double({ min: 0, max: 1, noNaN: true }), sizes);
    fc.assert(
      fc.property(broken, ([value, byte, where, cut]) => {
        const bytes = Buffer.from(JSON.stringify(value));
        bytes[Math.floor(where * (bytes.length - 1))] = byte;
        const summary = scanPieces(bytes, cut, { previewBytes: 50 });
        expect(summary).toEqual(scanBytes(bytes, { previewBytes: 50 }));
        expect(Buffer.byteLength(summary.preview.text)).toBeLessThanOrEqual(50);
        if (summary.kind === 'json') JSON.parse(summary.preview.text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the list of rows', () => {
  const pathOf = (value: unknown) => {
    const { path, records, otherLists } = scan(JSON.stringify(value));
    return { path, records, otherLists };
  };

  test('is the shallowest with two elements, not the largest deeper down', () => {
    const deep = Array.from({ length: 50 }, (_, id) => ({ id }));
    expect(pathOf({ a: { deep }, b: [1, 2], c: [1] })).toEqual({
      path: 'b',
      records: 2,
      otherLists: [
        { path: 'a.deep', count: 50 },
        { path: 'c', count: 1 },
      ],
    });
  });

  test('is the largest by bytes of its depth, whatever the order and the key', () => {
    const rows = Array.from({ length: 9 }, (_, id) => ({ id, name: `n${id}` }));
    const ids = Array.from({ length: 20 }, (_, id) => id);
    for (const value of [
      { ids, 'a.b': rows },
      { 'a.b': rows, ids },
    ]) {
      expect(pathOf(value)).toEqual({ path: '["a.b"]', records: 9, otherLists: [{ path: 'ids', count: 20 }] });
    }
  });

  test('leads through lists of one element, and does not count what is inside a record as another list', () => {
    const value = { results: [{ items: [{ tags: ['a', 'b'] }, { tags: ['c', 'd', 'e'] }] }] };
    expect(pathOf(value)).toEqual({
      path: 'results[0].items',
      records: 2,
      otherLists: [{ path: 'results', count: 1 }],
    });
  });

  test('a repeated key holds its last value', () => {
    expect(scan('{"rows":[{"a":111111},{"a":222222}],"rows":[3,4,5]}').records).toBe(3);
  });

  test('a list of lists, an empty list, a scalar, an object without a list', () => {
    expect(pathOf([[1, 2], [3], []])).toMatchObject({ path: '', records: 3 });
    expect(pathOf([])).toMatchObject({ path: '', records: 0 });
    expect(pathOf('text')).toMatchObject({ path: null, records: 1 });
    expect(pathOf({ a: 1, list: [1] })).toMatchObject({ path: null, records: 1 });
  });
});

describe('kinds', () => {
  test.each([
    ['bom.json', 'json', 3],
    ['bom.ndjson', 'ndjson', 6],
    ['blank-lines-crlf.ndjson', 'ndjson', 4],
    ['cut-last-line.ndjson', 'ndjson', 2],
    ['proto-keys.json', 'json', 4],
  ])('%s is %s with %i records', (name, kind, records) => {
    const body = fixture(name);
    const summary = scan(body);
    expect([summary.kind, summary.records]).toEqual([kind, records]);
    expect(summary.bytes).toBe(body.length);
    expect(summary.sha256).toBe(createHash('sha256').update(body).digest('hex'));
    expect(summary.fields[0]).toBe('id');
  });

  test('a byte-order mark is in no record and in every offset', () => {
    const summary = scan(fixture('bom.ndjson'));
    expect(summary.chunks.firstOffset).toEqual([3]);
    expect(summary.preview.text.startsWith('{"id":1}')).toBe(true);
  });

  test('a cut last line is left out, and said to be cut', () => {
    const { parseLoss, preview, coverage } = scan(fixture('cut-last-line.ndjson'));
    expect(parseLoss).toEqual({ records: 1, note: 'the last line is cut', offset: 38 });
    expect(preview.text).toBe('{"id":1,"t":"one"}\n{"id":2,"t":"two"}');
    expect(coverage).toMatchObject({ total: 2, filtered_count: 1, reasons: ['parse_loss'], input_complete: false });
  });

  test('a malformed line in the middle costs itself only; the decisive record at the tail is there', async () => {
    const body = Buffer.from('{"id":1}\n{"id":2\n{"id":3} and more\n\n{"id":4,"decisive":true}\n');
    const summary = scan(body);
    expect(summary).toMatchObject({ kind: 'ndjson', records: 2, parseLoss: { records: 2, offset: 9 } });
    expect(await walked(body)).toEqual(['{"id":1}', '{"id":4,"decisive":true}']);
    expect(summary.preview.text).toBe('{"id":1}\n{"id":4,"decisive":true}');
  });

  test('the inner line end of a string is kept', async () => {
    expect((await walked(fixture('blank-lines-crlf.ndjson')))[2]).toBe('{"id":3,"t":"a\\r\\nb"}');
  });

  test('delimited rows: quoted delimiters, quotes and line ends, CRLF, a BOM before the header', async () => {
    const body = Buffer.from('\ufeffid,name\r\n1,"a,b"\r\n2,"say ""hi""\nthere"\r\n3,last\r\n');
    const summary = scan(body);
    expect(summary).toMatchObject({
      kind: 'csv',
      records: 3,
      unit: 'records',
      table: { header: ['id', 'name'], delimiter: ',', dataOffset: 12 },
      fields: ['id', 'name'],
    });
    expect(await walked(body)).toEqual(['1,"a,b"', '2,"say ""hi""\nthere"', '3,last']);
    expect(scan(body, 24).preview).toMatchObject({ text: 'id,name\r\n1,"a,b"', shown: 1 });
    expect(scan(body, 10).preview).toMatchObject({ text: 'id,name', shown: 0, firstRecordBytes: 7 });
  });

  test('tabs, semicolons; a row cut inside quotes is a loss', () => {
    expect(scan('a\tb\n1\t2\n3\t4\n')).toMatchObject({ kind: 'tsv', records: 2 });
    expect(scan('a;b\n1;2\n')).toMatchObject({ kind: 'csv', table: { delimiter: ';' } });
    expect(scan('a,b\n1,2\n3,"cut')).toMatchObject({ kind: 'csv', records: 1, parseLoss: { records: 1, offset: 8 } });
  });

  test.each([
    'Hello, world.\nThis, as it happens, is prose.\n',
    '2026-01-01 10:00:00,123 INFO started\n2026-01-01 10:00:01,456 INFO stopped\n',
    '[INFO] started\n[INFO] stopped\n',
    '[12:30:01] started\n',
    '{"a":1} is not a record\nand neither is this\n',
    "[{'id': 1}, {'id': 2}]",
    '7 apples\n',
    '',
    ' \n ',
  ])('text stays text: %j', (text) => {
    const summary = scan(text);
    const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
    expect(summary).toMatchObject({ kind: 'text', unit: 'lines', records: lines, preview: { text, complete: true } });
  });

  test('NDJSON whose first line is longer than the head that the kind is told by', async () => {
    const long = JSON.stringify({ id: 1, body: 'x'.repeat(200_000) });
    const body = Buffer.from(`${long}\n{"id":2}\n{"id":3}\n`);
    const summary = scan(body);
    expect(summary).toMatchObject({ kind: 'ndjson', records: 3, path: '' });
    expect((await walked(body)).map((record) => record.length)).toEqual([long.length, 8, 8]);
    expect(JSON.parse(summary.preview.text)).toMatchObject({ id: 1, '…': '[shortened]' });
    expect(summary.preview).toMatchObject({ shown: 0, shortened: true, firstRecordBytes: long.length });
  });
});

describe('bad input', () => {
  test('NaN and infinities are kept, marked, and told', async () => {
    const body = fixture('nan-infinity.txt');
    const summary = scanBytes(body, { previewBytes: 1000, profile: true });
    expect(summary).toMatchObject({ kind: 'json', records: 4, parseLoss: { records: 0, offset: 20 } });
    expect(summary.parseLoss?.note).toContain('3 values are NaN or Infinity');
    expect(JSON.parse(summary.preview.text)).toEqual([
      { id: 1, score: 'NaN' },
      { id: 2, score: 'Infinity' },
      { id: 3, score: '-Infinity' },
      { id: 4, score: 0.5 },
    ]);
    expect(await walked(body)).toHaveLength(4);
    expect(summary.profile).toMatchObject({ records: 4, skipped_records: 0 });
  });

  test('a malformed record in a list is left out and counted; those after it are not lost', async () => {
    const body = Buffer.from('[{"id":1},{"id":2,"bad":tru},{"id":3},{"id":"a\nb"},{"id":5}]');
    const summary = scan(body);
    expect(summary).toMatchObject({ kind: 'json', records: 3, parseLoss: { records: 2, offset: 10 } });
    expect(await walked(body)).toEqual(['{"id":1}', '{"id":3}', '{"id":5}']);
    expect(JSON.parse(summary.preview.text)).toEqual([{ id: 1 }, { id: 3 }, { id: 5 }]);
    expect(summary.coverage).toMatchObject({ filtered_count: 2, total: 3 });
  });

  test('JSON that is cut: whole records counted, the cut one named', () => {
    const text = JSON.stringify(Array.from({ length: 10 }, (_, id) => ({ id, t: 'x'.repeat(9) })));
    const summary = scan(text.slice(0, -15));
    expect(summary).toMatchObject({ kind: 'json', records: 9, parseLoss: { records: 1 } });
    expect((JSON.parse(summary.preview.text) as unknown[]).length).toBe(9);
  });

  test('100,000 levels', () => {
    const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
    expect(scan(`[{"id":1},${deep}]`)).toMatchObject({ kind: 'json', records: 2, preview: { shown: 1 } });
    expect(scan(deep)).toMatchObject({ kind: 'json', records: 1, parseLoss: null });
    expect(scan(deep).preview.text).toBe(`${'['.repeat(101)}"…[shortened]"${']'.repeat(101)}`);
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(() => JSON.parse(scan(objects).preview.text)).not.toThrow();
    expect(scan('{"a":['.repeat(60_000))).toMatchObject({ kind: 'json', records: 0, parseLoss: { records: 1 } });
  });

  test('__proto__ and constructor are keys like any', () => {
    const summary = scanBytes(fixture('proto-keys.json'), { previewBytes: 2000, profile: true });
    expect(summary.fields).toEqual(['id', '__proto__', 'constructor', 'toString', 'a', 'hasOwnProperty', 'length']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    scan('{"__proto__":{"polluted":1},"rows":[1,2]}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('every digit survives', () => {
    const text = '[{"n":123456789012345678901234567890,"e":1E400,"z":-0.0},{"s":"\\ud800"}]';
    expect(scan(text).preview.text).toBe(text);
    expect(scan(text, 70).preview.text).toBe(`${text.slice(0, text.indexOf('},') + 1)}]`);
  });

  test('bytes that are not UTF-8 stay within the budget', () => {
    const body = Buffer.concat([Buffer.from('["'), Buffer.alloc(100, 0xff), Buffer.from('","b"]')]);
    for (let budget = 0; budget < 400; budget += 7) {
      expect(Buffer.byteLength(scan(body, budget).preview.text)).toBeLessThanOrEqual(budget);
    }
  });
});

describe('a body of many chunks', () => {
  const rows = Array.from({ length: 30_000 }, (_, id) => ({
    id,
    name: `row ${id}`,
    note: id % 1000 === 7 ? 'w'.repeat(70_000) : 'x',
  }));
  const bodies = {
    json: Buffer.from(`{"meta":{"has_more":true},"rows":${JSON.stringify(rows)},"total":48211}`),
    ndjson: Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')),
  };

  test.each(Object.entries(bodies))('%s: every record is found, any chunk checks', async (_kind, body) => {
    const summary = await scanStream(pieces(body, [100_000, 3, 65_536]), { previewBytes: 2000 });
    expect(summary.records).toBe(rows.length);
    await checkIndex(body, summary, rows);
    const digests = Buffer.from(summary.chunks.digests);
    for (const i of [0, 1, 7]) {
      const digest = createHash('sha256')
        .update(body.subarray(chunkStart(i), chunkStart(i + 1)))
        .digest();
      expect(digests.subarray(i * 32, i * 32 + 32)).toEqual(digest);
    }
  });

  test('the tool says that there is more', () => {
    const { upstream, coverage } = scan(bodies.json);
    expect(upstream).toMatchObject({ partial: true, total: 48_211 });
    expect(coverage.reasons).toContain('upstream_partial');
  });

  test('a record wider than the cap is counted and indexed, not looked into', () => {
    const summary = scanBytes(bodies.json, { previewBytes: 100, profile: true, maxRecordBytes: 60_000 });
    expect(summary.records).toBe(rows.length);
    expect(summary.profile).toMatchObject({ records: rows.length - 30, skipped_records: 30 });
  });
});
