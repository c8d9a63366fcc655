import { exportWarnings, spreadsheetRows } from '../../../core/export/list-export.ts';

test.each([
  [spreadsheetRows - 1, false],
  [spreadsheetRows, true],
])('a file of %i rows and a header is warned of as more than a spreadsheet opens: %s', (rows, warned) => {
  const warnings = exportWarnings(rows, 0).join();
  expect(warnings.includes('1,048,576 rows')).toBe(warned);
  if (warned) expect(warnings).toContain('the file holds them all');
});
