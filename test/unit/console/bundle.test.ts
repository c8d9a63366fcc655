import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildConsole, consoleFiles } from '../../../console/build.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-console-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the console is one page, one script and one style of less than 80 KB together, with nothing from elsewhere', () => {
  buildConsole(folder);
  const texts = consoleFiles.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  process.stdout.write(`console, compressed: ${bytes} bytes\n`);
  expect(bytes).toBeLessThan(80_000);
  for (const text of texts) {
    const addresses = text.match(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]{2,}/gi) ?? [];
    // The name of the SVG language is no address that anything is fetched from.
    expect(addresses.filter((address) => !address.includes('www.w3.org'))).toEqual([]);
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
  }
});
