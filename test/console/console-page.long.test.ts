// Tests of the deployed console in a real browser: keys and tokens, runs and what becomes of them, and the tabs.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { RESULT, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { API_KEY } from '../support/world.ts';
import { queryResult, wireRow } from '../support/fakes/fake-query-runner.ts';
import { createSigner } from '../support/service/sign-token.ts';
import { columns } from '../support/sql/columns.ts';

const signer = createSigner();

describeInBrowser('the console', () => {
  const browser = useBrowser();
  let service: ConsoleServer;
  let page: Page;

  beforeAll(async () => {
    service = await serveConsole();
    service.keyStore.keys.set(signer.id, signer.stored({ bytesPerDay: 10 ** 12 }));
    service.keyStore.add('sqk_another-key', {});
    service.keyStore.add('sqk_no-endpoint', { endpoints: ['gone.away'] });
    const schema = columns('day DATE REQUIRED, total NUMERIC, note STRING');
    const rows = [wireRow('2026-11-20', '12.50', 'note-of-shop-7')];
    service.queryRunner.answerWith(queryResult({ schema, rows }));
  });

  const shows = (text: string, where = '#problem'): Promise<unknown> =>
    page.waitForSelector(`${where}:has-text("${text}")`);
  const stored = (): Promise<unknown> =>
    page.evaluate('sessionStorage.length + localStorage.length');
  const sign = (shop: string, seconds = 3600): string => {
    const iat = service.clock.nowMs() / 1000;
    const parameters = { shop: { fixed: shop } };
    return signer.sign({ iat, exp: iat + seconds, sub: shop, parameters });
  };
  async function open(hash = '', key = API_KEY): Promise<void> {
    page = await browser.open(service.origin);
    // Time goes on, and the tests can move it.
    await page.clock.install();
    await browser.signIn(`${service.origin}/${hash}`, key);
    await page.waitForSelector('#tab-result');
  }
  async function run(): Promise<void> {
    await page.click('#run');
    await page.waitForSelector(RESULT, { state: 'attached' });
  }

  /** What the code prints in a shell. */
  async function pasted(variables: object): Promise<string> {
    const env = { ...process.env, ...variables };
    const code = await browser.snippet();
    return (await promisify(execFile)('bash', ['-c', code], { env })).stdout;
  }

  it('says what to do about a wrong key, stores none, and tells it from one that opens nothing', async () => {
    page = await browser.open(service.origin);
    await page.goto(service.origin);
    expect(await page.textContent('label[for=key]')).toBe('API key or token');
    for (const key of ['sqk_wrong-key', 'key🔑']) {
      await browser.enterKey(key);
      await shows('This service does not know the key, or it has expired.', '#key-error');
      expect([await page.isVisible('#workspace'), await stored()]).toEqual([false, 0]);
    }
    await browser.enterKey('sqk_no-endpoint');
    await shows('The key or token is valid, but opens no endpoint.', '#nothing');
  });

  it('keeps the key for the life of the tab, also where the list fails, and never in the address', async () => {
    await open('#shop.daily?shop=kept');
    await run();
    await page.route('**/api/endpoints', (route) => route.abort());
    for (const _ of ['a reload', 'another one']) {
      await page.reload();
      await shows('The service does not answer', '#key-error');
    }
    await page.unroute('**/api/endpoints');
    browser.takeFaults();
    await page.reload();
    await page.waitForSelector(RESULT);
    expect(page.url()).toBe(`${service.origin}/#shop.daily?shop=kept&kind=all`);
    const kept = await page.evaluate('JSON.stringify(localStorage) + document.cookie');
    expect(kept).not.toContain(API_KEY);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.waitForSelector('#key-form');
    await other.close();
    // Nor does another key get the values of this one.
    await page.click('#change-key');
    expect(page.url()).toBe(`${service.origin}/`);
    await page.reload();
    await page.waitForSelector('#key-form');
    await browser.enterKey('sqk_another-key');
    await page.waitForSelector('#run:focus');
    await page.click('nav a[aria-label="shop.daily"]');
    await page.waitForSelector('h1#name:text-is("shop.daily")');
    expect(await page.inputValue('#field-shop')).toBe('a');
    const count = service.queryRunner.requests.length;
    await browser.follow('#shop.daily?shop=kept');
    await shows('Check the values, then run.');
    expect(service.queryRunner.requests).toHaveLength(count);
  });

  it('sends a token as Authorization: Bearer and a key as X-API-KEY, each alone', async () => {
    page = await browser.open(service.origin);
    const sent: (string | undefined)[][] = [];
    page.on('request', (request) => {
      const { 'x-api-key': key, authorization } = request.headers();
      if (request.url().includes('/api/')) sent.push([key, authorization]);
    });
    const token = sign('shop-7');
    await browser.signIn(`${service.origin}/#shop.daily`, token);
    await page.waitForSelector('#run');
    // Without costs, and without what the token fixes.
    expect(await page.locator('#fields .field > label').allTextContents()).toEqual(['kind ']);
    expect(await page.textContent('#cost')).toBe('');
    await run();
    expect(sent).toEqual(Array(2).fill([undefined, `Bearer ${token}`]));
    expect(service.queryRunner.requests.at(-1)?.parameters).toMatchObject({ shop: 'shop-7' });
    expect(await page.textContent('#key-state')).toMatch(/Token of\s+shop/);
    await page.click('#tab-code');
    expect(await pasted({ API_TOKEN: token })).toContain('note-of-shop-7');
    expect(await page.textContent('#panel-code')).not.toMatch(/X-API-KEY|API_KEY|eyJ|shop-7/);
    await browser.follow('#shop.total');
    expect(await page.locator('#fields .field').count()).toBe(0);
    await page.click('#change-key');
    sent.length = 0;
    await browser.enterKey(API_KEY);
    await page.waitForSelector('#run');
    expect(sent).toEqual([[API_KEY, undefined]]);
  });

  it.each(['expires', 'is changed'])('keeps nothing of a token that %s', async (what) => {
    await open('#shop.daily?kind=paid', sign('shop-7', 60));
    await run();
    const address = page.url();
    for (const tab of ['code', 'columns', 'result']) await page.click(`#tab-${tab}`);
    /** All that the page and the tab contain, but for the address. */
    const kept = (): Promise<string> =>
      page.evaluate(`document.body.innerHTML.replace(/<script[^]*?<\\/script>/g, '') + JSON.stringify(sessionStorage) +
        document.title + [...document.querySelectorAll('input, select')].map(({ value }) => value)`);
    expect(await kept()).toMatch(/note-of-shop-7/);
    if (what === 'expires') {
      service.clock.advance(4_000_000);
      await page.click('#run');
      await shows('The token is not valid. It has expired.', '#key-error');
    } else await page.click('#change-key');
    await page.waitForSelector('#key-form');
    expect((await kept()).match(/.*(?:shop-7|daily|eyJ).*/g)).toBeNull();
    if (what === 'is changed') return;
    // The user goes on where the first one ended.
    await page.reload();
    await browser.enterKey(sign('shop-7', 60));
    await page.waitForSelector('#run');
    expect([page.url(), await page.inputValue('#field-kind')]).toEqual([address, 'paid']);
    service.clock.advance(100_000);
    await page.reload();
    await shows('The token is not valid. It has expired.', '#key-error');
    expect(await stored()).toBe(0);
  });

  it('carries endpoint and parameters in its link, back and forward, with the values of the last run', async () => {
    await open('#shop.daily?shop=first');
    await run();
    await page.fill('#field-shop', '');
    await page.selectOption('#field-kind', 'paid');
    await page.click('#run');
    await page.waitForSelector('#error-shop:not([hidden])');
    await page.fill('#field-shop', 'second');
    await page.click('#run');
    await page.waitForURL(/shop=second&kind=paid$/);
    await page.waitForSelector(RESULT);
    await page.click('nav a[aria-label="shop.total"]');
    await page.waitForURL(/#shop.total\?shop=second$/);
    await page.waitForSelector(RESULT);
    await page.goBack();
    await page.waitForSelector('h1#name:text-is("shop.daily")');
    expect(await page.inputValue('#field-kind')).toBe('paid');
    await page.goForward();
    await page.waitForSelector('h1#name:text-is("shop.total")');
    expect(await page.title()).toBe('shop.total · Saved queries');
  });

  it('explains an error, with what to do and its id', async () => {
    await open('#shop.daily?shop=a');
    expect(await page.textContent('#not-run')).toMatch(/^No rows yet: run/);
    const details = [{ reason: 'INTERNAL', metadata: { errorId: 'e-17' } }];
    const json = { error: { code: 500, message: 'Internal error.', details } };
    await page.route('**/api/endpoints/query/**', (route) =>
      route.fulfill({ status: 500, headers: { 'Retry-After': '72' }, json }),
    );
    await page.click('#run');
    await shows(
      'Internal error.Try again in 1 min 12 s. If it fails again, pass on this error id: e-17',
    );
    expect(await page.textContent('#not-run')).toBe('');
  });

  it('shows that a slow query runs and asks again as told, until it has the rows', async () => {
    await open('#shop.daily?shop=slow');
    let running: number | undefined;
    let asked = 0;
    await page.route('**/query/shop.daily*', async (route) => {
      asked += 1;
      if (running === undefined) return undefined;
      if (running === Infinity) return route.continue();
      const metadata = { runningSeconds: String(running) };
      const details = [{ reason: 'QUERY_RUNNING', metadata }];
      const json = { error: { code: 503, message: '', details } };
      return route.fulfill({ status: 202, headers: { 'Retry-After': '65' }, json });
    });
    const tells = (text: string): Promise<unknown> => shows(text, '#progress-text');
    await page.click('#run');
    await page.clock.runFor(3000);
    await tells('Running for');
    await page.click('#cancel');
    await shows('CancelledRun again to get the rows.');
    expect(await page.isVisible('#progress')).toBe(false);

    running = 25;
    await page.click('#run');
    await tells('Running for 2');
    await page.focus('#cancel');
    await page.clock.runFor(35_000);
    await tells('Running for 1 min');
    expect(await page.textContent('#status')).toBe(
      'Running for 25 s. The rows are shown as soon as they are there.',
    );
    expect(asked).toBe(2);
    running = 95;
    await page.clock.runFor(30_000);
    await tells('Running for 1 min 3');
    expect(await browser.focused()).toBe('cancel');
    // Stops by a key or by leaving the endpoint, and then asks no more.
    await browser.press('Escape');
    await shows('Stopped waitingThe query goes on. Run again to get its rows.');
    await page.click('#run');
    await tells('Running for 1 min 3');
    await page.click('nav a[aria-label="hosts.load"]');
    await page.waitForSelector('h1#name:text-is("hosts.load")');
    await page.clock.runFor(600_000);
    expect(asked).toBe(4);
    await page.goBack();
    await page.waitForSelector('h1#name:text-is("shop.daily")');
    await page.click('#run');
    await tells('Running for 1 min 3');
    running = Infinity;
    await page.clock.runFor(65_000);
    await page.waitForSelector(RESULT);
    expect(await page.isVisible('#progress-line')).toBe(false);
  });

  it('shows the age of the rows, keeps them fresh while it is seen, and keeps those that could not be refreshed', async () => {
    await open(`#shop.daily?shop=age-${Date.now()}`);
    await run();
    const line = (): Promise<string> => page.innerText('#freshness');
    expect(await line()).toMatch(
      /^From BigQuery, (?:just now|\d s old)\n1 row in \d+ ms\nread 1 kB in BigQuery$/,
    );
    const asked: (string | undefined)[] = [];
    page.on('request', (sent) => asked.push(sent.headers()['if-none-match']));
    const status = await page.textContent('#status');
    await page.clock.runFor(125_000);
    expect(await line()).toMatch(/^From BigQuery, 2 min old\n/);
    await page.clock.runFor(200_000);
    expect(await line()).toMatch(/^From BigQuery, 5 min old\n/);
    // Without a request and without an announcement.
    expect([asked.length, await page.textContent('#status')]).toEqual([0, status]);
    expect(await page.locator('[aria-live] #freshness, [role=status] #freshness').count()).toBe(0);

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
    expect(await line()).toMatch(/\nnothing read in BigQuery$/);
    // The same rows are not drawn again.
    expect(await table?.isVisible()).toBe(true);
    await page.route('**/api/endpoints/query/**', (route) => route.abort());
    await page.clock.runFor(61_000);
    await shows('The service does not answer. Check your network, and that the service runs.');
    expect(asked).toHaveLength(2);
    expect(await page.isVisible('#result table')).toBe(true);
    // The browser tells of the request that this test cut off.
    expect(browser.takeFaults()).toEqual(['Failed to load resource: net::ERR_FAILED']);
    await page.unroute('**/api/endpoints/query/**');
    // The catalogue of the next visit knows of the run.
    await page.reload();
    await page.waitForSelector('#cost:not(:empty)');
    expect(await page.textContent('#cost')).toMatch(
      /^last run: 1 kB in [\d.]+ m?s, US\$0\.00006 · a run reads at most .+, US\$0\.\d+$/,
    );
  });

  it('has tabs for the keyboard', async () => {
    await open('#shop.daily?shop=a');
    await page.focus('#tab-result');
    for (const [key, chosen] of [
      ['ArrowRight', 'columns'],
      ['ArrowLeft', 'result'],
      ['ArrowLeft', 'code'],
    ] as const) {
      await browser.press(key);
      expect([key, await browser.focused()]).toEqual([key, `tab-${chosen}`]);
      const panels = await page
        .locator('[id^=panel-]:visible')
        .evaluateAll((all) => all.map(({ id }) => id));
      expect(panels).toEqual([`panel-${chosen}`]);
    }
  });

  it('shows what columns mean, and code that works as pasted, without the key', async () => {
    const HOSTILE = `it's "a" \\ $HOME \`id\` ${'${x}'} %20 日本 👩‍👧`;
    await open('#shop.daily?shop=a&.tab=columns');
    const lines = await page.locator('.definitions tr').allInnerTexts();
    expect(lines.map((line) => line.split('\t'))).toEqual([
      ['Name', 'Type', 'Mode', 'Unit', 'Description'],
      ['day', 'DATE', 'never null', '', 'A column.'],
      ['total', 'NUMERIC', 'may be null', 'EUR', 'The sum.'],
      ['note', 'STRING', 'may be null', '', 'A column.'],
    ]);
    await page.click('#tab-code');
    const shop = HOSTILE;
    await page.fill('#field-shop', shop);
    expect(await pasted({ API_KEY })).toContain('2026-11-20');
    expect(service.queryRunner.requests.at(-1)?.parameters.shop).toBe(shop);
    await page.selectOption('#language', 'MCP');
    await page.click('#panel-code button');
    await shows('Copied', '#panel-code button');
    expect(await browser.copied()).toBe(await browser.snippet());
    expect(await page.content()).not.toContain(API_KEY);
  });

  it('restores the view of a link, and copies one with the values of the form and the view', async () => {
    await open('#shop.daily?shop=a&.tab=code&.hide=total');
    expect(await page.isChecked('#tab-code')).toBe(true);
    await run();
    // A run shows its result.
    expect(await page.isChecked('#tab-result')).toBe(true);
    expect(page.url()).toBe(`${service.origin}/#shop.daily?shop=a&kind=all&.hide=total`);
    expect(await page.locator('th').allInnerTexts()).toEqual(['day', 'note']);
    await page.fill('#field-shop', 'b & c');
    // Rows are not taken for those of values that were not run.
    expect(await page.textContent('#stale')).toBe('These rows are of other values: run again.');
    await page.focus('#copy-link');
    await browser.press('Enter');
    await page.waitForSelector('#copy-link:text-is("Copied")');
    const link = String(await browser.copied());
    expect(link).toBe(`${service.origin}/#shop.daily?shop=b+%26+c&kind=all&.hide=total`);
    await page.fill('#field-shop', 'a');
    expect(await page.isVisible('#stale')).toBe(false);
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForSelector('#field-shop');
    expect(await page.inputValue('#field-shop')).toBe('b & c');
  });
});
