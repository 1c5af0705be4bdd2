// Tests of the console in a real browser, with the service as `npm start` runs it.
import type { BrowserContextOptions, Page } from 'playwright-core';
import {
  copied,
  describeInBrowser,
  recordShifts,
  signIn as signInAt,
  useBrowser,
} from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { type LocalService, startTestService } from '../support/service/local-service.ts';
import { API_KEY } from '../support/bigquery/query-server.ts';
import { columns } from '../support/sql/columns.ts';

const PROJECT = 'kfqzwmxhvtrnjdbyplca';
const KEY = 'sqk_console-test-key';

type Row = Record<string, string | number | null>;

const browser = useBrowser();
let origin: string;
let page: Page;

async function openAt(url: string, options?: BrowserContextOptions): Promise<void> {
  origin = url;
  page = await browser.open(origin, options);
}

const signIn = (hash = '', key = KEY): Promise<void> => signInAt(page, `${origin}/${hash}`, key);

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
  const slider = page.locator('canvas[role=slider]');
  await slider.focus();
  await page.keyboard.press('Home');
  const count = Number(await slider.getAttribute('aria-valuemax'));
  const spoken: string[] = [];
  for (let moment = 1; moment <= count; moment += 1) {
    expect(await slider.getAttribute('aria-valuenow')).toBe(String(moment));
    spoken.push((await slider.getAttribute('aria-valuetext')) ?? '');
    await page.keyboard.press('ArrowRight');
  }
  return spoken;
}

const painted = (): Promise<string> =>
  page.evaluate(`document.querySelector('canvas').toDataURL()`);

describeInBrowser('the console', () => {
  let service: LocalService;

  beforeAll(async () => {
    service = await startTestService(KEY);
  });

  afterAll(() => service.stop());
  beforeEach(() => openAt(service.url));

  async function apiRows(name: string, query: string): Promise<Row[]> {
    const answer = await fetch(`${service.url}/api/endpoints/query/${name}?${query}`, {
      headers: { 'X-API-KEY': KEY },
    });
    return ((await answer.json()) as { result: Row[] }).result;
  }

  /** What the table shows, row by row. */
  async function tableTexts(): Promise<string[][]> {
    const rows = await page.locator('#table-card tbody tr').all();
    return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
  }

  it.each([1440, 768, 360])(
    'draws a chart after the key with nothing typed, and nothing moves, at %i px',
    async (width) => {
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      await page.addInitScript(recordShifts());
      const asked: string[] = [];
      page.on('request', (sent) => asked.push(new URL(sent.url()).pathname));
      await openResult();
      expect(await page.locator('#chart canvas').count()).toBe(2);
      expect(asked.filter((path) => path !== '/favicon.ico')).toEqual([
        '/',
        '/api/endpoints',
        '/api/endpoints/query/tasks.run-stats',
      ]);
      expect(await page.evaluate('document.activeElement.id')).toBe('run');
      await page.reload();
      await page.waitForSelector(`${RESULT} table`);
      expect(await page.evaluate('window.shifts')).toEqual([]);
      await page.goto('about:blank');
      await page.goto(`${service.url}/#web.visit-counts?project=${PROJECT}&interval=daily`);
      await page.waitForSelector(`${RESULT} table`);
      expect(await page.evaluate('window.shifts')).toEqual([]);
    },
  );

  it('keeps the key where the list of endpoints fails, and after a reload', async () => {
    await openResult();
    await page.route('**/api/endpoints', (route) => route.abort());
    await page.reload();
    await page.waitForSelector('#key-error:has-text("The service does not answer")');
    await page.reload();
    await page.waitForSelector('#key-error:not([hidden])');
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
    await page.check('input[name=zone][value=utc]');
    expect(await scroll()).toBe(200);
    await page.selectOption('#field-interval', '15min');
    await run();
    expect(await scroll()).toBe(0);
  });

  it('runs tasks.run-stats and shows the rows of the API as chart and table', async () => {
    await openResult();
    expect(await page.inputValue('#field-project')).toBe(PROJECT);
    expect(await page.inputValue('#field-interval')).toBe('1day');
    expect(await page.inputValue('#field-function_id')).toBe('');
    const rows = await apiRows('tasks.run-stats', `project=${PROJECT}&interval=1day`);
    expect(rows.length).toBeGreaterThan(10);

    expect(await page.locator('th button').allTextContents()).toEqual([
      'timestamp local',
      'avg_duration ms',
      'max_duration ms',
      'count',
    ]);
    const counts = (await tableTexts()).map(([, , , count]) => count);
    expect(counts).toEqual(rows.map(({ count }) => Number(count).toLocaleString('en')));
    const spoken = (await readChart()).filter((text) => !text.includes('no rows'));
    expect(spoken.map((text) => /; count (\d+)$/.exec(text)?.[1])).toEqual(
      rows.map(({ count }) => String(count)),
    );
    expect(spoken[0]).toMatch(/^\d+ \w{3} \d\d:00; avg [\d.]+ ms; max [\d.,]+ ms; count \d+$/);
    expect(await page.locator('.panel h3').allTextContents()).toEqual([
      'Duration ms',
      'Count per hour',
    ]);
  });

  it('runs web.visit-counts and shows the rows of the API as chart and table', async () => {
    await openResult();
    await choose('web.visit-counts');
    expect(await page.inputValue('#field-interval')).toBe('hourly');
    await page.selectOption('#field-interval', 'daily');
    await run();
    const rows = await apiRows('web.visit-counts', `project=${PROJECT}&interval=daily`);
    const inTokyo = (row: Row): string => `${String(row.timestamp).slice(0, 10)} 09:00:00`;
    expect(await tableTexts()).toEqual(
      rows.map((row) => [inTokyo(row), String(row.visits), String(row.urls)]),
    );
    // Without a bucket the times are instants, here in Tokyo.
    expect((await readChart()).map((text) => text.replace(/^\d+ \w{3} /, ''))).toEqual(
      rows.map(({ visits, urls }) => `09:00:00; visits ${visits}; urls ${urls}`),
    );
  });

  it('shows where the rows come from, their age and the time of the next refresh', async () => {
    const hash = `#web.visit-counts?project=${PROJECT}&interval=minutely`;
    await openResult(hash);
    await page.click('#run');
    await page.waitForSelector('.badge.hit');
    expect(await page.textContent('#freshness')).toMatch(
      /^From the cache, (just now|\d+ s old), the next refresh in [45] min\d+ rows? in [\d.]+ m?snothing read in BigQuery$/,
    );
  });

  it('hides a series that is switched off', async () => {
    await openResult(`#tasks.run-stats?project=${PROJECT}&interval=1day`);
    const before = await painted();
    await page.click('.toggle:has-text("avg")');
    expect(await page.getAttribute('.toggle:has-text("avg")', 'aria-pressed')).toBe('false');
    expect(await painted()).not.toBe(before);
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

  it('shows the fault of a parameter next to its field', async () => {
    await signIn('#web.visit-counts');
    await page.fill('#field-project', '(');
    await page.click('#run');
    await page.waitForSelector('#error-project:not([hidden])');
    expect(await page.textContent('#error-project')).toBe(
      'project is not a regular expression of RE2: error parsing regexp: missing closing ): `(`.',
    );
    expect(await page.getAttribute('#field-project', 'aria-invalid')).toBe('true');
    expect(await page.getAttribute('#field-project', 'aria-describedby')).toBe(
      'error-project hint-project',
    );
    expect(await page.evaluate('document.activeElement.id')).toBe('field-project');
    expect(await page.isVisible('#problem')).toBe(false);
    await page.screenshot({ path: 'artifacts/console-field.png' });
    await page.fill('#field-project', PROJECT);
    expect(await page.isVisible('#error-project')).toBe(false);
  });

  it('explains what to do about a wrong key, and stores none', async () => {
    await signIn('', 'sqk_wrong-key');
    await page.waitForSelector('#key-error:not([hidden])');
    expect(await page.textContent('#key-error')).toBe(
      'This key opens nothing here. Check that it is complete, or ask for a new one.',
    );
    expect(await page.isVisible('#workspace')).toBe(false);
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    await page.fill('#key', 'key🔑');
    await page.click('#open');
    await page.waitForSelector('#key-error:has-text("opens nothing")');
  });

  it('keeps the key for the life of the tab, and never in the address', async () => {
    await openResult(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await page.reload();
    await page.waitForSelector('#result table');
    expect(page.url()).toBe(`${service.url}/#web.visit-counts?project=${PROJECT}&interval=daily`);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(
      KEY,
    );
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
    await page.waitForSelector('#error-interval:not([hidden])');
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

  it('reports that a query found no rows', async () => {
    await signIn('#tasks.run-stats?project=no-such-project&interval=1hr');
    await page.waitForSelector('#empty:not([hidden])');
    expect(await page.textContent('#freshness')).toContain('0 rows');
    expect(await page.isVisible('#chart-card')).toBe(false);
    await page.screenshot({ path: 'artifacts/console-empty.png' });
  });

  it('explains an error, with an id that can be copied', async () => {
    const answer = { code: 500, status: 'INTERNAL', message: 'Internal error.' };
    await page.route('**/api/endpoints/query/**', (route) =>
      route.fulfill({
        status: 500,
        json: {
          error: { ...answer, details: [{ reason: 'INTERNAL', metadata: { errorId: 'e-17' } }] },
        },
      }),
    );
    await signIn(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).toBe(
      'Something failed in the serviceYour values are not the cause. Run again in a moment. If it fails again, pass on this error id:e-17 Copy error id',
    );
    await page.click('#problem button');
    await page.waitForSelector('#problem button:text-is("Copied")');
    expect(await copied(page)).toBe('e-17');
    await page.screenshot({ path: 'artifacts/console-error.png' });
  });

  it('shows that a slow query runs, and stops waiting when asked', async () => {
    let release = (): void => undefined;
    await page.route('**/api/endpoints/query/**', async (route) => {
      await new Promise<void>((resolve) => (release = resolve));
      await route.continue().catch(() => undefined);
    });
    await signIn(`#web.visit-counts?project=${PROJECT}&interval=daily`);
    await page.waitForSelector('#progress-text:has-text("Running for")');
    expect(await page.isVisible('#progress')).toBe(true);
    await page.screenshot({ path: 'artifacts/console-slow.png' });
    await page.click('#cancel');
    expect(await page.textContent('#problem')).toBe(
      'CancelledNothing waits for the query any more.',
    );
    expect(await page.isVisible('#progress')).toBe(false);
    release();
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
        await page.keyboard.press(key);
      }
      throw new Error(`Tab does not get to ${selector}.`);
    };
    await page.goto(service.url);
    await page.keyboard.type(KEY);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#run:focus');
    await page.keyboard.press('Control+K');
    await page.keyboard.type('visit-counts');
    await run(() => page.keyboard.press('Enter'));
    await tabTo('#field-interval', 'Shift+Tab');
    await page.keyboard.press('End');
    await tabTo('#run');
    await run(() => page.keyboard.press('Enter'));
    expect(page.url()).toContain('interval=minutely');
    await tabTo('input[name=zone]');
    await page.keyboard.press('ArrowRight');
    expect(await page.textContent('th .zone')).toBe('UTC');
    await tabTo('.toggle');
    await page.keyboard.press('Space');
    expect(await page.getAttribute('.toggle', 'aria-pressed')).toBe('false');
    await tabTo('th button');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
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
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  it('fits a screen of 360 px', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const width = (): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth');
    await page.goto(service.url);
    await page.waitForSelector('#key-form');
    expect(await width()).toBe(360);
    await openResult(`#tasks.run-stats?project=${PROJECT}&interval=7day`);
    expect(await width()).toBe(360);
    await page.screenshot({ path: 'artifacts/console-360.png', fullPage: true });
    await page.goto(`${service.url}/#web.visit-counts?project=${'('.repeat(200)}&interval=daily`);
    await page.waitForSelector('#error-project:not([hidden])');
    expect(await width()).toBe(360);
  });
});

describeInBrowser('a folder of definitions', () => {
  it('is all it takes: catalogue, OpenAPI document and console have a new endpoint', async () => {
    const tree = new FakeSqlTree();
    tree.endpoint({
      name: 'orders.per-country',
      description: 'Orders per country.',
      parameters: {
        currency: parameter({
          example: 'EUR',
          description: 'Sums in this one.',
          enum: ['EUR', 'USD'],
          default: 'USD',
        }),
        customer: parameter({
          description: 'Only orders of this one.',
          required: true,
          example: 'c-1',
        }),
        regions: parameter({ type: 'ARRAY<STRING>', required: true, example: ['eu', 'us'] }),
      },
      row: {
        country: { type: 'STRING', mode: 'REQUIRED', description: 'ISO 3166.' },
        total: { type: 'NUMERIC', mode: 'NULLABLE', description: 'The sum.' },
      },
    });
    const { queryRunner, close, ...served } = await serveConsole(tree);
    queryRunner.answerWith(
      queryResult({
        schema: columns('country STRING, total NUMERIC'),
        rows: [
          { f: [{ v: 'DE' }, { v: '1234567890123456789.05' }] },
          { f: [{ v: 'FR' }, { v: null }] },
        ],
      }),
    );
    const get = async (path: string): Promise<unknown> =>
      (await fetch(served.origin + path, { headers: { 'X-API-KEY': API_KEY } })).json();
    expect(await get('/api/endpoints')).toMatchObject({
      endpoints: [{ name: 'orders.per-country' }],
    });
    expect(await get('/api/endpoints/openapi.json')).toMatchObject({
      paths: {
        '/api/endpoints/query/orders.per-country': { get: { summary: 'orders.per-country' } },
      },
    });

    await openAt(served.origin);
    await signIn('', API_KEY);
    await page.waitForSelector('nav a:has-text("orders.per-country")');
    expect(await page.locator('#field-currency option').allTextContents()).toEqual(['EUR', 'USD']);
    expect(await page.inputValue('#field-currency')).toBe('USD');
    expect(await page.textContent('#hint-customer')).toContain('Only orders of this one.');
    await page.fill('#field-customer', 'c-2');
    await run();
    expect(await page.locator('tbody td').allTextContents()).toEqual([
      'DE',
      '1,234,567,890,123,456,789.05',
      'FR',
      'null',
    ]);
    expect(await readChart()).toEqual([
      'DE; total 1,234,567,890,123,456,789.05',
      'FR; total no value',
    ]);
    expect(queryRunner.requests[0]?.parameters).toEqual({
      currency: 'USD',
      customer: 'c-2',
      regions: ['eu', 'us'],
    });
    await close();
  });
});

describeInBrowser('a deployed console', () => {
  let service: ConsoleServer;

  beforeAll(async () => {
    const tree = new FakeSqlTree().endpoint({
      name: 'orders.daily',
      parameters: {
        shop: parameter({ required: true, example: 'a' }),
        day: parameter({ example: '1' }),
        kind: parameter({ enum: ['all', 'paid', 'open'], default: 'all', example: 'all' }),
      },
    });
    service = await serveConsole(tree);
    const parameters = { shop: ['b', 'c'], kind: ['paid', 'open'] };
    service.keyStore.add('sqk_one-shop', { parameters });
    service.keyStore.add('sqk_another-key', {});
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    service.queryRunner.requests.length = 0;
    await openAt(service.origin);
  });

  const values = (): unknown => service.queryRunner.requests.map(({ parameters }) => parameters);

  it('fills in the example, and waits for Run, which has the focus', async () => {
    await signIn('', API_KEY);
    await page.waitForSelector('#run:focus');
    expect(await page.inputValue('#field-shop')).toBe('a');
    expect(await page.isVisible('#result')).toBe(false);
    expect(values()).toEqual([]);
    expect(await page.textContent('#key-name')).toBe('dashboard');
    await page.keyboard.press('Enter');
    await page.waitForSelector(`${RESULT} table`);
    expect(values()).toEqual([{ shop: 'a', day: '', kind: 'all' }]);
    expect(await page.textContent('#freshness')).toMatch(/^From the query, (just now|1 s old)/);
  });

  it('offers a restricted key the values that are allowed, and runs the first of each by itself', async () => {
    await signIn('', 'sqk_one-shop');
    await page.waitForSelector(`${RESULT} table`);
    expect(await page.locator('#field-shop option').allTextContents()).toEqual(['b', 'c']);
    // The default is not allowed.
    expect(values()).toEqual([{ shop: 'b', day: '', kind: 'paid' }]);
  });

  it.each(['after "Change key"', 'after the list of endpoints failed'])(
    'runs by itself what this tab ran before, and leaves no value to another key, %s',
    async (when) => {
      await signIn('', API_KEY);
      await page.fill('#field-shop', 'mine');
      await run();
      const isFailing = when.includes('failed');
      if (isFailing) await page.route('**/api/endpoints', (route) => route.abort());
      await page.goto('about:blank');
      await page.goto(service.origin);
      if (isFailing) {
        await page.waitForSelector('#key-error:not([hidden])');
        await page.unroute('**/api/endpoints');
        browser.takeFaults();
      } else {
        await page.waitForSelector(`${RESULT} table`);
        expect(page.url()).toContain('shop=mine');
        await page.click('#change-key');
      }
      await page.fill('#key', 'sqk_another-key');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#run:focus');
      expect(await page.inputValue('#field-shop')).toBe('a');
      expect(await page.isVisible('#result')).toBe(false);
    },
  );

  it('names what was asked for where there are no rows', async () => {
    service.queryRunner.answerWith(queryResult({ rows: [] }), queryResult());
    await signIn('#orders.daily?shop=empty', API_KEY);
    await page.waitForSelector('#run:focus');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#empty:not([hidden])');
    expect(await page.textContent('#empty-text')).toBe(
      'The query ran and found nothing for shop “empty” and kind “all”. Change a value and run again.',
    );
  });
});
