// Starts Debian's headless Chromium with playwright-core; tests that need it skip themselves without it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import { SEED } from '../random.ts';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

/** The result once it has its rows. A single number is shown without a table. */
export const RESULT = '#result:not(.stale):not(.waiting) :is(.figures, table)';

const CHROMIUM = '/usr/bin/chromium-headless-shell';

/** `describe` if there is a browser; otherwise the tests are skipped with one line. */
export function describeInBrowser(name: string, tests: () => void): void {
  const isInstalled = existsSync(CHROMIUM);
  if (!isInstalled)
    process.stdout.write(`${CHROMIUM} is not installed: "${name}" is not tested in a browser\n`);
  (isInstalled ? describe : describe.skip)(name, tests);
}

export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update', ...args],
    ],
  });
}

/** Opens a tab that records everything that must not happen. */
export async function openTab(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    // Not UTC, so that local time and UTC differ.
    timezoneId: 'Asia/Tokyo',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  /** Violations of the content security policy, script errors, requests to other hosts. */
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // A status of 400 or above appears as a console error too, which is expected.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isStatus) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:')) {
      faults.push(`request to ${url}`);
    }
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
       console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  );
  return { page, faults };
}

/** In px, of a laptop, a tablet and a phone. */
const WIDTHS = [1440, 768, 360] as const;
const COLOURS = [
  ['light', 'none'],
  ['dark', 'none'],
  ['dark', 'active'],
] as const;
/** What each part of the page must be usable with: a width, a theme and forced colours; each hour others go together. */
export const LOOKS = WIDTHS.map((width, index) => {
  const [theme, forced] = COLOURS[(index + SEED) % COLOURS.length] ?? COLOURS[0];
  return [width, theme, forced] as const;
});

export interface TabOptions extends BrowserContextOptions {
  /** In px. */
  width?: number;
}

const viewportOf = (width: number) => ({ width, height: width === 360 ? 740 : 900 });

/** A browser for the tests of a file, with one tab at a time. A test fails if something happened in it that must not happen. */
export function useBrowser() {
  let browser: Browser | undefined;
  let tab: Awaited<ReturnType<typeof openTab>> | undefined;
  afterEach(() => expect(tab?.faults.splice(0) ?? []).toEqual([]));
  afterAll(() => browser?.close());
  const current = (): Page => {
    if (tab === undefined) throw new Error('No tab is open.');
    return tab.page;
  };
  return {
    /** Opens a tab in place of the one before. */
    async open(origin: string, { width = 1280, ...options }: TabOptions = {}): Promise<Page> {
      await tab?.page.context().close();
      browser ??= await launchBrowser();
      tab = await openTab(browser, origin, { viewport: viewportOf(width), ...options });
      return tab.page;
    },
    /** The faults so far, which a test that causes them removes. */
    takeFaults: () => tab?.faults.splice(0),
    signIn: (url: string, key: string) => signIn(current(), url, key),
    enterKey: (key: string) => enterKey(current(), key),
    /** Follows a link of the page by its hash, without a reload, until it is shown: to enter something before that would be too early. */
    async follow(hash: string): Promise<void> {
      // The page's own listener is older, so it is called first.
      await current().evaluate(`new Promise((resolve) => {
        const { href } = location;
        addEventListener('hashchange', resolve, { once: true });
        location.hash = ${JSON.stringify(hash)};
        if (location.href === href) resolve();
      })`);
    },
    /** The code that calls the endpoint. */
    snippet: async (): Promise<string> => (await current().textContent('#snippet')) ?? '',
    resize: (width: number) => current().setViewportSize(viewportOf(width)),
    /** How wide the page is, with what does not fit. */
    width: (): Promise<unknown> => current().evaluate('document.documentElement.scrollWidth'),
    async press(...keys: string[]): Promise<void> {
      for (const key of keys) await current().keyboard.press(key);
    },
    /** The id of what has the focus. */
    focused: (): Promise<unknown> => current().evaluate('document.activeElement.id'),
    /** The moment that a key has chosen in a chart, as a screen reader reads it. */
    spoken: (): Promise<unknown> =>
      current().evaluate(`document.querySelector('#chart [type=range]').ariaValueText`),
    copied: (): Promise<unknown> => current().evaluate('navigator.clipboard.readText()'),
    /** The name and the text of the file that a click downloads. */
    async download(button: string) {
      const page = current();
      const [file] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    },
    /** What moves on the pages that are opened from now on, by default also where a key or a click moves it. */
    async recordShifts(isCounted: 'all' | 'without input' = 'all') {
      const filter = isCounted === 'all' ? '' : '.filter(({ hadRecentInput }) => !hadRecentInput)';
      await current().addInitScript(`window.shifts = [];
        new PerformanceObserver((list) => window.shifts.push(...list.getEntries()${filter}.map(({ sources }) =>
          sources.map(({ node, previousRect, currentRect }) =>
            (node?.id || node?.className || node?.nodeName) + JSON.stringify([previousRect, currentRect])).join())))
          .observe({ type: 'layout-shift' })`);
    },
    shifts: (): Promise<unknown> => current().evaluate('window.shifts'),
    /** What axe finds in a part of the page that keeps people from using it. */
    async seriousFindings(part = 'html'): Promise<string[]> {
      // The page has no frames, for which Axe would open a tab, and what passes need not be described.
      const axe = new AxeBuilder({ page: current() }).setLegacyMode().include(part);
      const { violations } = await axe.options({ resultTypes: ['violations'] }).analyze();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
  };
}

export async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(url);
  await enterKey(page, key);
}

async function enterKey(page: Page, key: string): Promise<void> {
  await page.fill('#key', key);
  await page.keyboard.press('Enter');
}
