// Tests of finding one of sixty endpoints in a real browser, on a laptop, a tablet and a phone.
import type { Page } from 'playwright-core';
import { LOOKS, WIDTHS, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { API_KEY } from '../support/world.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';

/** A single number is shown without a table. */
const RESULT = '#result:not(.stale):not(.waiting) :is(.figures, table)';

// In eight groups, as a company may have them.
const NAMES = `
billing cost-per-project cost-per-service credits-used forecast invoices refunds unpaid-invoices
crm accounts-at-risk churn-rate contacts-per-owner lead-sources open-deals pipeline-per-month win-rate
functions cold-starts error-rate invocation-stats memory-use run-time slowest-calls timeouts
logistics carrier-delays damaged-parcels deliveries-per-carrier-and-region late-orders open-shipments returns stock-levels transit-times
marketing ad-spend campaign-clicks conversion-rate email-opens landing-pages newsletter-growth referrers
shop baskets-left best-sellers daily-revenue discounts new-customers orders-per-country product-ratings repeat-buyers
support agent-load answer-times open-tickets reopened-tickets satisfaction tickets-per-topic
usage active-users api-counts browsers feature-adoption page-views search-terms sessions-per-day sign-ups slow-pages top-paths`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [group, ...names] = line.split(' ');
    return names.map((name) => `${group}.${name}`);
  });

/** Each has the columns `day` and `total`; `logistics.stock-levels` alone has `warehouse_code`. */
function sixtyEndpoints(): FakeSqlTree {
  const tree = new FakeSqlTree();
  for (const [position, name] of NAMES.entries()) {
    const words = name.slice(name.indexOf('.') + 1).replaceAll('-', ' ');
    const title = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
    const warehouse = name === 'logistics.stock-levels' ? ', warehouse_code STRING' : '';
    tree.endpoint({
      name,
      id: `11111111-2222-4333-8444-${String(position).padStart(12, '0')}`,
      description: `${title} of each day in the last quarter, with the change since the day before.`,
      parameters: {
        region: parameter({ required: true, example: 'eu' }),
        currency: parameter({ enum: ['EUR', 'USD'], example: 'EUR', default: 'EUR' }),
      },
      row: rowOf(`day DATE, total INT64${warehouse}`),
    });
  }
  return tree;
}

describeInBrowser('with sixty endpoints, the console', () => {
  const browser = useBrowser({ sharesTab: true });
  let service: ConsoleServer;
  let page: Page;

  beforeAll(async () => {
    service = await serveConsole(sixtyEndpoints(), { runsExamples: true });
    const rows = Array.from({ length: 40 }, (_, day) => ({
      f: [{ v: `2026-10-${String((day % 31) + 1).padStart(2, '0')}` }, { v: String(day) }],
    }));
    service.queryRunner.answerWith(queryResult({ schema: columns('day DATE, total INT64'), rows }));
    page = await browser.open(service.origin, { width: 1440 });
    await browser.recordShifts('without input');
    await browser.signIn(service.origin, API_KEY);
    await page.waitForSelector(RESULT);
  });
  beforeEach(() => open(1440, 'billing.forecast'));

  async function open(width: number, name: string): Promise<void> {
    await page.goto('about:blank');
    await browser.resize(width);
    await page.goto(`${service.origin}/#${name}`);
    await page.waitForSelector(RESULT);
  }

  const focused = (): Promise<string> =>
    page.evaluate('document.activeElement.dataset.name || document.activeElement.id');
  const found = (): Promise<(string | null)[]> =>
    page.locator('nav a').evaluateAll((all) => all.map((each) => each.dataset.name ?? ''));

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

  it('has them in groups, one line each', async () => {
    expect(await page.locator('nav h2').allTextContents()).toEqual(
      'billing crm functions logistics marketing shop support usage'.split(' '),
    );
    const links = page.locator('nav a');
    expect(await links.count()).toBe(60);
    expect(await links.first().textContent()).toBe('billing.cost-per-project');
    const heights = await links.evaluateAll((all) => all.map((link) => link.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(32);
  });

  it('always shows the open one in the list, and does not move the page', async () => {
    for (const each of ['usage.top-paths', 'billing.cost-per-project', 'logistics.returns']) {
      await page.evaluate(`location.hash = '#${each}'`);
      await page.waitForSelector(`nav a[aria-current][data-name="${each}"]`);
      await isInView('nav a[aria-current]', '#endpoints');
    }
  });

  it('is one stop of the Tab key, in which arrows, Home and End move', async () => {
    expect(await page.locator('nav a[tabindex="0"]').count()).toBe(1);
    await page.focus('#find');
    await browser.press('Tab');
    expect(await focused()).toBe('billing.forecast');
    await browser.press('ArrowDown');
    expect(await focused()).toBe('billing.invoices');
    await browser.press('ArrowUp', 'ArrowUp');
    expect(await focused()).toBe('billing.credits-used');
    await browser.press('End');
    expect(await focused()).toBe('usage.top-paths');
    await isInView('nav a:focus', '#endpoints');
    await browser.press('Home');
    expect(await focused()).toBe('billing.cost-per-project');
    await browser.press('ArrowDown', 'Enter');
    await page.waitForSelector('h1#name:text-is("billing.cost-per-service")');
    expect(await focused()).toBe('billing.cost-per-service');
  });

  it('finds by name, description and column with Ctrl-K, and opens with Enter', async () => {
    await page.focus('#field-region');
    await browser.press('Control+K');
    expect(await focused()).toBe('find');
    await page.keyboard.type('open');
    expect(await found()).toEqual([
      'crm.open-deals',
      'logistics.open-shipments',
      'support.open-tickets',
      'marketing.email-opens',
      'support.reopened-tickets',
    ]);
    await browser.press('ArrowDown', 'ArrowDown');
    expect(await focused()).toBe('logistics.open-shipments');
    await browser.press('ArrowUp', 'ArrowUp');
    expect(await focused()).toBe('find');
    await page.fill('#find', 'retention');
    expect(await page.textContent('#not-found')).toBe(
      'No endpoint has “retention” in its name, description, columns or parameters.',
    );
    await browser.press('Enter');
    expect(await page.textContent('h1#name')).toBe('billing.forecast');
    // An underscore is a hyphen to those who type.
    await page.fill('#find', ' Warehouse-c stock');
    expect(await page.textContent('.found-note')).toBe('Column warehouse_code');
    await browser.press('Enter');
    await page.waitForSelector('h1#name:text-is("logistics.stock-levels")');
    expect([await focused(), await page.inputValue('#find')]).toEqual(['run', '']);
    await browser.press('Control+K', 'x', 'Escape');
    expect([await focused(), (await found()).length]).toEqual(['run', 60]);
  });

  it.each([768, 360] as const)(
    'is a picker at %i px, with the result first and Run at the bottom, which covers nothing',
    async (width) => {
      await open(width, 'usage.sessions-per-day');
      expect(await page.isVisible('nav')).toBe(false);
      expect(await page.textContent('#finder-name')).toBe('usage.sessions-per-day');
      expect(await page.isVisible('#finder-name')).toBe(true);
      expect((await page.locator('#finder').boundingBox())?.height).toBeLessThan(45);
      expect((await page.locator('#result').boundingBox())?.y).toBeLessThan(190);
      const height = await page.evaluate<number>('innerHeight');
      const isRunInReach = async (): Promise<void> => {
        const box = await page.locator('#run').boundingBox();
        expect(box?.y).toBeGreaterThan(height - 64);
        expect(box?.height).toBeGreaterThanOrEqual(44);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeGreaterThan(width - 32);
      };
      await isRunInReach();
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await isRunInReach();
      // The end of the page is above it, and what gets the focus is between the bars.
      expect(
        await page.evaluate(
          `document.querySelector('#endpoint').getBoundingClientRect().bottom -
             document.querySelector('#form').getBoundingClientRect().top`,
        ),
      ).toBeLessThan(0);
      expect(
        await page.evaluate(
          `[...document.querySelectorAll('#endpoint :is(a, button, input, [tabindex="0"])')]
             .filter((each) => each.checkVisibility() && each.closest('#form') === null)
             .filter((each) => {
               each.focus();
               const { top, bottom } = each.getBoundingClientRect();
               const end = document.querySelector('#form').getBoundingClientRect().top;
               return bottom - top < end - 52 && (top < 52 || bottom > end);
             })
             .map(({ id, outerHTML }) => id || outerHTML)`,
        ),
      ).toEqual([]);

      await page.click('#sheet');
      await browser.press('Tab', 'Escape');
      expect([await focused(), await page.isVisible('#field-region')]).toEqual(['sheet', false]);
      await page.evaluate('scrollTo(0, 0)');
      await page.click('#finder');
      await isInView('nav a[aria-current]', 'nav');
      await page.click('nav a[data-name="usage.slow-pages"]');
      await page.waitForSelector('#finder-name:has-text("usage.slow-pages")');
      expect(await page.isVisible('nav')).toBe(false);
      expect(await browser.width()).toBe(width);
    },
  );

  it.each(WIDTHS)(
    'is at most 4 Tabs from the key to Run, and nothing moves, at %i px',
    async (width) => {
      await open(width, 'usage.sessions-per-day');
      await page.click('#change-key');
      await page.keyboard.type(API_KEY);
      await browser.press('Enter');
      await page.waitForSelector(RESULT);
      let tabs = 0;
      for (; (await focused()) !== 'run'; tabs += 1) await browser.press('Tab');
      expect(tabs).toBeLessThanOrEqual(4);
      await browser.press('Control+K', 's', 'l', 'o', 'w', 'Enter');
      await page.waitForSelector('#name:text-is("functions.slowest-calls")');
      await page.waitForSelector(RESULT);
      expect(await browser.shifts()).toEqual([]);
    },
  );

  it.each(LOOKS)('is accessible at %i px in %s with forced colours %s', async (...look) => {
    const [width, colorScheme, forcedColors] = look;
    await page.emulateMedia({ colorScheme, forcedColors });
    await open(width, 'usage.sessions-per-day');
    expect(await browser.seriousFindings()).toEqual([]);
    await browser.press('Control+K');
    for (const query of ['open', 'nothing like it']) {
      await page.fill('#find', query);
      expect([query, await browser.seriousFindings()]).toEqual([query, []]);
    }
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  });
});
