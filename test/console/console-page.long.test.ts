// Tests of the console in a real browser, with the service as `npm start` runs it.
import type { Page } from 'playwright-core';
import { WIDTHS, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type LocalService, startTestService } from '../support/service/local-service.ts';

const PROJECT = 'kfqzwmxhvtrnjdbyplca';
const KEY = 'sqk_console-test-key';

type Row = Record<string, string | number | null>;

const browser = useBrowser();
let page: Page;
let service: LocalService;

const signIn = (hash = '', key = KEY): Promise<void> =>
  browser.signIn(`${service.url}/${hash}`, key);

const RESULT = '#result:not(.stale):not(.waiting)';

async function openResult(hash = ''): Promise<void> {
  await signIn(hash);
  await page.waitForSelector(`${RESULT} table`);
}

/** Resolves when the rows of the call are on the page, or the fault is. */
async function run(start = () => page.click('#run')): Promise<void> {
  const answered = page.waitForResponse(/\/api\/endpoints\/query\//);
  await start();
  await answered;
  await page.waitForSelector('#progress', { state: 'hidden' });
}

async function choose(endpoint: string): Promise<void> {
  await run(() => page.click(`nav a:has-text("${endpoint}")`));
  await page.waitForSelector(`h1#name:text-is("${endpoint}")`);
}

/** What a screen reader reads for each moment of the chart, in order. */
async function readChart(): Promise<string[]> {
  const slider = page.locator('.plot[role=slider]');
  await slider.focus();
  await page.keyboard.press('Home');
  const count = Number(await slider.getAttribute('aria-valuemax'));
  const spoken: string[] = [];
  for (let moment = 1; moment <= count; moment += 1) {
    expect(await slider.getAttribute('aria-valuenow')).toBe(String(moment));
    spoken.push(String(await browser.spoken()));
    await page.keyboard.press('ArrowRight');
  }
  return spoken;
}

const painted = (): Promise<string> =>
  page.evaluate(`document.querySelector('canvas').toDataURL()`);

describeInBrowser('the console', () => {
  beforeAll(async () => {
    service = await startTestService(KEY);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    page = await browser.open(service.url);
  });

  it('says that a run on this machine costs nothing, and what one may cost when deployed', async () => {
    await openResult();
    expect(await page.textContent('#cost')).toBe(
      'No cost on this machine · Deployed, a run reads at most 11 GB, US$0.061',
    );
    expect(await page.innerText('#freshness')).toMatch(/^From the [\s\S]*\nno cost$/);
  });

  it.each(WIDTHS)(
    'draws a chart after the key with nothing typed, and nothing moves, at %i px',
    async (width) => {
      await browser.resize(width);
      await browser.recordShifts();
      const asked: string[] = [];
      page.on('request', (sent) => asked.push(new URL(sent.url()).pathname));
      await openResult();
      expect(await page.locator('#chart .panel').count()).toBe(2);
      const calls = ['/', '/api/endpoints', '/api/endpoints/query/tasks.run-stats'];
      expect(asked.filter((path) => path !== '/favicon.ico')).toEqual(calls);
      expect(await browser.focused()).toBe('run');
      await page.reload();
      await page.waitForSelector(`${RESULT} table`);
      expect(await browser.shifts()).toEqual([]);
      await page.goto('about:blank');
      await page.goto(`${service.url}/#web.visit-counts?project=${PROJECT}&interval=daily`);
      await page.waitForSelector(`${RESULT} table`);
      expect(await browser.shifts()).toEqual([]);
    },
  );

  it('keeps the key where the list of endpoints fails, and after a reload', async () => {
    await openResult();
    await page.route('**/api/endpoints', (route) => route.abort());
    for (const _ of ['a reload', 'another one']) {
      await page.reload();
      await page.waitForSelector('#key-error:has-text("The service does not answer")');
    }
    await page.unroute('**/api/endpoints');
    await page.reload();
    await page.waitForSelector(`${RESULT} table`);
    browser.takeFaults();
  });

  it('starts a table at its top, and keeps the place of one that is refreshed', async () => {
    await openResult(`#tasks.run-stats?project=${PROJECT}&interval=1hr`);
    const scroll = (to?: number): Promise<unknown> =>
      page.evaluate(
        `(() => { const box = document.querySelector('.table-scroll');
          ${to === undefined ? '' : `box.scrollTop = ${to};`} return box.scrollTop; })()`,
      );
    expect(await scroll(200)).toBe(200);
    await page.selectOption('#zone', 'utc');
    expect(await scroll()).toBe(200);
    await page.selectOption('#field-interval', '15min');
    await run();
    expect(await scroll()).toBe(0);
  });

  it('names the columns of tasks.run-stats in chart and table', async () => {
    await openResult();
    expect(await page.inputValue('#field-project')).toBe(PROJECT);
    expect(await page.inputValue('#field-interval')).toBe('1day');
    expect(await page.inputValue('#field-function_id')).toBe('');
    const headings = (await page.locator('th button').allTextContents()).join();
    expect(headings).toBe('timestamp Tokyo,avg_duration ms,max_duration ms,count');
    expect((await readChart())[0]).toMatch(
      /^\d+ \w{3} \d\d:00; avg [\d.]+ ms; max [\d.,]+ ms; count \d+$/,
    );
    const titles = await page.locator('.panel h3').allTextContents();
    expect(titles).toEqual(['Duration ms', 'Count per hour']);
  });

  it('runs web.visit-counts and shows the rows of the API as chart and table', async () => {
    await openResult();
    await choose('web.visit-counts');
    expect(await page.inputValue('#field-interval')).toBe('hourly');
    await page.selectOption('#field-interval', 'daily');
    await run();
    const answer = await service.ask(`web.visit-counts?project=${PROJECT}&interval=daily`);
    const rows = answer.result as Row[];
    const shown = await page.locator('#table-card tbody tr').all();
    const texts = await Promise.all(shown.map((row) => row.locator('td').allTextContents()));
    // A DATETIME has no zone: it stands as it is.
    const asItIs = (row: Row): string => `${String(row.timestamp).slice(0, 10)} 00:00:00`;
    expect(texts).toEqual(rows.map((row) => [asItIs(row), String(row.visits), String(row.urls)]));
    // Without a bucket the times are instants, here in Tokyo.
    expect((await readChart()).map((text) => text.replace(/^\d+ \w{3} /, ''))).toEqual(
      rows.map(({ visits, urls }) => `00:00:00; visits ${visits}; urls ${urls}`),
    );
  });

  it('switches colours without building the table again', async () => {
    await openResult();
    const table = await page.$('#result table');
    const before = await painted();
    await page.click('#theme');
    await page.click('#theme');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(await painted()).not.toBe(before);
    expect(await table?.isVisible()).toBe(true);
  });

  it('explains what to do about a wrong key, and stores none', async () => {
    await signIn('', 'sqk_wrong-key');
    await page.waitForSelector('#key-error:not([hidden])');
    expect(await page.textContent('#key-error')).toBe(
      'This service knows no such key. Check that it is complete, or ask for a new one.',
    );
    expect(await page.isVisible('#workspace')).toBe(false);
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    await page.fill('#key', 'key🔑');
    await page.click('#open');
    await page.waitForSelector('#key-error:has-text("knows no such key")');
  });

  it('keeps the key for the life of the tab, and never in the address', async () => {
    await openResult(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await page.reload();
    await page.waitForSelector('#result table');
    expect(page.url()).toBe(`${service.url}/#web.visit-counts?project=${PROJECT}&interval=daily`);
    const stored = await page.evaluate('JSON.stringify(localStorage) + document.cookie');
    expect(stored).not.toContain(KEY);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.waitForSelector('#key-form');
    expect(await other.isVisible('#workspace')).toBe(false);
    await page.click('#change-key');
    await page.reload();
    expect(await page.isVisible('#workspace')).toBe(false);
  });

  it('carries endpoint and parameters in its link, back and forward', async () => {
    await openResult();
    const query = `project=${PROJECT}&interval=`;
    expect(page.url()).toBe(`${service.url}/#tasks.run-stats?${query}1day`);
    await page.selectOption('#field-interval', '7day');
    await run();
    expect(page.url()).toBe(`${service.url}/#tasks.run-stats?${query}7day`);
    await choose('web.visit-counts');
    expect(page.url()).toBe(`${service.url}/#web.visit-counts?${query}hourly`);
    expect(await page.inputValue('#field-project')).toBe(PROJECT);
    await run(async () => void (await page.goBack()));
    expect(await page.textContent('h1#name')).toBe('tasks.run-stats');
    expect(await page.inputValue('#field-interval')).toBe('7day');
    await page.goForward();
    // The page learns of the step only after the browser has taken it.
    await page.waitForSelector('h1#name:text-is("web.visit-counts")');
  });

  it('leaves empty what a link leaves empty', async () => {
    await signIn('#web.visit-counts?project=');
    await page.waitForSelector('#field-project:focus');
    expect(await page.textContent('#problem')).toBe(
      'Filled in from a linkFill in project and interval, then run.',
    );
    expect(await page.locator('.field-error:visible').count()).toBe(0);
    expect(await page.inputValue('#field-project')).toBe('');
    expect(await page.inputValue('#field-interval')).toBe('');
  });

  it('starts an endpoint with the values of the last run, not with those that were refused or left out', async () => {
    await signIn('#tasks.run-stats?project=other&interval=1day&function_id=f-1');
    await page.waitForSelector('#empty:not([hidden])');
    await page.fill('#field-function_id', '');
    await run();
    await choose('web.visit-counts');
    expect(await page.inputValue('#field-project')).toBe('other');
    await page.fill('#field-project', '(');
    await page.click('#run');
    await page.waitForSelector('#error-project:not([hidden])');
    await choose('tasks.run-stats');
    expect(await page.inputValue('#field-project')).toBe('other');
    expect(await page.inputValue('#field-function_id')).toBe('');
  });

  it('explains an error, with an id that can be copied', async () => {
    const details = [{ reason: 'INTERNAL', metadata: { errorId: 'e-17' } }];
    const json = { error: { code: 500, message: 'Internal error.', details } };
    await page.route('**/api/endpoints/query/**', (route) => route.fulfill({ status: 500, json }));
    await signIn(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).toBe(
      'Something failed in the serviceInternal error. If it fails again, pass on this error id:e-17 Copy error id',
    );
    expect(await page.textContent('#not-run')).toBe('');
    await page.click('#problem button');
    await page.waitForSelector('#problem button:text-is("Copied")');
    expect(await browser.copied()).toBe('e-17');
  });

  it('shows that a slow query runs, and stops waiting when asked', async () => {
    await page.route('**/api/endpoints/query/**', () => undefined);
    await signIn(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await page.waitForSelector('#progress-text:has-text("Running for")');
    expect(await page.isVisible('#progress')).toBe(true);
    await page.click('#cancel');
    expect(await page.textContent('#problem')).toBe('CancelledRun again to get the rows.');
    expect(await page.isVisible('#progress')).toBe(false);
  });

  it('asks again as told while the query goes on, until it has the rows', async () => {
    await page.clock.install();
    let running: number | undefined = 25;
    const asked: (string | undefined)[] = [];
    await page.route('**/query/web.visit-counts*', async (route) => {
      asked.push(route.request().headers().prefer);
      const metadata = { runningSeconds: String(running) };
      const json = { error: { code: 503, message: '', details: [{ reason: REASON, metadata }] } };
      if (running === undefined) await route.continue();
      else await route.fulfill({ status: 202, headers: { 'Retry-After': '65' }, json });
    });
    const REASON = 'QUERY_RUNNING';
    const told = (text: string) => page.waitForSelector(`#progress-text:has-text("${text}")`);
    const again = 'The page asks for the rows again by itself.';
    await signIn(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await told('Running for 2');
    await page.focus('#cancel');
    await page.clock.runFor(35_000);
    await told('Running for 1 min');
    expect(await page.textContent('#status')).toBe(`Running for 25 s. ${again}`);
    expect(asked).toEqual(['wait=60']);
    running = 95;
    await page.clock.runFor(30_000);
    await told('Running for 1 min 3');
    expect(await browser.focused()).toBe('cancel');
    expect(await browser.seriousFindings()).toEqual([]);

    // Stops by a key or by leaving the endpoint, and then asks no more.
    await browser.press('Escape');
    expect(await page.textContent('#problem')).toBe(
      'Stopped waitingThe query goes on. Run again to get its rows.',
    );
    await page.click('#run');
    await told('Running for 1 min 3');
    await page.click('nav a:has-text("tasks.run-stats")');
    await page.waitForSelector('h1#name:text-is("tasks.run-stats")');
    const askedCount = asked.length;
    await page.clock.runFor(600_000);
    expect(asked).toHaveLength(askedCount);

    await page.goBack();
    await told('Running for 1 min 3');
    running = undefined;
    await page.clock.runFor(65_000);
    await page.waitForSelector(`${RESULT} table`);
    expect(await page.isVisible('#progress-line')).toBe(false);
  });

  it('asks every 60 s while it is asked to and is seen, and only for rows that are new', async () => {
    await page.clock.install();
    await openResult(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    const asked: (string | undefined)[] = [];
    page.on('request', (sent) => asked.push(sent.headers()['if-none-match']));
    await page.clock.runFor(61_000);
    expect(asked).toEqual([]);
    const see = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await see(true);
    await page.check('#auto');
    await page.clock.runFor(61_000);
    expect(asked).toEqual([]);
    const table = await page.$('#result table');
    const answered = page.waitForResponse(/query/);
    await see(false);
    expect((await answered).status()).toBe(304);
    await page.waitForSelector('.badge.hit');
    expect(asked).toEqual([expect.stringMatching(/^W\//)]);
    // The same rows are not drawn again.
    expect(await table?.isVisible()).toBe(true);
    await page.clock.runFor(61_000);
    await page.waitForSelector('#progress', { state: 'hidden' });
    expect(asked).toHaveLength(2);
  });

  it('keeps the rows that could not be refreshed, and reports that', async () => {
    await openResult(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await page.route('**/api/endpoints/query/**', (route) => route.abort());
    await page.click('#run');
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).toBe(
      'The service does not answerCheck that it is running and reachable. Then run again.',
    );
    expect(await page.isVisible('#result table')).toBe(true);
    // The browser tells of the request that this test cut off.
    expect(browser.takeFaults()).toEqual(['Failed to load resource: net::ERR_FAILED']);
  });

  it('is usable with the keyboard alone', async () => {
    const tabTo = async (selector: string, key = 'Tab'): Promise<void> => {
      for (let presses = 0; presses < 40; presses += 1) {
        if (await page.locator(`${selector}:focus`).count()) return;
        await browser.press(key);
      }
      throw new Error(`Tab does not get to ${selector}.`);
    };
    await page.goto(service.url);
    await page.keyboard.type(KEY);
    await browser.press('Enter');
    await page.waitForSelector('#run:focus');
    await browser.press('Control+K');
    await page.keyboard.type('visit-counts');
    await run(() => browser.press('Enter'));
    await tabTo('#field-interval', 'Shift+Tab');
    await browser.press('End');
    await tabTo('#run');
    await run(() => browser.press('Enter'));
    expect(page.url()).toContain('interval=minutely');
    await tabTo('.toggle');
    const before = await painted();
    await browser.press('Space');
    expect(await page.getAttribute('.toggle', 'aria-pressed')).toBe('false');
    expect(await painted()).not.toBe(before);
    await tabTo('th button');
    await browser.press('Enter', 'Enter');
    expect(await page.getAttribute('th', 'aria-sort')).toBe('descending');
  });

  it.each([1280, 900])('shows what a field means on focus, within %i px', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await openResult();
    for (const name of ['project', 'function_id', 'interval']) {
      expect(await page.isVisible(`#hint-${name}`)).toBe(false);
      await page.focus(`#field-${name}`);
      const box = await page.locator(`#hint-${name}`).boundingBox();
      expect(box?.x).toBeGreaterThan(0);
      expect(await browser.width()).toBe(width);
    }
  });

  it('breaks the lines of a long error on a screen of 360 px', async () => {
    await browser.resize(360);
    await signIn(`#web.visit-counts?project=${'('.repeat(200)}&interval=daily`);
    await page.waitForSelector('#error-project:not([hidden])');
    expect(await browser.width()).toBe(360);
  });
});
