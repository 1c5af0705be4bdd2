// Tests of the tabs of an endpoint in a real browser: result, columns, code and JSON, and the age of the rows.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { LOOKS, WIDTHS, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { API_KEY } from '../support/world.ts';
import { columns } from '../support/sql/columns.ts';
import { leaveBodies } from '../support/service/mcp-client.ts';

const execute = promisify(execFile);
const TABS = ['Result', 'Columns', 'Code', 'JSON'];
const HOSTILE = `it's "a" \\ $HOME \`id\` ${'${x}'} %20 日本 👩‍👧`;
const BODY = '{"result":[{"day":"2026-11-20","total":"12.50","share":0.25}]}';

leaveBodies();

describeInBrowser('the tabs of an endpoint', () => {
  const browser = useBrowser();
  let service: ConsoleServer;
  let page: Page;

  beforeAll(async () => {
    const row = rowOf('day DATE REQUIRED, total NUMERIC, share FLOAT64');
    const tree = new FakeSqlTree()
      .endpoint({
        name: 'orders.daily',
        description: 'Orders per day.',
        parameters: {
          shop: parameter({ required: true, description: 'The shop.', maxLength: 80 }),
          kind: parameter({ enum: ['all', 'paid'], default: 'all', example: 'all' }),
        },
        row: { ...row, total: { ...row.total, unit: 'EUR', description: 'The sum.' } },
      })
      .endpoint({ name: 'orders.plain', id: '21111111-2222-4333-8444-555555555555', row });
    service = await serveConsole(tree);
    const schema = columns('day DATE REQUIRED, total NUMERIC, share FLOAT64');
    const rows = [{ f: [{ v: '2026-11-20' }, { v: '12.50' }, { v: '0.25' }] }];
    service.queryRunner.answerWith(queryResult({ schema, rows }));
  });
  beforeEach(async () => {
    page = await browser.open(service.origin, { width: 1440 });
  });

  async function open(hash = ''): Promise<void> {
    await browser.signIn(`${service.origin}/${hash}`, API_KEY);
    await page.waitForSelector('#tab-result');
  }
  const runIt = async (): Promise<void> => {
    await page.click('#run');
    await page.waitForSelector('#result:not(.waiting, .stale) table');
  };
  const code = async (id = 'snippet'): Promise<string> => (await page.textContent(`#${id}`)) ?? '';
  const choose = (language: string): Promise<void> =>
    page.selectOption('#language', language).then(() => undefined);

  it('are tabs to screen readers and to the keyboard', async () => {
    await open('#orders.daily?shop=a');
    const state = (): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll('[role=tab]')].map((tab) => [tab.innerText, tab.ariaSelected, tab.tabIndex,
           document.getElementById(tab.getAttribute('aria-controls')).checkVisibility()].join(' '))`,
      );
    const of = (chosen: string): string[] =>
      TABS.map((name) => name + (name === chosen ? ' true 0 true' : ' false -1 false'));
    expect(await page.getAttribute('[role=tablist]', 'aria-label')).toBe('Endpoint');
    expect(await state()).toEqual(of('Result'));
    await page.focus('#tab-result');
    for (const [key, name] of [
      ['ArrowRight', 'Columns'],
      ['ArrowRight', 'Code'],
      ['End', 'JSON'],
      ['ArrowRight', 'Result'],
      ['ArrowLeft', 'JSON'],
      ['Home', 'Result'],
      ['ArrowLeft', 'JSON'],
      ['ArrowLeft', 'Code'],
    ] as const) {
      await browser.press(key);
      expect([key, await browser.focused()]).toEqual([key, `tab-${name.toLowerCase()}`]);
      expect(await state()).toEqual(of(name));
    }
    await browser.press('Tab');
    expect(await browser.focused()).toBe('language');
    for (const name of ['result', 'columns', 'code', 'json'])
      expect(await page.getAttribute(`#panel-${name}`, 'aria-labelledby')).toBe(`tab-${name}`);
  });

  it.each(WIDTHS)('move nothing when another one is chosen, at %i px', async (width) => {
    await browser.resize(width);
    await browser.recordShifts();
    await open('#orders.daily?shop=a');
    await runIt();
    // What the first rows have moved is painted first.
    await page.evaluate(`new Promise((done) => requestAnimationFrame(() => setTimeout(done)))`);
    await page.evaluate('void (window.shifts.length = 0)');
    const places = (): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll('[role=tab]')].map((tab) => JSON.stringify(tab.getBoundingClientRect()))`,
      );
    const before = await places();
    for (const name of ['columns', 'code', 'json', 'result', 'json', 'code']) {
      await page.click(`#tab-${name}`);
      expect(await places()).toEqual(before);
      expect(await browser.width()).toBe(width);
    }
    for (const language of ['mcp', 'power-query', 'curl']) {
      await choose(language);
      expect(await browser.width()).toBe(width);
    }
    expect(await browser.shifts()).toEqual([]);
  });

  it('show the columns and the parameters with what they mean', async () => {
    await open('#orders.daily');
    await page.click('#tab-columns');
    const lines = (): Promise<string[]> => page.locator('.definitions tr').allInnerTexts();
    expect((await lines()).map((line) => line.split('\t'))).toEqual([
      ['Name', 'Type', 'Mode', 'Unit', 'Description'],
      ['day', 'DATE', 'never null', '', 'A column.'],
      ['total', 'NUMERIC', 'may be null', 'EUR', 'The sum.'],
      ['share', 'FLOAT64', 'may be null', '', 'A column.'],
      ['Name', 'Type', 'Mode', 'Default', 'Description'],
      ['shop', 'STRING', 'required', '', 'The shop. Up to 80 characters.'],
      ['kind', 'STRING', 'optional', 'all', 'A parameter. One of all, paid.'],
    ]);
    await page.click('nav a:has-text("orders.plain")');
    await page.waitForSelector('h1#name:text-is("orders.plain")');
    await page.click('#tab-columns');
    expect(await page.locator('.definitions h2').allInnerTexts()).toEqual(['Columns']);
  });

  it('show code that works as pasted, with the values of the form and without the key', async () => {
    await open('#orders.daily?shop=a');
    await page.click('#tab-code');
    const env = { ...process.env, API_KEY };
    for (const [language, id] of Object.entries({ curl: 'snippet', mcp: 'snippet-2' })) {
      const shop = `${HOSTILE} ${language}`;
      await choose(language);
      await page.fill('#field-shop', shop);
      const { stdout } = await execute('bash', ['-c', await code(id)], { env });
      expect([language, stdout]).toEqual([language, expect.stringContaining('2026-11-20')]);
      expect(service.queryRunner.requests.at(-1)?.parameters.shop).toBe(shop);
    }
    expect(await page.content()).not.toContain(API_KEY);
  });

  it('remember the language for the life of the browser tab, and copy the code', async () => {
    await open('#orders.daily?shop=a');
    await page.click('#tab-code');
    await choose('power-query');
    await page.reload();
    await page.waitForSelector('#tab-code');
    await page.click('#tab-code');
    expect(await code()).toMatch(/^let\n {4}ApiKey = "<your API key>",\n/);
    await page.click('#snippets button');
    await page.waitForSelector('#snippets button:text-is("Copied")');
    expect(await browser.copied()).toBe(await code());
    await choose('mcp');
    expect(await code()).toContain('"mcpServers"');
  });

  it('show the answer as it was sent, once there is one', async () => {
    await open('#orders.daily');
    expect(await page.innerText('#not-run')).toBe(
      'No rows yet. Run shows rows that are never older than 15 min, and refreshed every 5 min while they are in use.',
    );
    await page.click('#tab-json');
    expect(await page.innerText('#panel-json')).toBe(
      'Nothing has run yet. Run shows the answer here as the service sends it.',
    );
    await page.fill('#field-shop', 'b');
    await page.click('#run');
    await page.waitForSelector('#json:not([hidden])');
    expect(await page.isVisible('#panel-json')).toBe(true);
    expect(await code('json')).toBe(JSON.stringify(JSON.parse(BODY), null, 2));
    expect(await page.innerText('#json-note')).toBe(
      '62 B, indented. Copy and Download take it as it was sent.',
    );
    await page.click('#json-actions button');
    await page.waitForSelector('#json-actions button:text-is("Copied")');
    expect(await browser.copied()).toBe(BODY);
    expect(await browser.download('#save-json')).toEqual({ name: 'orders.daily.json', text: BODY });
  });

  it('show a large answer at once, with its size', async () => {
    const row = `{"day":"2026-11-20","total":"12.50","share":0.25,"text":"${'x'.repeat(300)}"}`;
    const body = `{"result":[${Array<string>(10_000).fill(row).join(',')}]}`;
    await page.route('**/api/endpoints/query/**', (route) => route.fulfill({ body }));
    await open('#orders.daily');
    await page.fill('#field-shop', 'b');
    await runIt();
    await page.click('#tab-columns');
    await page.click('#tab-json');
    expect(await page.innerText('#json-note')).toBe(
      '3.6 MB, of which the beginning is shown. Copy and Download take all of it.',
    );
    expect((await code('json')).length).toBeLessThan(51_000);
  });

  it('show the age of the rows, which counts up without a request and without an announcement', async () => {
    await page.clock.install();
    await open('#orders.daily?shop=age');
    await runIt();
    const line = (): Promise<string> => page.innerText('#freshness');
    expect(await line()).toMatch(
      /^From BigQuery, (?:just now|\d s old), the next refresh in 5 min\n1 row in \d+ ms\nread 1 kB in BigQuery$/,
    );
    const asked: string[] = [];
    page.on('request', (sent) => asked.push(sent.url()));
    const status = await page.textContent('#status');
    await page.clock.runFor(125_000);
    expect(await line()).toMatch(/^From BigQuery, 2 min old, the next refresh in 3 min\n/);
    await page.clock.runFor(200_000);
    expect(await line()).toMatch(/^From BigQuery, 5 min old, refresh due, expires in 10 min\n/);
    expect(asked).toEqual([]);
    expect(await page.textContent('#status')).toBe(status);
    expect(await page.locator('[aria-live] #freshness, [role=status] #freshness').count()).toBe(0);
    await runIt();
    expect(await line()).toMatch(/\nnothing read in BigQuery$/);
    // The catalogue of the next visit knows of the run.
    await page.reload();
    await page.waitForSelector('#cost:not(:empty)');
    expect(await page.textContent('#cost')).toMatch(
      /^Last run: 1 kB in [\d.]+ m?s, US\$0\.00006 · A run reads at most .+, US\$0\.\d+$/,
    );
  });

  it.each(LOOKS)('are accessible at %i px in %s with forced colours %s', async (...look) => {
    const [width, colorScheme, forcedColors] = look;
    await browser.resize(width);
    await page.emulateMedia({ colorScheme, forcedColors });
    await open('#orders.daily?shop=a');
    for (const name of ['columns', 'code', 'json']) {
      await page.click(`#tab-${name}`);
      expect([name, await browser.seriousFindings()]).toEqual([name, []]);
    }
  });
});
