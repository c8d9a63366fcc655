import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { BrowserPerson, launchChromium } from './browser-person.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(300_000);
const platform = testPlatform();
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('a chart is shown as the picture that it is: beside the answer, among the results, on its page, in the folder of downloads', async () => {
  const olivia = await BrowserPerson.open(browser, platform);
  const { page } = olivia;
  await page.goto(`${platform.handle.baseUrl}/#/ask`);
  await olivia.signIn('olivia');
  await page.waitForSelector('#question');
  await page.fill('#question', 'Which region has the most failing services, and chart it?');
  await page.click('form.question button');
  await page.waitForSelector('article.turn .card');
  const card = page.locator('article.turn .card', { hasText: 'chart.png' });
  expect(await card.textContent()).toMatch(/chart\.png · PNG picture · \d+(\.\d)? KB/);

  await olivia.at('#/results', 'table.results');
  const rows = page.locator('table.results tbody tr');
  const png = rows.filter({ hasText: 'chart.png' }).first();
  expect(await png.locator('td').first().textContent()).toMatch(/^chart\.png · PNG picture · \d+(\.\d)? KB$/);
  const svg = rows.filter({ hasText: 'chart.svg' }).first();
  expect(await svg.locator('td').first().textContent()).toMatch(/^chart\.svg · SVG picture · \d+(\.\d)? KB$/);
  await olivia.inspect('results-with-pictures');

  await png.locator('th a').click();
  await page.waitForSelector('.facts-list');
  const facts = await page.textContent('.facts-list');
  expect(facts).toContain('PNG picture');
  expect(facts).toContain('chart.png');
  expect(facts).not.toMatch(/lines|text/);
  expect(await page.locator('pre.text, ul.notes').count()).toBe(0);
  await olivia.inspect('result-picture');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.click('main a.button:has-text("Download")'),
  ]);
  // Browsers number a second file of the same name.
  expect(download.suggestedFilename()).toMatch(/^chart( ?\(\d+\))?\.png$/);
  expect(
    readFileSync(await download.path())
      .subarray(1, 4)
      .toString('latin1'),
  ).toBe('PNG');
  expect(olivia.problems).toEqual([]);
});
