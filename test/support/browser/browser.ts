// Starts Debian's headless Chromium with playwright-core; tests that need it skip themselves without it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium-headless-shell';

/** `describe` if there is a browser; otherwise the tests are skipped with one line. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (existsSync(CHROMIUM)) {
    describe(name, tests);
    return;
  }
  process.stdout.write(`${CHROMIUM} is not installed: "${name}" is not tested in a browser\n`);
  describe.skip(name, tests);
}

export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });
}

/** A tab that records everything that must not happen. */
export interface Tab {
  page: Page;
  /** Violations of the content security policy, script errors, requests to other hosts. */
  faults: string[];
}

export async function openTab(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    // Not UTC, so that local time and UTC differ.
    timezoneId: 'Asia/Tokyo',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
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

/**
 * A browser for the tests of a file, with one tab at a time, which each test opens, or all of them share. A test
 * fails if something happened in its tab that must not happen.
 */
export function useBrowser({ sharesTab = false } = {}) {
  let browser: Browser | undefined;
  let tab: Tab | undefined;
  afterEach(async () => {
    if (!sharesTab) await tab?.page.context().close();
    expect(tab?.faults).toEqual([]);
  });
  afterAll(() => browser?.close());
  return {
    /** Opens a tab in place of the one before. */
    async open(origin: string, options?: BrowserContextOptions): Promise<Page> {
      await tab?.page.context().close();
      browser ??= await launchBrowser();
      tab = await openTab(browser, origin, options);
      return tab.page;
    },
    /** The faults so far, which a test that causes them removes. */
    takeFaults: () => tab?.faults.splice(0),
  };
}

export async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(url);
  await page.fill('#key', key);
  await page.keyboard.press('Enter');
}

/** The name and the text of the file that a click downloads. */
export async function download(
  page: Page,
  button: string,
): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

export const copied = (page: Page): Promise<unknown> =>
  page.evaluate('navigator.clipboard.readText()');

/** A script that puts into `shifts` what moves on the page from now on, by default also where a key or a click moves it. */
export function recordShifts(isCounted: 'all' | 'without input' = 'all'): string {
  const filter = isCounted === 'all' ? '' : '.filter(({ hadRecentInput }) => !hadRecentInput)';
  return `window.shifts = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries()${filter}.map(({ sources }) =>
      sources.map(({ node, previousRect, currentRect }) =>
        (node?.id || node?.className || node?.nodeName) + JSON.stringify([previousRect, currentRect])).join())))
      .observe({ type: 'layout-shift' })`;
}
