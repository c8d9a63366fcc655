import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { LocalUser } from '../../local/users.ts';
import type { TestPlatform } from './platform.ts';

/** Where pictures of every page land; git ignores it. */
const screenshots = resolve(import.meta.dirname, '../../screenshots');
const axe = readFileSync(
  createRequire(join(resolve(import.meta.dirname, '../..'), 'x.js')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Debian's Chromium, or the one that CHROMIUM names. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    // Needed where tests run as root, as in a container.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** A person at a browser of their own, with everything that went wrong in it. */
export class BrowserPerson {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page, and requests to any other host than the platform's. */
  readonly problems: string[] = [];
  readonly #platform: TestPlatform;

  private constructor(context: BrowserContext, page: Page, platform: TestPlatform) {
    this.context = context;
    this.page = page;
    this.#platform = platform;
    const own = new URL(platform.handle.baseUrl).origin;
    page.on('pageerror', (error) => this.problems.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) this.problems.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== own) this.problems.push(`request to ${origin}`);
    });
  }

  static async open(browser: Browser, platform: TestPlatform): Promise<BrowserPerson> {
    const context = await browser.newContext({ viewport: { width: 1200, height: 850 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    return new BrowserPerson(context, page, platform);
  }

  /** Fills in the hosted page that the browser stands on, and waits until it is back with us. */
  async signIn(user: LocalUser): Promise<void> {
    await this.page.waitForURL(/\/oauth2\/authorize|\/login/);
    await this.page.fill('input[name=username]', user);
    await this.page.fill('input[name=password]', this.#platform.handle.passwords[user]);
    // The page's own address may lead straight to a file, which is no navigation: only the answer is waited for.
    await this.page.click('button[type=submit]', { noWaitAfter: true });
  }

  async at(hash: string, selector: string): Promise<void> {
    await this.page.goto(`${this.#platform.handle.baseUrl}/${hash}`);
    await this.page.waitForSelector(selector);
  }

  /** Pictures in both schemes and at a phone's width, and no serious finding of axe in any of them. */
  async inspect(name: string): Promise<void> {
    mkdirSync(screenshots, { recursive: true });
    for (const [form, width, height] of [
      ['wide', 1200, 850],
      ['phone', 390, 844],
    ] as const) {
      await this.page.setViewportSize({ width, height });
      for (const colorScheme of ['light', 'dark'] as const) {
        await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await this.page.screenshot({ path: join(screenshots, `${name}-${form}-${colorScheme}.png`), fullPage: true });
        expect([name, form, colorScheme, await this.#findings()]).toEqual([name, form, colorScheme, []]);
      }
      // Nothing but a table of its own makes the page itself scroll sideways.
      const overflow = await this.page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([name, form, overflow]).toEqual([name, form, 0]);
    }
    await this.page.setViewportSize({ width: 1200, height: 850 });
  }

  async #findings(): Promise<readonly string[]> {
    await this.page.evaluate(axe);
    const found = (await this.page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).join(", ")))',
    )) as string[];
    return found;
  }
}
