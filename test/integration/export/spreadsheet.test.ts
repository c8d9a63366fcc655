import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { csvText } from '../../../core/export/csv-cell.ts';
import { findLibreOffice } from '../../../scripts/libreoffice.ts';
import { exported } from '../../unit/export/exported.ts';

jest.setTimeout(240_000);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claimcheck-office-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a CSV in LibreOffice Calc as a person would and answers the cells as it has understood them. */
function opened(csv: string): { readonly formulas: number; readonly texts: readonly string[] } {
  const soffice = findLibreOffice();
  if (soffice === undefined) {
    throw new Error('LibreOffice is missing: install libreoffice-calc-nogui, or set CLAIMCHECK_SOFFICE to soffice');
  }
  const file = join(folder, 'opened.csv');
  writeFileSync(file, csv);
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  // UTF-8, comma, quotes; "detect special numbers" on, so that Calc takes what it can for more than text.
  const filter = '--infilter=CSV:44,34,76,1,,0,false,true,false';
  const args = [profile, '--headless', filter, '--convert-to', 'fods', '--outdir', folder, file];
  const { status, stderr, stdout } = spawnSync(soffice, args, { encoding: 'utf8', timeout: 200_000 });
  if (status !== 0) throw new Error(`soffice ended with ${status}: ${stdout}${stderr}`);
  const sheet = readFileSync(join(folder, 'opened.fods'), 'utf8');
  const body = sheet.slice(sheet.indexOf('<office:spreadsheet'));
  const texts = [...body.matchAll(/<text:p>(.*?)<\/text:p>/gs)].map(([, text]) =>
    (text ?? '')
      .replace(/<[^>]*>/g, '')
      .replaceAll('&apos;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );
  return { formulas: [...body.matchAll(/table:formula=/g)].length, texts };
}

const hostile = [
  ...(JSON.parse(readFileSync(resolve(import.meta.dirname, '../../fixtures/cases/formula-cells.json'), 'utf8')) as {
    cell: string;
  }[]),
  { cell: '=WEBSERVICE("http://127.0.0.1:9/")' },
  { cell: "=cmd|' /C calc'!A0" },
  { cell: '\u00a0\u3000=1+1' },
  { cell: '\u0000=1+1' },
  { cell: '-1+1|x' },
  { cell: '+49 30 1234' },
].map((row, n) => ({ n, cell: row.cell, '=2+3': 'a header too' }));

test('LibreOffice opens a hostile file and evaluates no formula', async () => {
  const { csv } = await exported({ rows: hostile });
  const { formulas, texts } = opened(csv);
  expect(formulas).toBe(0);
  expect(texts).toContain("'=2+3");
  expect(texts).toContain("'=1+1");
  expect(texts).toContain('safe text');
  expect(texts.filter((text) => text === '2' || text === '5')).toEqual(['2', '5']);
});

test('the same cells without the guard are formulas there: what is tested is the guard', () => {
  const bare = hostile.map(({ cell }) => csvText(cell).replace(/^("?)'/, '$1')).join('\r\n');
  expect(opened(`cell\r\n${bare}\r\n`).formulas).toBeGreaterThan(3);
});
