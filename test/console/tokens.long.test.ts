// Tests of the console with a token in place of an API key, in a real browser.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { LOOKS, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { API_KEY } from '../support/world.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { leaveBodies } from '../support/service/mcp-client.ts';
import { createSigner } from '../support/service/sign-token.ts';
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';

const execute = promisify(execFile);
const COLUMNS = 'day DATE REQUIRED, note STRING';
const HOURLY = 'at TIMESTAMP REQUIRED, shop STRING REQUIRED, total INT64 REQUIRED';
/** A single number is shown without a table. */
const RESULT = '#result:not(.stale):not(.waiting) :is(.figures, table)';
const signer = createSigner();

leaveBodies();

describeInBrowser('the console with a token', () => {
  const browser = useBrowser();
  let service: ConsoleServer;
  let page: Page;
  let sent: (string | undefined)[][];

  beforeEach(async () => {
    const tree = new FakeSqlTree()
      .endpoint({
        name: 'orders.daily',
        parameters: {
          customer: parameter({ required: true, example: 'example' }),
          kind: parameter({ enum: ['all', 'paid'], example: 'all' }),
          shop: parameter({ example: 'a' }),
        },
        row: rowOf(COLUMNS),
      })
      .endpoint({
        id: '21111111-2222-4333-8444-555555555555',
        name: 'orders.total',
        parameters: { customer: parameter({ required: true, example: 'example' }) },
        row: rowOf(COLUMNS),
      })
      .endpoint({
        id: '31111111-2222-4333-8444-555555555555',
        name: 'orders.hourly',
        parameters: { customer: parameter({ required: true, example: 'example' }) },
        row: rowOf(HOURLY),
        bucket: { column: 'at', step: 'PT1H' },
      });
    service = await serveConsole(tree);
    service.keyStore.keys.set(signer.id, signer.stored({ bytesPerDay: 10 ** 12 }));
    service.queryRunner.answerWith(
      queryResult({
        schema: columns(COLUMNS),
        rows: [{ f: [{ v: '2026-11-20' }, { v: 'note-of-cust-7' }] }],
      }),
    );
    page = await browser.open(service.origin);
    sent = [];
    page.on('request', (request) => {
      const { 'x-api-key': key, authorization } = request.headers();
      if (request.url().includes('/api/')) sent.push([key, authorization]);
    });
  });

  const nowSeconds = (): number => service.clock.nowMs() / 1000;
  const tokenFor = (customer: string, seconds = 3600): string =>
    signer.sign({
      ...{ iat: nowSeconds(), exp: nowSeconds() + seconds, sub: customer },
      parameters: { customer: { fixed: customer } },
    });

  async function open(text: string, hash = ''): Promise<void> {
    await browser.signIn(`${service.origin}/${hash}`, text);
    await page.waitForSelector('#run');
  }

  async function run(): Promise<void> {
    await page.click('#run');
    await page.waitForSelector(RESULT);
  }

  async function expire(): Promise<void> {
    service.clock.advance(4_000_000);
    await page.click('#run');
    await page.waitForSelector('#key-error:not([hidden])');
  }

  /** All that the page and the tab contain, but for the address. */
  const kept = (): Promise<string> =>
    page.evaluate(`document.body.innerHTML.replace(/<script[^]*?<\\/script>/g, '') + JSON.stringify(sessionStorage) +
      document.title + [...document.querySelectorAll('input, select')].map(({ value }) => value)`);

  it.each(LOOKS)(
    'asks for a key or a token, and is complete without costs and fixed parameters, at %i px, %s, forced colours %s',
    async (width, colorScheme, forcedColors) => {
      page = await browser.open(service.origin, { width, colorScheme, forcedColors });
      await page.goto(service.origin);
      expect(await page.textContent('label[for=key]')).toBe('API key or token');
      await open(tokenFor('cust-7'));
      const fields = await page.locator('#fields .field').evaluateAll((all) => all.length);
      expect(fields).toBe(2);
      await run();
      expect(await page.textContent('#cost')).toBe('');
      expect(await page.isVisible('#cost')).toBe(false);
      expect(await browser.width()).toBe(width);
      expect(await browser.seriousFindings()).toEqual([]);
      // All parameters of the other endpoint are fixed.
      await page.goto(`${service.origin}/#orders.total`);
      await page.waitForSelector('h1#name:text-is("orders.total")');
      expect(await page.locator('#fields .field').count()).toBe(0);
      await run();
      expect(await browser.width()).toBe(width);
      expect(await browser.seriousFindings()).toEqual([]);
    },
  );

  it('sends a token as Authorization: Bearer and a key as X-API-KEY, each alone', async () => {
    const token = tokenFor('cust-7');
    await open(token);
    await run();
    expect(sent).toEqual(Array(2).fill([undefined, `Bearer ${token}`]));
    expect(service.queryRunner.requests[0]?.parameters).toMatchObject({ customer: 'cust-7' });
    expect(await page.textContent('#key-state')).toMatch(/Token of\s+shop/);
    sent = [];
    await page.click('#change-key');
    await open(API_KEY);
    expect(sent).toEqual([[API_KEY, undefined]]);
    expect(await page.textContent('#key-state')).toMatch(/Key\s+dashboard/);
  });

  it('shows code that works with the token, and does not contain it', async () => {
    const token = tokenFor('cust-7');
    await open(token, '#orders.daily?shop=b');
    await page.click('#tab-code');
    expect(await page.textContent('#panel-code')).toContain('When the token expires, use a new');
    const codes: string[] = [];
    for (const language of await page.locator('#language option').all()) {
      await page.selectOption('#language', await language.getAttribute('value'));
      codes.push((await page.textContent('#snippets')) ?? '');
    }
    expect(codes.filter((code) => /X-API-KEY|API_KEY|eyJ|cust-7/.test(code))).toEqual([]);
    expect(codes.filter((code) => code.includes('Bearer '))).toHaveLength(6);
    await page.selectOption('#language', 'curl');
    const env = { ...process.env, API_TOKEN: token };
    const code = (await page.textContent('#snippet')) ?? '';
    const { stdout } = await execute('bash', ['-c', code], { env });
    expect(stdout).toContain('note-of-cust-7');
  });

  it('asks for another token when one has expired, and goes on where the user was', async () => {
    await open(tokenFor('cust-7'), '#orders.daily?shop=b');
    await run();
    const address = page.url();
    await expire();
    expect(await page.textContent('#key-error')).toBe(
      'The token is not valid. It has expired. Enter another one.',
    );
    expect(await page.isVisible('#workspace')).toBe(false);
    expect(page.url()).toBe(address);
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    await page.reload();
    await page.waitForSelector('#key-form');
    await page.fill('#key', tokenFor('cust-7'));
    await browser.press('Enter');
    await page.waitForSelector('#run');
    expect(page.url()).toBe(address);
    expect(await page.inputValue('#field-shop')).toBe('b');
    await run();
  });

  it('says of an expired token at the start what is wrong, and stores nothing', async () => {
    const token = tokenFor('cust-7', 60);
    await open(token);
    service.clock.advance(100_000);
    await page.reload();
    await page.waitForSelector('#key-error:not([hidden])');
    expect(await page.textContent('#key-error')).toBe(
      'The token is not valid. It has expired. Ask for a new one.',
    );
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
  });

  it.each(['an expired token', 'a change'])('keeps nothing of a token after %s', async (why) => {
    await open(tokenFor('cust-7', 60), '#orders.daily?shop=shop-of-7&kind=paid');
    await run();
    for (const tab of ['json', 'code', 'columns']) await page.click(`#tab-${tab}`);
    await page.click('#tab-result');
    await page.hover('#copy-link');
    expect(await kept()).toMatch(/note-of-cust-7[^]*shop-of-7/);
    if (why === 'a change') await page.click('#change-key');
    else await expire();
    await page.waitForSelector('#key-form');
    expect((await kept()).match(/.*(?:of-cust-7|shop-of-7|orders|daily|eyJ).*/g)).toBeNull();
  });

  it('shows all lines of a chart again to the next token', async () => {
    const schema = columns(HOURLY);
    const rows = [0, 1, 2, 3].flatMap((hour) =>
      ['shop-1', 'shop-2'].map((shop) => ({
        f: [{ v: String(1_795_000_000_000_000 + hour * 3_600_000_000) }, { v: shop }, { v: '7' }],
      })),
    );
    service.queryRunner.answerWith(queryResult({ schema, rows }));
    await open(tokenFor('cust-7'), '#orders.hourly');
    await run();
    const pressed = () => page.locator('.toggle').first().getAttribute('aria-pressed');
    await page.locator('.toggle').first().click();
    expect(await pressed()).toBe('false');
    await page.click('#change-key');
    await page.fill('#key', tokenFor('cust-8'));
    await browser.press('Enter');
    await page.click('nav a:has-text("hourly")');
    await run();
    expect(await pressed()).toBe('true');
  });
});
