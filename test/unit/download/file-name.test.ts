import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { attachment, defaultFileName, safeContentType, safeFileName } from '../../../core/download/file-name.ts';

const { rows } = JSON.parse(readFileSync(path.join(__dirname, '../../fixtures/cases/filenames.json'), 'utf8')) as {
  rows: { title: string }[];
};
const form =
  /^attachment; filename="([\x20-\x21\x23-\x5b\x5d-\x7e]+)"; filename\*=UTF-8''([A-Za-z0-9!#$&+\-.^_`|~%]+)$/;

/** The saved name as a browser reads it. */
function saved(header: string): string {
  return decodeURIComponent(form.exec(header)?.[2] ?? '');
}

test.each(rows.map(({ title }) => [title] as const))('the header for %j is one safe line', (title) => {
  const header = attachment(title);
  expect(header).toMatch(form);
  expect(header.length).toBeLessThan(900);
  const name = saved(header);
  expect(name).not.toMatch(/[/\p{Cc}]/u);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(180);
});

test('names come back as they were given', () => {
  for (const name of [
    "report (1)'s final.csv",
    'Größe, Preis; Q3.csv',
    '検索結果.csv',
    'a"b\\c.csv',
    '%41%2e.csv',
    '🙂.csv',
  ]) {
    expect(saved(attachment(name))).toBe(name);
  }
});

test('folders, line ends, leading signs and devices do not survive', () => {
  expect(saved(attachment('../../etc/x.csv'))).toBe('x.csv');
  expect(saved(attachment('..\\..\\windows\\x.csv'))).toBe('x.csv');
  expect(saved(attachment('C:\\temp\\x.csv'))).toBe('x.csv');
  expect(saved(attachment('x\r\nSet-Cookie: a=b.csv'))).toBe('xSet-Cookie_ a=b.csv');
  expect(saved(attachment('=cmd.csv'))).toBe('cmd.csv');
  expect(saved(attachment('--rf.csv'))).toBe('rf.csv');
  expect(saved(attachment('.bashrc'))).toBe('bashrc');
  expect(saved(attachment('CON.csv'))).toBe('_CON.csv');
  expect(saved(attachment('a[1].csv'))).toBe('a_1_.csv');
  expect(saved(attachment('invoice\u202Evsc.exe'))).toBe('invoicevsc.exe');
  expect(saved(attachment(''))).toBe('result');
});

test('a long name is cut before its extension', () => {
  const name = saved(attachment(`${'n'.repeat(400)}.csv`));
  expect(name).toBe(`${'n'.repeat(176)}.csv`);
  expect(saved(attachment(`${'検'.repeat(400)}.csv`))).toMatch(/^検+\.csv$/);
});

test('any text makes a header that no reader can take apart differently', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
      expect(attachment(title)).toMatch(form);
      expect(safeFileName(safeFileName(title))).toBe(safeFileName(title));
    }),
    { numRuns: 500 },
  );
});

test('an object without a name is called after its tool and id', () => {
  const target = { kind: 'result', session: 'a'.repeat(32), id: '0123456789abcdef0123456789abcdef' } as const;
  const facts = { contentType: 'application/json', tools: ['service_status'] };
  expect(defaultFileName(facts, target)).toBe('service_status-01234567.json');
  expect(defaultFileName(facts, { kind: 'export', id: target.id })).toBe('service_status-01234567.csv');
  expect(defaultFileName({ ...facts, tools: ['people{id,name}'] }, target)).toBe('people-01234567.json');
  expect(defaultFileName({ contentType: 'x/y', tools: [] }, target)).toBe('result-01234567.txt');
});

test('nothing that could run is served under its own type', () => {
  for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', '', 'text/xml']) {
    expect(safeContentType(type)).toBe('application/octet-stream');
  }
  expect(safeContentType('application/json')).toBe('application/json');
  expect(safeContentType('text/csv; charset=utf-8')).toBe('text/csv; charset=utf-8');
});
