// Tests of the table in a real browser: of a thousand rows with long texts, the page contains only the visible ones.
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
      requestAnimationFrame(() => requestAnimationFrame(() => done()));
    })`);
  const cell = (position: number, column: number) =>
    page.locator(`.grid tr[aria-rowindex="${position + 2}"] td`).nth(column);
  const names = async (): Promise<string[]> =>
    (await page.locator('th button').allTextContents()).map((name) => name.split(' ')[0] ?? '');
  /** The place of the focus, the header at 1, and the number of its column. */
  const focused = (): Promise<unknown> =>
    page.evaluate(`(() => {
      const cell = document.activeElement.closest('td, th');
      return cell && [Number(cell.parentElement.getAttribute('aria-rowindex')), cell.cellIndex];
    })()`);

  it('has in the page only the rows around the view, each on one line', async () => {
    expect(await page.getAttribute('.grid', 'aria-rowcount')).toBe('1001');
    for (const position of [0, 500, 999]) {
      await scrollTo((position - 5) * 32);
      const index = position.toLocaleString('en-GB', { useGrouping: false });
      expect(await cell(position, 1).textContent()).toMatch(`Row ${index}:`);
      expect(await rowsInPage()).toBeLessThan(50);
    }
    const order = await page.evaluate(
      `[...document.querySelectorAll('.grid tbody tr')].map((row) => Number(row.ariaRowIndex))`,
    );
    expect(order).toEqual((order as number[]).toSorted((a, b) => a - b));
    const misfits = await page.evaluate(`[...document.querySelectorAll('.grid tr')].filter((row) =>
      row.offsetHeight !== 32 || [...row.cells].some((cell) => {
        const range = new Range();
        range.selectNodeContents(cell);
        const [text, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
        return text.left < box.left || text.right > box.right;
      }))
      .map((row) => row.textContent)`);
    expect(misfits).toEqual([]);
    expect(await browser.width()).toBe(1440);
  });

  it('writes numbers with the same digits, none lost, and units in headers of one line', async () => {
    await scrollTo(0);
    const headings = await page.locator('th button').allTextContents();
    expect(headings).toEqual(['at UTC', 'message', 'share ms', 'id', 'tags']);
    for (const [position, share] of ['8,641.12', '8,567.00'].entries()) {
      expect(await cell(position, 2).textContent()).toBe(share);
      expect(await cell(position, 3).textContent()).toBe('9,007,199,254,740,993');
    }
    expect(await cell(2, 1).textContent()).toBe('null');
  });

  it('shows the whole text on a click or Enter, to copy, and Esc returns to the cell', async () => {
    expect(await cell(1, 1).textContent()).toMatch(/^Row 1:\s.*…$/s);
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
    await browser.press('Escape', 'ArrowRight', 'Enter');
    expect(await page.textContent('dialog[open] pre')).toBe('9007199254740993');
    await browser.press('Escape');
    // The page is told of the end of a dialog a moment later.
    await eventually(async () => expect(await focused()).toEqual([2, 3]));
  });

  it('is one stop of Tab, and keys lead to every cell', async () => {
    await page.focus('#run');
    const legends = `[...document.querySelectorAll('.panel')].map((one) => one.querySelector('.toggle').innerText)`;
    expect(await page.evaluate(legends)).toEqual([
      expect.stringMatching(/^share/),
      expect.stringMatching(/^id/),
    ]);
    // The tabs, what is done with the rows, the legend, the chart, and the legend of the second panel.
    await browser.press('Tab', 'Tab', 'Tab', 'Tab', 'Tab');
    expect(await focused()).toBeNull();
    await browser.press('Tab');
    await eventually(async () => expect(await focused()).toEqual([2, 3]));
    await browser.press('Control+Home', 'ArrowUp', 'ArrowLeft');
    expect(await focused()).toEqual([1, 0]);
    await browser.press('ArrowDown', 'ArrowRight', 'PageDown');
    expect(await focused()).toEqual([21, 1]);
    await browser.press('End', 'Control+End');
    expect(await focused()).toEqual([1001, 4]);
    expect(await page.locator('.grid td:focus').isVisible()).toBe(true);
    // The focus stays on a row that is scrolled away, and leads back to it.
    await scrollTo(0);
    expect(await focused()).toEqual([1001, 4]);
    expect(await rowsInPage()).toBeLessThan(50);
    expect(await page.locator('.grid tbody tr').last().getAttribute('aria-rowindex')).toBe('1001');
    await browser.press('ArrowUp', 'Home');
    expect(await focused()).toEqual([1000, 0]);
    expect(await cell(998, 0).textContent()).toBe('22 Nov 19:22');
    await browser.press('Tab');
    expect(await focused()).toBeNull();
  });

  it('marks the rows of the moment that is chosen in the chart, also after scrolling', async () => {
    await page.focus('.plot');
    await browser.press('End', 'ArrowLeft');
    const marked = page.locator('.grid tr[aria-current] td:first-child');
    await scrollTo(32_000);
    expect(await marked.allTextContents()).toEqual([]);
    await scrollTo(0);
    await eventually(async () => expect(await marked.allTextContents()).toEqual(['23 Nov 11:59']));
    await cell(3, 0).hover();
    expect(await page.textContent('.chart-when')).toBe('23 Nov 11:57');
    await eventually(async () => expect(await marked.allTextContents()).toEqual(['23 Nov 11:57']));
  });

  it('hides and orders columns by key and by pointer, restores them, and CSV is what it shows', async () => {
    await page.click('#arrange');
    await page.uncheck('dialog[open] label:has-text("message") input');
    await page.click('[aria-label="Move id up"]');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Move id up');
    await browser.press('Enter', 'Enter', 'Escape');
    expect(await names()).toEqual(['id', 'at', 'share', 'tags']);
    expect(await browser.focused()).toBe('arrange');
    expect(await page.textContent('.table-note span')).toBe('1 of 5 columns is hidden.');

    await page.focus('th:nth-child(3) button');
    await browser.press('Shift+ArrowLeft', 'End', 'Delete');
    expect(await names()).toEqual(['id', 'share', 'at']);
    expect(await page.textContent('#status')).toBe('tags is hidden.');
    await page.dragAndDrop('th:nth-child(1)', 'th:nth-child(3)', {
      sourcePosition: { x: 20, y: 10 },
      targetPosition: { x: 20, y: 10 },
    });
    expect(await names()).toEqual(['share', 'id', 'at']);
    // A drag does not sort.
    expect(await page.locator('th[aria-sort=none]').count()).toBe(3);

    await page.click('th button:has-text("at")');
    const before = asked;
    await page.click('#save');
    const { name, text } = await browser.download('#download');
    expect(text.charAt(0)).toBe('\ufeff');
    const lines = text.slice(1).split('\r\n');
    expect([name, lines.length, ...lines.slice(0, 3)]).toEqual([
      'r.0.csv',
      1002,
      'share,id,at',
      '8641.123456789,9007199254740993,2026-11-22T19:21:00Z',
      '8567,9007199254740993,2026-11-22T19:22:00Z',
    ]);
    expect(await cell(0, 2).textContent()).toBe('22 Nov 19:21');
    expect(asked).toBe(before);

    await page.click('.table-note button');
    expect(await names()).toEqual(['at', 'message', 'share', 'id', 'tags']);
    expect(await page.isVisible('.table-note')).toBe(false);
  });

  it('is filtered as one types, which chart, count, CSV and copies follow, and is whole again after Esc', async () => {
    const count = (text: string): Promise<void> =>
      eventually(async () => expect(await page.textContent('.filter-bar > .small')).toBe(text));
    const moments = (): Promise<string | null> => page.getAttribute('.plot', 'aria-valuemax');
    expect(await moments()).toBe('1000');
    await page.focus('#auto');
    await browser.press('ArrowRight', 'Enter');
    await page.keyboard.type('row 12:');
    await count('1 of 1,000 rows');
    expect(await page.textContent('#status')).toBe('1 of 1,000 rows.');
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
    await cell(2, 0).hover();
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
    await browser.press('Enter', 'Tab', 'Enter');
    await page.waitForSelector('#save-menu button:text-is("Copied")');
    const lines = async (): Promise<string[]> =>
      ((await browser.copied()) as string).split('\n').slice(0, 4);
    expect(await lines()).toEqual([
      ...['| id | tags |', '| ---: | --- |'],
      '| 9007199254740993 | \\["a","b999"\\] |',
      '| 9007199254740993 | \\["a","b996"\\] |',
    ]);
    await browser.press('Tab', 'Enter');
    await page.waitForSelector(
      '#save-menu button:text-is("Copied") + button:text-is("Download PNG")',
    );
    expect((await lines()).slice(0, 2)).toEqual([
      'id\ttags',
      '9007199254740993\t"[""a"",""b999""]"',
    ]);
    await browser.press('Escape');
    await page.click('.table-note button');

    await page.focus('.filter-bar input');
    await browser.press('Escape');
    expect(await browser.focused()).toBe('filter');
    expect(await page.isVisible('.filter-bar')).toBe(false);
    expect([await moments(), await page.getAttribute('.grid', 'aria-rowcount')]).toEqual([
      ...['1000', '1001'],
    ]);
  });

  it('shows lists as chips and as a tree that keys open, and keeps only the rows with a value', async () => {
    await page.click('th button:has-text("at")');
    expect(await cell(7, 4).locator('.chip').allTextContents()).toEqual(['a', 'b7']);
    await cell(7, 4).click();
    expect(await page.locator('dialog[open] .tree li').allTextContents()).toEqual([
      '[1] a',
      '[2] b7',
    ]);
    await page.click('dialog[open] button:text-is("Copy")');
    await page.waitForSelector('dialog[open] button:text-is("Copied")');
    expect(await browser.copied()).toBe('[\n  "a",\n  "b7"\n]');
    await page.click('dialog[open] button:text-is("Only this value")');
    await eventually(async () =>
      expect(await page.textContent('.filter-bar > .small')).toBe('1 of 1,000 rows'),
    );
    expect(await cell(0, 0).textContent()).toBe('23 Nov 11:53');
    expect(await page.isChecked('.filter-bar [type=checkbox]')).toBe(true);
    await page.click('.filter-bar button');
  });

  it('starts another endpoint at the top, with all columns', async () => {
    await page.focus('th:nth-child(2) button');
    await browser.press('Delete');
    await scrollTo(9000);
    await page.goto(`${server.origin}/#r.1`);
    await page.waitForSelector('h1#name:text-is("r.1")');
    await page.waitForSelector('#result:not(.waiting):not(.stale) .grid');
    expect(await page.evaluate(`document.querySelector('.table-scroll').scrollTop`)).toBe(0);
    expect(await names()).toEqual(['at', 'message', 'share', 'id', 'tags']);
  });

  it('prints all rows, and is as before after that', async () => {
    await page.evaluate(
      `addEventListener('beforeprint', () => {
         window.printed = [...document.querySelectorAll('.printed tr')].map((row) => row.cells[0].textContent);
       })`,
    );
    await page.pdf();
    const printed = (await page.evaluate('window.printed')) as string[];
    expect([printed.length, printed[0], printed[1], printed[1000]]).toEqual([
      1001,
      'at UTC',
      '23 Nov 12:00',
      '22 Nov 19:21',
    ]);
    expect(await page.locator('.printed').count()).toBe(0);
  });

  it('reads no texts but those in view for a letter that is typed, also of 10,000 rows, and draws the chart after a pause', async () => {
    const short = (_: unknown, index: number) => ({ ...rowAt(index), message: `Row ${index}` });
    await open({}, Array.from({ length: 10_000 }, short));
    await page.click('#filter');
    await page.clock.pauseAt('2026-11-23T12:31:00Z');
    await page.clock.runFor(1000);
    // Each text that is measured or cut is read character by character.
    await page.evaluate(`(() => {
      window.done = { texts: 0, charts: 0 };
      const characters = String.prototype[Symbol.iterator];
      String.prototype[Symbol.iterator] = function () {
        done.texts += 1;
        return characters.call(this);
      };
      new MutationObserver(() => (done.charts += 1)).observe(document.querySelector('#chart'), { childList: true });
    })()`);
    const done = (): Promise<{ texts: number; charts: number }> => page.evaluate('done');
    for (const letter of 'row 9') {
      await page.keyboard.press(letter);
      await page.clock.runFor(200);
      const { texts, charts } = await done();
      expect([letter, charts, texts < 1000 || texts]).toEqual([letter, 0, true]);
      await page.evaluate('done.texts = 0');
    }
    expect(await page.textContent('.filter-bar > .small')).toBe('1,111 of 10,000 rows');
    await page.clock.runFor(600);
    expect(await done()).toMatchObject({ charts: 1 });
  });

  it.each(LOOKS)('can be used at %i px in %s with forced colours %s', async (...given) => {
    const [width, colorScheme, forcedColors] = given;
    await open({ width, colorScheme, forcedColors });
    const look = async (what: string): Promise<void> => {
      expect([what, await browser.seriousFindings()]).toEqual([what, []]);
      expect(await browser.width()).toBe(width);
    };
    await page.locator('.table-scroll').scrollIntoViewIfNeeded();
    await cell(4, 1).hover();
    await look('rows');
    await page.click('#arrange');
    await look('columns');
    await browser.press('Escape');
    await page.click('#filter');
    await page.click('#save');
    await look('filter and save');
    await browser.press('Escape');
    await cell(4, 4).click();
    await look('a whole value');
  });
});
