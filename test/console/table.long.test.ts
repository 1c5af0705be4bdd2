// Tests of the table in a real browser, with a thousand rows of long texts.
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser/browser.ts';
import { useResults } from '../support/browser/results-page.ts';
import { namedColumns } from '../support/sql/fake-sql-tree.ts';
import { eventually } from '../support/until.ts';

const COLUMNS = namedColumns(
  'at TIMESTAMP, message STRING, share FLOAT64, id INT64, tags STRING REPEATED',
).map((column) => (column.name === 'share' ? { ...column, unit: 'MB' } : column));
const NAMES = ['at', 'message', 'share', 'id', 'tags'];
const messageOf = (index: number): string => `Row ${index}:\n`.padEnd(1200, 'lorem ipsum ');
/** The newest first; every third has a number with many digits. */
const rowAt = (index: number, message: string | null = messageOf(index)) => ({
  at: new Date(Date.UTC(2026, 10, 23, 12) - index * 60_000).toISOString().replace('.000', ''),
  message: index === 2 ? null : message,
  share: index % 3 === 0 ? 8641.123456789 : 8567,
  id: '9007199254740993',
  tags: ['a', `b${index}`],
});

describeInBrowser('the table', () => {
  const rows = Array.from({ length: 1000 }, (_, index) => rowAt(index));
  const many = Array.from({ length: 10_000 }, (_, index) => rowAt(index, `Row ${index}`));
  const bucket = { column: 'at', step: 'PT1M' };
  const results = useResults([rows, many].map((of) => ({ columns: COLUMNS, bucket, rows: of })));
  const { browser, calls } = results;
  let page: Page;
  beforeAll(async () => {
    page = await results.open('2026-11-23T12:30:00Z', { width: 1440 });
  });

  const rowsInPage = (): Promise<number> => page.locator('.grid tbody tr[aria-rowindex]').count();
  const scrollTo = (top: number): Promise<void> =>
    page.evaluate(`new Promise((done) => {
      document.querySelector('.table-scroll').scrollTop = ${top};
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
    })`);
  const scrolled = (): Promise<unknown> =>
    page.evaluate(`document.querySelector('.table-scroll').scrollTop`);
  const cell = (position: number, column: number) =>
    page.locator(`.grid tr[aria-rowindex="${position + 2}"] td`).nth(column);
  const names = async (): Promise<string[]> =>
    (await page.locator('th button').allTextContents()).map((name) => name.split(' ')[0] ?? '');
  /** The text of what has the focus. */
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');
  const opened = (): Promise<string | null> => page.textContent('dialog[open] pre');

  it('makes the rows near the view, each on one line, and all of them to be printed', async () => {
    expect(await page.getAttribute('.grid', 'aria-rowcount')).toBe('1001');
    const height = 'document.querySelector(".table-scroll").scrollHeight';
    for (const position of [0, 500, 999]) {
      await scrollTo((position - 5) * 32);
      expect(await cell(position, 1).textContent()).toMatch(`Row ${position}:`);
      expect(await page.evaluate(height)).toBe(32 * 1001);
    }
    expect(await rowsInPage()).toBeLessThan(300);
    expect(await browser.width()).toBe(1440);
    await page.evaluate(
      `addEventListener('beforeprint', () => {
         window.printed = [...document.querySelectorAll('.grid tr[aria-rowindex]')].map((row) => row.cells[0].textContent);
       })`,
    );
    await page.pdf();
    const printed = await page.evaluate<string[]>('window.printed');
    expect([printed.length, printed[0], printed[1], printed[1000]]).toEqual([
      ...[1001, 'at UTC', '23 Nov 12:00', '22 Nov 19:21'],
    ]);
  });

  it('writes numbers with the same digits, none lost or cut, and units in the header', async () => {
    await scrollTo(0);
    const headings = await page.locator('th button').allTextContents();
    expect(headings).toEqual(['at UTC', 'message', 'share MB', 'id', 'tags']);
    for (const [position, share] of ['8,641.12', '8,567.00'].entries()) {
      expect(await cell(position, 2).textContent()).toBe(share);
      expect(await cell(position, 3).textContent()).toBe('9,007,199,254,740,993');
    }
    expect(await cell(2, 1).textContent()).toBe('null');
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.grid :is(td:not(:nth-child(2)), td:not(:nth-child(2)) button, th button)')]
         .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`,
    );
    expect(cut).toEqual([]);
  });

  it('shows the whole value on a click or Enter, to copy, and Esc returns to the cell', async () => {
    await cell(1, 1).click();
    expect(await opened()).toBe(messageOf(1));
    await page.click('dialog[open] button:text-is("Copy")');
    await page.waitForSelector('dialog[open] button:text-is("Copied")');
    expect(await browser.copied()).toBe(messageOf(1));
    await browser.press('Escape');
    await eventually(async () => expect(await focused()).toBe(messageOf(1)));
    // What is whole needs no dialog, and a rounded number has its digits there.
    for (const [position, column] of [
      [1, 2],
      [1, 3],
      [2, 1],
    ] as const) {
      await cell(position, column).click();
      expect(await page.isVisible('dialog[open]')).toBe(false);
    }
    await cell(0, 2).click();
    expect(await opened()).toBe('8641.123456789');
    await browser.press('Escape');
    expect(await cell(7, 4).textContent()).toBe('["a","b7"]');
    await cell(7, 4).click();
    await browser.press('Enter');
    expect(await opened()).toBe('[\n  "a",\n  "b7"\n]');
    await browser.press('Escape');
  });

  it('is read, opened and copied by keys, and scrolled by them', async () => {
    await scrollTo(4 * 32);
    await page.focus('.table-scroll');
    // The first in view, then its neighbours.
    await browser.press('ArrowDown');
    await eventually(async () => expect(await focused()).toBe('23 Nov 11:56'));
    await browser.press('ArrowUp', 'ArrowRight', 'ArrowRight', 'Control+c');
    expect([await focused(), await browser.copied()]).toEqual(['8,641.12', '8641.123456789']);
    await page.waitForSelector('#status:text-is("Copied.")', { state: 'attached' });
    await browser.press('ArrowRight', 'Control+c');
    expect(await browser.copied()).toBe('9007199254740993');
    await browser.press('Enter');
    expect(await opened()).toBe('9007199254740993');
    await browser.press('Escape', 'ArrowUp', 'ArrowLeft', 'ArrowLeft', 'Control+c');
    expect(await browser.copied()).toBe('null');
    // As far as rows are made, and on, while the table scrolls.
    for (let row = 2; row < 130; row += 1) await browser.press('ArrowDown');
    expect(await focused()).toBe(messageOf(130));
    // What is marked with the mouse is copied as it is.
    await page.evaluate(
      `getSelection().selectAllChildren(document.querySelector('thead th button'))`,
    );
    await browser.press('Control+c');
    expect(await browser.copied()).toBe('at UTC');
    await page.evaluate('getSelection().removeAllRanges()');
    await browser.press('End');
    // The browser takes its time to scroll. The table keeps the focus.
    await eventually(async () => expect(await cell(999, 0).isVisible()).toBe(true), 10_000);
    expect(await page.evaluate('document.activeElement.role')).toBe('region');
    await browser.press('Home');
    await eventually(async () => expect(await scrolled()).toBe(0), 10_000);
  });

  it('marks the rows of the moment that is chosen in the chart', async () => {
    await page.focus('#chart [type=range]');
    await browser.press('End', 'ArrowLeft');
    const marked = page.locator('.grid tr[aria-current] td:first-child');
    await scrollTo(0);
    await eventually(async () => expect(await marked.allTextContents()).toEqual(['23 Nov 11:59']));
  });

  it('saves and copies what it shows: order, filter and columns, without another call', async () => {
    const count = (text: string): Promise<void> =>
      eventually(async () => expect(await page.textContent('#count')).toBe(text));

    async function filterBy(text: string): Promise<void> {
      await page.focus('#filter');
      await browser.press('Control+A');
      await page.keyboard.type(text);
    }

    async function savedLines(): Promise<string[]> {
      await page.click('#save');
      const { name, text } = await browser.download('#download');
      expect([name, text.charAt(0)]).toEqual(['r.0.csv', '\ufeff']);
      return text.slice(1).split('\r\n');
    }

    async function hide(...hidden: string[]): Promise<void> {
      await page.click('#arrange');
      for (const name of hidden) await page.uncheck(`dialog[open] label:has-text("${name}") input`);
      await browser.press('Escape');
    }

    const before = calls.count;
    await hide('message');
    expect(await names()).toEqual(['at', 'share', 'id', 'tags']);
    await eventually(async () => expect(await browser.focused()).toBe('arrange'));
    expect(await page.textContent('.table-note')).toBe('1 of 5 columns is hidden. Restore');
    expect(page.url()).toContain('.hide=message');
    await page.click('th button:has-text("at")');
    expect(await cell(0, 0).textContent()).toBe('22 Nov 19:21');
    const saved = await savedLines();
    expect([saved.length, ...saved.slice(0, 3)]).toEqual([
      ...[1002, 'at,share,id,tags'],
      '2026-11-22T19:21:00Z,8641.123456789,9007199254740993,"[""a"",""b999""]"',
      '2026-11-22T19:22:00Z,8567,9007199254740993,"[""a"",""b998""]"',
    ]);
    await page.click('.table-note button');
    expect(await names()).toEqual(NAMES);

    const moments = (): Promise<string | null> => page.getAttribute('#chart [type=range]', 'max');
    await filterBy('row 12:');
    await count('1 of 1,000 rows');
    await page.waitForSelector('#status:text-is("1 of 1,000 rows.")', { state: 'attached' });
    // No number, and found in no text.
    await filterBy('> 8,6');
    await count('0 of 1,000 rows. To compare, write a sign and a number: > 5, <= -0.5');
    await filterBy('> 8600');
    await page.selectOption('#filter-column', 'share');
    await count('334 of 1,000 rows');
    // All of the rows: those that are left out are gaps.
    expect(await moments()).toBe('999');
    expect(await savedLines()).toHaveLength(336);
    await hide('message', 'share', 'at');
    for (const [format, lines] of Object.entries({
      Markdown: '| id | tags |\n| ---: | --- |\n| 9007199254740993 | \\["a","b999"\\] |\n',
      TSV: 'id\ttags\n9007199254740993\t"[""a"",""b999""]"\n',
    })) {
      await page.click('#save');
      await page.click(`text=Copy as ${format}`);
      await page.waitForSelector('dialog[open] button:text-is("Copied")');
      await browser.press('Escape');
      expect(String(await browser.copied()).startsWith(lines)).toBe(true);
    }
    await page.click('.table-note button');
    await page.focus('#filter');
    await browser.press('Escape');
    expect([await browser.focused(), await page.inputValue('#filter')]).toEqual(['filter', '']);
    expect(await page.getAttribute('.grid', 'aria-rowcount')).toBe('1001');
    expect(calls.count).toBe(before);
  });

  it('starts another endpoint at the top, makes few of 10,000 rows at once, and draws them after a pause in typing', async () => {
    await scrollTo(9000);
    await results.show(1, '.hide=at');
    expect([await scrolled(), ...(await names())]).toEqual([0, ...NAMES.slice(1)]);
    // They do not wait for their picture.
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelectorAll('.grid [aria-rowindex]').length > 100)
        window.drawn ??= document.querySelectorAll('canvas').length;
    }).observe(document.body, { childList: true, subtree: true })`);
    await results.show(1);
    expect(await page.evaluate('window.drawn')).toBe(0);
    await page.waitForSelector('canvas');
    expect(await names()).toEqual(NAMES);
    expect(await rowsInPage()).toBeLessThan(120);
    await scrollTo(160_000);
    expect(await cell(5000, 1).textContent()).toBe('Row 5000');
    expect(await rowsInPage()).toBeLessThan(120);
    // The same call keeps its place.
    await page.click('#run');
    await page.waitForSelector('.badge');
    expect(await scrolled()).toBe(160_000);
    await page.focus('#filter');
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
    expect(await page.textContent('#count')).toBe('1,111 of 10,000 rows');
    await page.clock.runFor(700);
    await eventually(async () => expect(await page.evaluate('charts')).toBeGreaterThan(0));
  });
});
