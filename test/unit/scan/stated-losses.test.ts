import fc from 'fast-check';
import { ResultScanner, scanBytes } from '../../../core/scan/result-scanner.ts';

const scan = (body: string | Uint8Array, previewBytes = 24_576) => scanBytes(Buffer.from(body), { previewBytes });

describe('CSV', () => {
  const rows = Array.from({ length: 60 }, (_, i) => `${i},n${i},${i * 2}`);

  it('rows behind the head with another number of fields are records, and a stated loss', () => {
    const body = ['id,name,v', ...rows, '60,"a, b",1', '61,extra,1,2', '62,short', '63,"tail",9'].join('\n');
    const { kind, records, parseLoss, coverage } = scan(body);
    expect({ kind, records }).toEqual({ kind: 'csv', records: 64 });
    expect(parseLoss).toEqual({
      records: 0,
      note: '2 rows have another number of fields than the header',
      offset: body.indexOf('61,extra'),
    });
    expect(coverage).toMatchObject({ input_complete: false, filtered_count: 0, reasons: ['parse_loss'] });
    expect(scan(`${['id,name,v', ...rows].join('\r\n')}\r\n`).parseLoss).toBeNull();
  });

  it('an uneven row and a cut one are both said', () => {
    const { records, parseLoss } = scan(['id,name,v', ...rows, '61,x', '62,"cut'].join('\n'));
    expect(records).toBe(61);
    expect(parseLoss).toMatchObject({ records: 1, note: expect.stringMatching(/^1 row has .*; the last row is cut/) });
  });

  it('a header alone is a table without rows; a sentence is text', () => {
    expect(scan('id,name,created_at\n')).toMatchObject({
      kind: 'csv',
      records: 0,
      fields: ['id', 'name', 'created_at'],
    });
    expect(scan('id\tname\r\n')).toMatchObject({ kind: 'tsv', records: 0 });
    for (const text of ['Hello, world\n', 'yes,no', 'one, two, three\n']) expect(scan(text).kind).toBe('text');
  });
});

describe('bytes that are not UTF-8', () => {
  it('are said with the offset of the first, and the preview is whole all the same', () => {
    const body = Buffer.concat([Buffer.from('[{"a":"x'), Buffer.from([0xff, 0xfe]), Buffer.from('"},{"a":"tail"}]')]);
    const { records, parseLoss, preview, coverage } = scan(body);
    expect(records).toBe(2);
    expect(parseLoss).toMatchObject({ records: 0, note: expect.stringContaining('UTF-8'), offset: 8 });
    expect(preview).toMatchObject({ complete: true, text: '[{"a":"x\ufffd\ufffd"},{"a":"tail"}]' });
    expect(coverage).toMatchObject({ input_complete: false, reasons: ['parse_loss'] });
    const latin1 = scan(Buffer.from('name;ville\nZoé;Orléans\nAnne;Alès\n', 'latin1'));
    expect(latin1).toMatchObject({ kind: 'csv', records: 2, parseLoss: { records: 0, offset: 13 } });
    expect(scan(Buffer.from([0x61, 0x0a, 0xe2, 0x82]))).toMatchObject({ parseLoss: { offset: 2 } });
  });

  it('property: found where they are, however the pieces are cut; whole characters never are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
    const bad = fc.constantFrom([0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0x80]);
    const loss = (body: Uint8Array, cuts: readonly number[]) => {
      const scanner = new ResultScanner({ previewBytes: 20 });
      for (let at = 0, n = 0; at < body.length; n++) {
        const size = cuts[n % cuts.length] as number;
        scanner.write(body.subarray(at, at + size));
        at += size;
      }
      return scanner.end().parseLoss;
    };
    fc.assert(
      fc.property(text, bad, text, sizes, (before, fault, after, cuts) => {
        const lead = `words ${before}`;
        expect(loss(Buffer.from(lead), cuts)).toBeNull();
        const body = Buffer.concat([Buffer.from(lead), Buffer.from(fault), Buffer.from(`.${after}`)]);
        expect(loss(body, cuts)).toMatchObject({ offset: Buffer.byteLength(lead) });
      }),
      { numRuns: 300 },
    );
  });
});

it('what follows the list of rows and is too long to show is marked in the preview', () => {
  const rows = Array.from({ length: 900 }, (_, id) => ({ id }));
  const body = JSON.stringify({ rows, after: { text: 'w'.repeat(6_000) } });
  for (const previewBytes of [200, 2_000]) {
    const { preview } = scan(body, previewBytes);
    const shown = JSON.parse(preview.text) as { rows: unknown[]; '…': string };
    expect(shown.rows).toEqual(rows.slice(0, preview.shown));
    expect(preview.shown).toBeGreaterThan(5);
    expect(shown['…']).toMatch(/^\[60\d\d bytes left out\]$/);
    expect(preview.bytes).toBeLessThanOrEqual(previewBytes);
  }
  expect(scan(JSON.stringify({ rows: [...rows, 1] }), 200).preview.text).not.toContain('left out');
});

describe('a fault behind the bytes that the kind was told by', () => {
  const long = 'x'.repeat(70_000);

  it.each([
    ['an object that a bracket closes', `{"a":"${long}","b":1]`],
    ['an object of which a member is no JSON', `{"a":"${long}","b":xx],"c":1}`],
    ['a list whose first record a bracket closes', `[{"a":"${long}","b":1],{"a":2}]`],
  ])('in %s is said, and the reading comes to an end', (_, body) => {
    const { kind, parseLoss, fields } = scan(body, 100_000);
    expect({ kind, fields: fields.slice(0, 1) }).toEqual({ kind: 'json', fields: ['a'] });
    expect(parseLoss).not.toBeNull();
  });
});
