// Tests of finding one of sixty endpoints in a real browser, on a laptop, a tablet and a phone.
import type { Page } from 'playwright-core';
import { RESULT, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { serveConsole } from '../support/browser/console-server.ts';
import { API_KEY } from '../support/world.ts';
import { queryResult, wireRow } from '../support/fakes/fake-query-runner.ts';
import { casesBeside } from '../support/cases.ts';
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';

describeInBrowser('with sixty endpoints, the console', () => {
  const browser = useBrowser();
  let page: Page;

  beforeAll(async () => {
    const tree = new FakeSqlTree();
    const parameters = { region: parameter({ required: true, example: 'eu' }) };
    for (const name of casesBeside(import.meta.filename)<string>('endpoints')) {
      const description = `${name.replaceAll(/[.-]/g, ' ')} of each day, with the change since the day before.`;
      const warehouse = name === 'logistics.stock-levels' ? ', warehouse_code STRING' : '';
      const row = rowOf(`day DATE, total INT64${warehouse}`);
      tree.endpoint({ name, description, parameters, row });
    }
    const service = await serveConsole({ runsExamples: true }, tree);
    const rows = Array.from({ length: 40 }, (_, day) =>
      wireRow(`2026-10-${String((day % 31) + 1).padStart(2, '0')}`, String(day)),
    );
    service.queryRunner.answerWith(queryResult({ schema: columns('day DATE, total INT64'), rows }));
    page = await browser.open(service.origin, { width: 1440 });
    await browser.signIn(service.origin, API_KEY);
    await page.waitForSelector(RESULT);
  });

  async function open(width: number, name: string): Promise<void> {
    await browser.resize(width);
    await browser.follow(`#${name}`);
    await page.waitForSelector(RESULT);
  }

  /** Whether the whole of an element is in view in its list, whose page has not moved. */
  async function isInView(selector: string, list: string): Promise<void> {
    const [inner, outer] = await Promise.all([
      page.locator(selector).boundingBox(),
      page.locator(list).boundingBox(),
    ]);
    if (inner === null || outer === null) throw new Error(`${selector} is not shown.`);
    expect(inner.y).toBeGreaterThan(outer.y);
    expect(inner.y + inner.height).toBeLessThan(Math.min(outer.y + outer.height, 901));
    expect(await page.evaluate('scrollY')).toBe(0);
  }

  it('has them in groups, one line each, with the open one in view', async () => {
    expect(await page.locator('nav h2').allTextContents()).toEqual(
      'billing crm functions logistics marketing shop support usage'.split(' '),
    );
    const links = page.locator('nav a');
    expect(await links.count()).toBe(60);
    expect(await links.first().getAttribute('aria-label')).toBe('billing.cost-per-project');
    const heights = await links.evaluateAll((all) => all.map((link) => link.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(32);
    for (const each of ['usage.top-paths', 'billing.cost-per-project', 'logistics.returns']) {
      await open(1440, each);
      await isInView('nav a[aria-current]', '#endpoints');
    }
  });

  it('finds by name, description and column with Ctrl-K, and opens with Enter', async () => {
    const found = () => page.locator('nav a').evaluateAll((all) => all.map((one) => one.ariaLabel));
    await open(1440, 'billing.forecast');
    await page.focus('#field-region');
    await browser.press('Control+K');
    expect(await browser.focused()).toBe('find');
    await page.keyboard.type('open');
    expect(await found()).toEqual([
      'crm.open-deals',
      'logistics.open-shipments',
      'marketing.email-opens',
      'support.open-tickets',
      'support.reopened-tickets',
    ]);
    await browser.press('Tab', 'Tab', 'Enter');
    await page.waitForSelector('h1#name:text-is("logistics.open-shipments")');
    expect([await browser.focused(), await page.inputValue('#find')]).toEqual(['run', '']);
    await browser.press('Control+K');
    await page.fill('#find', 'retention');
    expect(await page.textContent('#not-found')).toBe(
      'No endpoint has “retention” in its name, description, columns or parameters.',
    );
    await browser.press('Enter');
    expect(await page.textContent('h1#name')).toBe('logistics.open-shipments');
    // All have a column "day": first is the one whose name has it.
    await page.fill('#find', 'day');
    expect((await found())[0]).toBe('usage.sessions-per-day');
    // An underscore is a hyphen to those who type.
    await page.fill('#find', ' Warehouse-c stock');
    expect(await found()).toEqual(['logistics.stock-levels']);
    await browser.press('Enter');
    await page.waitForSelector('h1#name:text-is("logistics.stock-levels")');
    expect([await browser.focused(), await page.inputValue('#find')]).toEqual(['run', '']);
    await browser.press('Control+K', 'x', 'Escape');
    expect((await found()).length).toBe(60);
  });

  it.each([768, 360] as const)('is a picker at %i px, over a page that fits', async (width) => {
    await open(width, 'usage.sessions-per-day');
    expect(await page.isVisible('nav')).toBe(false);
    expect((await page.locator('#finder').boundingBox())?.height).toBeLessThan(45);
    expect((await page.locator('#run').boundingBox())?.height).toBeGreaterThanOrEqual(36);
    // What gets the focus is below the bar.
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('#endpoint :is(a, button, input, [tabindex="0"])')]
           .filter((each) => {
             scrollTo(0, document.documentElement.scrollHeight);
             each.focus();
             return each === document.activeElement && each.getBoundingClientRect().top < 52;
           })
           .map(({ id, outerHTML }) => id || outerHTML)`,
      ),
    ).toEqual([]);
    await page.evaluate('scrollTo(0, 0)');
    await page.click('#finder');
    await isInView('nav a[aria-current]', 'nav');
    await browser.press('Escape');
    expect([await browser.focused(), await page.isVisible('nav')]).toEqual(['finder', false]);
    await browser.press('Control+K');
    expect(await browser.focused()).toBe('find');
    await page.click('nav a:has-text("slow-pages")');
    await page.waitForSelector('#finder-name:text-is("usage.slow-pages")');
    expect(await page.isVisible('nav')).toBe(false);
    expect(await browser.width()).toBe(width);
  });
});
