// Tests of the table in a real browser, with a thousand rows of long texts.
import type { Page } from 'playwright-core';
import { LOOKS, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { FakeSqlTree, rowOf } from '../support/sql/fake-sql-tree.ts';
import { eventually } from '../support/until.ts';

const ROW = rowOf('at TIMESTAMP, message STRING, share FLOAT64, id INT64, tags STRING REPEATED');
const COLUMNS = Object.entries(ROW).map(([name, column]) => ({
  ...{ name, ...column },
  ...(name === 'share' ? { unit: 'ms' } : {}),
}));
const messageOf = (index: number): string => `Row ${index}:\n`.padEnd(1200, 'lorem ipsum ');
/** The newest first; every third has a number with many digits. */
const rowAt = (index: number): Record<string, unknown> => ({
  at: new Date(Date.UTC(2026, 10, 23, 12) - index * 60_000).toISOString().replace('.000', ''),
  message: index === 2 ? null : messageOf(index),
  share: index % 3 === 0 ? 8641.123456789 : 8567,
  id: '9007199254740993',
  tags: ['a', `b${index}`],
});

describeInBrowser('the table', () => {
  const browser = useBrowser({ sharesTab: true });
  let server: ConsoleServer;
  let page: Page;
  let asked = 0;

  beforeAll(async () => {
    server = await serveConsole(new FakeSqlTree().endpoint(), { runsExamples: true });
    await open();
  });

  async function open(
    options: Parameters<typeof browser.open>[1] = {},
    rows = Array.from({ length: 1000 }, (_, index) => rowAt(index)),
  ): Promise<void> {
    page = await browser.open(server.origin, {
      width: 1440,
      timezoneId: 'UTC',
      colorScheme: 'light',
      ...options,
    });
    const endpoint = (name: string): object => ({
      ...{ id: name, name, description: name, path: `/api/endpoints/query/${name}` },
      ...{ parameters: [], row: COLUMNS, bucket: { column: 'at', step: 'PT1M' } },
      ...{ maxRows: 10_000, cachingSeconds: 900, cacheWarmingSeconds: 300 },
    });
    await page.clock.install({ time: '2026-11-23T12:30:00Z' });
    await page.clock.setFixedTime('2026-11-23T12:30:00Z');
    const json = { key: { name: 'test' }, endpoints: ['r.0', 'r.1'].map(endpoint) };
    await page.route('**/api/endpoints', (route) => route.fulfill({ json }));
    await page.route('**/api/endpoints/query/*', (route) => {
      asked += 1;
      return route.fulfill({ json: { result: rows } });
    });
    await browser.signIn(server.origin, 'sqk_any-key');
    await page.waitForSelector('#result:not(.waiting):not(.stale) .grid');
  }

  const rowsInPage = (): Promise<number> => page.locator('.grid tbody tr').count();
  const scrollTo = (top: number): Promise<void> =>
    page.evaluate(`new Promise((done) => {
      document.querySelector('.table-scroll').scrollTop = ${top};
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
    })`);
  const cell = (position: number, column: number) =>
    page.locator(`.grid tr[aria-rowindex="${position + 2}"] td`).nth(column);
  const names = async (): Promise<string[]> =>
    (await page.locator('th button').allTextContents()).map((name) => name.split(' ')[0] ?? '');
  const count = (text: string): Promise<void> =>
    eventually(async () => expect(await page.textContent('.filter-bar > .small')).toBe(text));
  /** The place of the focus, the header at 1, and the number of its column. */
  const focused = (): Promise<unknown> =>
    page.evaluate(`(() => {
      const cell = document.activeElement.closest('td, th');
      return cell && [Number(cell.parentElement.getAttribute('aria-rowindex')), cell.cellIndex];
    })()`);

  it('makes the rows near the view, each on one line, and all of them to be printed', async () => {
    expect(await page.getAttribute('.grid', 'aria-rowcount')).toBe('1001');
    const height = 'document.querySelector(".table-scroll").scrollHeight';
    expect(await page.evaluate(height)).toBe(32 * 1001);
    for (const position of [0, 500, 999]) {
      await scrollTo((position - 5) * 32);
      expect(await cell(position, 1).textContent()).toMatch(`Row ${position}:`);
    }
    expect(await rowsInPage()).toBeLessThan(500);
    const heights = await page.evaluate(
      `[...new Set([...document.querySelectorAll('.grid tr')].map((row) => row.offsetHeight))]`,
    );
    expect(heights).toEqual([32]);
    expect(await page.evaluate(height)).toBe(32 * 1001);
    expect(await browser.width()).toBe(1440);
    await page.evaluate(
      `addEventListener('beforeprint', () => {
         window.printed = [...document.querySelectorAll('.grid tr')].map((row) => row.cells[0].textContent);
       })`,
    );
    await page.pdf();
    const printed = (await page.evaluate('window.printed')) as string[];
    expect([printed.length, printed[0], printed[1], printed[1000]]).toEqual([
      ...[1001, 'at UTC', '23 Nov 12:00', '22 Nov 19:21'],
    ]);
  });

  it('writes numbers with the same digits, none lost or cut, and units in the header', async () => {
    await scrollTo(0);
    const headings = await page.locator('th button').allTextContents();
    expect(headings).toEqual(['at UTC', 'message', 'share ms', 'id', 'tags']);
    for (const [position, share] of ['8,641.12', '8,567.00'].entries()) {
      expect(await cell(position, 2).textContent()).toBe(share);
      expect(await cell(position, 3).textContent()).toBe('9,007,199,254,740,993');
    }
    expect(await cell(2, 1).textContent()).toBe('null');
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.grid :is(td:not(:nth-child(2)), th button)')]
         .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`,
    );
    expect(cut).toEqual([]);
  });

  it('shows the whole value on a click or Enter, to copy, and Esc returns to the cell', async () => {
    await cell(1, 1).click();
    expect(await page.textContent('dialog[open] pre')).toBe(messageOf(1));
    await page.click('dialog[open] button:text-is("Copy")');
    await page.waitForSelector('dialog[open] button:text-is("Copied")');
    expect(await browser.copied()).toBe(messageOf(1));
    await browser.press('Escape');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await eventually(async () => expect(await focused()).toEqual([3, 1]));
    // A number that is whole needs no dialog, and a rounded one has its digits there.
    await cell(1, 2).click();
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await cell(0, 2).click();
    expect(await page.textContent('dialog[open] pre')).toBe('8641.123456789');
    await browser.press('Escape');
    await eventually(async () => expect(await focused()).toEqual([2, 2]));
    await browser.press('Control+C');
    expect(await browser.copied()).toBe('8641.123456789');
    await browser.press('ArrowRight', 'Enter');
    expect(await page.textContent('dialog[open] pre')).toBe('9007199254740993');
    await browser.press('Escape');
    await eventually(async () => expect(await focused()).toEqual([2, 3]));
  });

  it('is one stop of Tab, and keys lead to every cell', async () => {
    await page.focus('.filter-bar button, #save');
    while ((await focused()) === null) await browser.press('Tab');
    expect(await focused()).toEqual([2, 3]);
    await browser.press('Control+Home', 'ArrowUp', 'ArrowLeft');
    expect(await focused()).toEqual([1, 0]);
    await browser.press('ArrowDown', 'ArrowRight', 'PageDown');
    expect(await focused()).toEqual([21, 1]);
    await browser.press('End', 'Control+End');
    expect(await focused()).toEqual([1001, 4]);
    // The focus stays on a row that is scrolled away, and leads back to it.
    await scrollTo(0);
    await browser.press('ArrowUp', 'Home');
    expect(await focused()).toEqual([1000, 0]);
    expect(await cell(998, 0).textContent()).toBe('22 Nov 19:22');
    await browser.press('Tab');
    expect(await focused()).toBeNull();
  });

  it('marks the rows of the moment that is chosen in the chart', async () => {
    await page.focus('.plot');
    await browser.press('End', 'ArrowLeft');
    const marked = page.locator('.grid tr[aria-current] td:first-child');
    await scrollTo(0);
    await eventually(async () => expect(await marked.allTextContents()).toEqual(['23 Nov 11:59']));
    await cell(3, 0).hover();
    expect(await page.textContent('.chart-when')).toBe('23 Nov 11:57');
    await eventually(async () => expect(await marked.allTextContents()).toEqual(['23 Nov 11:57']));
  });

  it('hides columns, restores them, and CSV is what it shows', async () => {
    await page.click('#arrange');
    await page.uncheck('dialog[open] label:has-text("message") input');
    await browser.press('Escape');
    expect(await names()).toEqual(['at', 'share', 'id', 'tags']);
    await eventually(async () => expect(await browser.focused()).toBe('arrange'));
    expect(await page.textContent('.table-note')).toBe('1 of 5 columns is hidden. Restore');
    expect(page.url()).toContain('.hide=message');

    await page.click('th button:has-text("at")');
    const before = asked;
    await page.click('#save');
    const { name, text } = await browser.download('#download');
    expect(text.charAt(0)).toBe('\ufeff');
    const lines = text.slice(1).split('\r\n');
    expect([name, lines.length, ...lines.slice(0, 3)]).toEqual([
      ...['r.0.csv', 1002, 'at,share,id,tags'],
      '2026-11-22T19:21:00Z,8641.123456789,9007199254740993,"[""a"",""b999""]"',
      '2026-11-22T19:22:00Z,8567,9007199254740993,"[""a"",""b998""]"',
    ]);
    expect(await cell(0, 0).textContent()).toBe('22 Nov 19:21');
    expect(asked).toBe(before);

    await page.click('.table-note button');
    expect(await names()).toEqual(['at', 'message', 'share', 'id', 'tags']);
    expect(await page.isVisible('.table-note')).toBe(false);
  });

  it('is filtered as one types, which chart, count, CSV and copies follow, and is whole again after Esc', async () => {
    const moments = (): Promise<string | null> => page.getAttribute('.plot', 'aria-valuemax');
    expect(await moments()).toBe('1000');
    await page.focus('#auto');
    await browser.press('ArrowRight', 'Enter');
    await page.keyboard.type('row 12:');
    await count('1 of 1,000 rows');
    await eventually(async () =>
      expect(await page.textContent('#status')).toBe('1 of 1,000 rows.'),
    );
    await browser.press('Control+A');
    await page.keyboard.type('> 8,6');
    await count('not a number');
    await browser.press('Control+A');
    await page.keyboard.type('> 8600');
    await page.selectOption('.filter-bar select', 'share');
    await count('334 of 1,000 rows');
    // All of the rows: those that are left out are gaps.
    expect(await moments()).toBe('1000');
    // The oldest first, as before.
    await cell(1, 0).hover();
    expect(await page.textContent('.chart-when')).toBe('22 Nov 19:24');
    await page.click('#save');
    const { text } = await browser.download('#download');
    expect(text.split('\r\n')).toHaveLength(336);

    await page.click('#arrange');
    for (const name of ['message', 'share', 'at'])
      await page.uncheck(`dialog[open] label:has-text("${name}") input`);
    await browser.press('Escape');
    await page.focus('#save');
    const copy = async (format: string): Promise<string[]> => {
      await browser.press('Enter', 'Tab', ...(format === 'TSV' ? ['Tab'] : []), 'Enter');
      await page.waitForSelector('#save-menu button:text-is("Copied")');
      await browser.press('Escape');
      return ((await browser.copied()) as string).split('\n').slice(0, 3);
    };
    expect(await copy('Markdown')).toEqual([
      ...['| id | tags |', '| ---: | --- |'],
      '| 9007199254740993 | \\["a","b999"\\] |',
    ]);
    await page.clock.runFor(3000);
    expect((await copy('TSV')).slice(0, 2)).toEqual([
      ...['id\ttags', '9007199254740993\t"[""a"",""b999""]"'],
    ]);
    await page.click('.table-note button');

    await page.focus('.filter-bar input');
    await browser.press('Escape');
    expect(await browser.focused()).toBe('filter');
    expect(await page.isVisible('.filter-bar')).toBe(false);
    expect([await moments(), await page.getAttribute('.grid', 'aria-rowcount')]).toEqual([
      ...['1000', '1001'],
    ]);
  });

  it('shows a list in short and whole, and keeps only the rows with its value', async () => {
    await page.click('th button:has-text("at")');
    expect(await cell(7, 4).textContent()).toBe('a, b7');
    await cell(7, 4).click();
    expect(await page.textContent('dialog[open] pre')).toBe('[\n  "a",\n  "b7"\n]');
    await page.click('dialog[open] button:text-is("Only this value")');
    await count('1 of 1,000 rows');
    expect(await cell(0, 0).textContent()).toBe('23 Nov 11:53');
    expect(await page.isChecked('.filter-bar [type=checkbox]')).toBe(true);
    await page.click('.filter-bar button');
  });

  it('starts another endpoint at the top, with all columns', async () => {
    await scrollTo(9000);
    await page.evaluate(`location.hash = '#r.1?.hide=at'`);
    await page.waitForSelector('h1#name:text-is("r.1")');
    await page.waitForSelector('#result:not(.waiting):not(.stale) .grid');
    expect(await page.evaluate(`document.querySelector('.table-scroll').scrollTop`)).toBe(0);
    expect(await names()).toEqual(['message', 'share', 'id', 'tags']);
    await page.evaluate(`location.hash = '#r.0'`);
    await page.waitForSelector('h1#name:text-is("r.0")');
    await page.waitForSelector('#result:not(.waiting):not(.stale) .grid');
    expect(await names()).toEqual(['at', 'message', 'share', 'id', 'tags']);
  });

  it('has no row too many of 10,000, and draws their chart after a pause in typing', async () => {
    const short = (_: unknown, index: number) => ({ ...rowAt(index), message: `Row ${index}` });
    await open({}, Array.from({ length: 10_000 }, short));
    expect(await rowsInPage()).toBeLessThan(200);
    await scrollTo(160_000);
    expect(await cell(5000, 1).textContent()).toBe('Row 5000');
    expect(await rowsInPage()).toBeLessThan(300);
    await page.click('#filter');
    await page.clock.pauseAt('2026-11-23T12:31:00Z');
    await page.evaluate(`(() => {
      window.charts = 0;
      new MutationObserver(() => (charts += 1)).observe(document.querySelector('.plot'), { childList: true });
    })()`);
    for (const letter of 'row 9') {
      await page.keyboard.press(letter);
      await page.clock.runFor(200);
    }
    expect(await page.evaluate('charts')).toBe(0);
    expect(await page.textContent('.filter-bar > .small')).toBe('1,111 of 10,000 rows');
    await page.clock.runFor(700);
    await eventually(async () => expect(await page.evaluate('charts')).toBeGreaterThan(0));
  });

  it.each(LOOKS)('can be used at %i px in %s with forced colours %s', async (...given) => {
    const [width, colorScheme, forcedColors] = given;
    await open(
      { width, colorScheme, forcedColors },
      Array.from({ length: 40 }, (_, index) => rowAt(index)),
    );
    const look = async (what: string): Promise<void> => {
      expect([what, await browser.seriousFindings()]).toEqual([what, []]);
      expect(await browser.width()).toBe(width);
    };
    await page.locator('.table-scroll').scrollIntoViewIfNeeded();
    await cell(4, 1).hover();
    await page.click('#arrange');
    await look('columns');
    await browser.press('Escape');
    await page.click('#filter');
    await page.click('#save');
    await look('rows, filter and save');
    await browser.press('Escape');
    await cell(4, 4).click();
    await look('a whole value');
  });
});
