// Starts Debian's headless Chromium with playwright-core; tests that need it skip themselves without it.
import { existsSync } from 'node:fs';
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
