import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/limits.md'), 'utf8');

interface Row {
  readonly limit: string;
  readonly cells: readonly string[];
}
const rows: readonly Row[] = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:limit|-)/.test(line))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
  .map((cells) => ({ limit: cells[0] ?? '', cells }));

/** `test/…/x.test.ts` “name”: a file that exists and holds a test of that name. */
const named = /`(test\/[\w./-]+\.test\.ts)` “([^”]+)”/g;

test('every row names a test that exists, by its file and by its name', () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const { limit, cells } of rows) {
    const tests = [...(cells.at(-1) ?? '').matchAll(named)];
    expect({ limit, tests: tests.length }).not.toEqual({ limit, tests: 0 });
    for (const [, file = '', name = ''] of tests) {
      const path = join(root, file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      // As a title, in its quotation marks: words in a comment are no test.
      const titled = [`'${name}'`, `\`${name}\``, `"${name}"`].some((title) => text.includes(title));
      expect({ limit, file, name, titled }).toEqual({ limit, file, name, titled: true });
    }
  }
});

test('no test of the page is switched off', () => {
  const files = new Set([...page.matchAll(named)].map(([, file = '']) => file));
  for (const file of files) {
    expect({
      file,
      off: /\b(?:xit|xtest|it\.skip|test\.skip|describe\.skip|it\.only|test\.only|test\.todo)\b/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    }).toEqual({ file, off: false });
  }
});

test.each([
  ['400 KB', '32 levels', '1 MB'],
  ['256 KiB', '25,000'],
  ['6,291,556', '200 MB'],
  ['10 MB', '30 s', '10,240'],
  ['4 KB', '2 KB', 'US-ASCII', '60 s'],
  ['must be an object', 'complete', 'document name'],
  ['32,767', '1,048,576'],
])('the page has %s …', (...words) => {
  for (const word of words) expect(page).toContain(word);
});

test('what nothing here enforces is listed openly', () => {
  const open = page.split('## Not enforced by anything here')[1] ?? '';
  expect(open.match(/^- /gm)?.length).toBeGreaterThan(5);
});
