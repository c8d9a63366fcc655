import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

const fixture = (name: string) => readFileSync(join(__dirname, '../../fixtures/cases', name));

describe('H032: cut at every budget', () => {
  test.each([
    ['cut-anywhere.json', (value: unknown) => value as unknown[]],
    ['cut-anywhere-escaped.json', (value: unknown) => (value as { data?: unknown[] }).data ?? []],
  ])('%s', (name, rowsOf) => {
    const body = fixture(name);
    const value: unknown = JSON.parse(body.toString());
    const original = rowsOf(value);
    let last = 0;
    for (let budget = 2; budget <= body.length; budget++) {
      const { preview, records } = scanBytes(body, { previewBytes: budget });
      expect(records).toBe(original.length);
      expect(Buffer.byteLength(preview.text)).toBeLessThanOrEqual(budget);
      const rows = rowsOf(JSON.parse(preview.text));
      expect(rows).toEqual(original.slice(0, rows.length));
      expect(preview.shown).toBe(rows.length);
      expect(rows.length).toBeGreaterThanOrEqual(last);
      last = rows.length;
    }
    expect(last).toBe(original.length);
    expect(scanBytes(body, { previewBytes: body.length }).preview).toMatchObject({
      text: body.toString(),
      complete: true,
    });
  });
});

describe('H034: rows under an unknown key, one giant record', () => {
  test.each([200, 1000, 4000])('wrapped-rows within %i bytes', (previewBytes) => {
    const summary = scanBytes(fixture('wrapped-rows.json'), { previewBytes });
    expect(summary).toMatchObject({ path: 'payload.page.rows', records: 220 });
    const shown = JSON.parse(summary.preview.text);
    expect(shown.meta).toEqual({ source: 'svc', took_ms: 12 });
    expect(shown.payload.page.rows).toHaveLength(summary.preview.shown);
    expect(summary.preview.shown).toBeGreaterThan(0);
    expect(summary.coverage).toMatchObject({ loaded: summary.preview.shown, total: 220, reasons: ['byte_limit'] });
  });

  test.each([200, 1000, 4000])(
    'one-giant-record within %i bytes: its beginning, marked, counted as not shown',
    (previewBytes) => {
      const summary = scanBytes(fixture('one-giant-record.json'), { previewBytes });
      expect(summary).toMatchObject({ records: 1, preview: { shown: 0, shortened: true, firstRecordBytes: 42_095 } });
      const [record] = JSON.parse(summary.preview.text);
      expect(record).toMatchObject({ id: 1, title: 'only record' });
      expect(record.body).toMatch(/^A long note .*…\[shortened\]$/s);
      expect(summary.preview.bytes).toBeLessThanOrEqual(previewBytes);
      expect(summary.coverage).toMatchObject({ loaded: 0, total: 1, byte_complete: false });
    },
  );
});

test('H026: never longer than what it stands for, down to no bytes at all', () => {
  for (const text of [
    '"one value"',
    '{"a":"one value"}',
    '[{"a":1}]',
    'one line',
    'a,b\n1,2\n',
    '{"a":1}\n{"a":2}',
    '12345',
  ]) {
    for (const previewBytes of [0, 1, 2, 3, 5, 8, 40, 200]) {
      const { preview, bytes } = scanBytes(Buffer.from(text), { previewBytes });
      expect(Buffer.byteLength(preview.text)).toBeLessThanOrEqual(Math.min(previewBytes, bytes));
    }
  }
});
