// Tests of charts in a real browser: that what is planned is painted, with every result of the table.
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ChartInput } from '../../functions/console/chart/plan/chart-plan.ts';
import { describeInBrowser, signIn, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { RESULTS } from './chart/results.ts';
import { seriousFindings } from '../support/browser/serious-findings.ts';

const ORDERS = [
  { name: 'day', type: 'DATE', mode: 'REQUIRED' },
  { name: 'ms', type: 'FLOAT64', mode: 'NULLABLE', unit: 'ms' },
];
const FAILURE = {
  error: {
    ...{ code: 500, status: 'INTERNAL', message: 'Internal error.' },
    details: [
      { reason: 'INTERNAL', metadata: { errorId: '5f0c7d1e-9a53-4a2f-8a41-90e7c4f2c7d1' } },
    ],
  },
};
const BLUE = [43, 80, 204] as const;
/** Of the light theme, in the order of series. */
const COLOURS = [BLUE, [194, 65, 12], [11, 114, 133], [134, 46, 156], [43, 122, 58]] as const;

describeInBrowser('a chart', () => {
  const browser = useBrowser();
  let server: ConsoleServer;
  let page: Page;
  let isFailing = false;

  beforeAll(async () => {
    server = await serveConsole(new FakeSqlTree().endpoint(), { runsExamples: true });
  });
  afterAll(() => server.close());

  /** Opens a page whose endpoints have these results, `r.0` first. */
  async function open(
    inputs: readonly ChartInput[],
    options: BrowserContextOptions = {},
    look?: (picture: string) => Promise<void>,
  ): Promise<void> {
    isFailing = false;
    const [first] = inputs;
    page = await browser.open(server.origin, {
      viewport: { width: 500, height: 900 },
      timezoneId: first?.timeZone ?? 'UTC',
      colorScheme: 'light',
      ...options,
    });
    await page.clock.setFixedTime(first?.computedAtMs ?? 0);
    await page.route('**/api/endpoints', (route) =>
      route.fulfill({ json: { key: { name: 'test' }, endpoints: inputs.map(described) } }),
    );
    await page.route('**/api/endpoints/query/*', (route) => {
      const { rows = [], isTruncated = false } =
        inputs[Number(/r\.(\d+)/.exec(route.request().url())?.[1])] ?? {};
      const headers = { 'X-Result-Truncated': String(isTruncated), ETag: 'W/"1"' };
      if (isFailing) return route.fulfill({ status: 500, json: FAILURE });
      if (route.request().headers()['if-none-match'] === headers.ETag)
        return route.fulfill({ status: 304, headers });
      return route.fulfill({ json: { result: rows }, headers });
    });
    await page.goto(server.origin);
    await look?.('key');
    await signIn(page, server.origin, 'sqk_any-key');
    await shows(0);
  }

  function described({ columns, bucket }: ChartInput, index: number): object {
    const name = `r.${index}`;
    return {
      ...{ id: name, name, description: name, path: `/api/endpoints/query/${name}` },
      ...{ parameters: [], row: columns.map((column) => ({ ...column, description: 'x' })) },
      ...{ bucket, maxRows: 1000, cachingSeconds: 900, cacheWarmingSeconds: 300 },
    };
  }

  async function shows(index: number): Promise<void> {
    await page.waitForSelector(`h1#name:text-is("r.${index}")`, { state: 'attached' });
    await page.waitForSelector('#result:not(.waiting):not(.stale)');
  }

  /** How wide each run of columns is that has the colour, in a panel. */
  function runs(colour: readonly number[], panel = 0): Promise<number[]> {
    return page.evaluate(`(() => {
      const canvas = document.querySelectorAll('#chart canvas')[${panel}];
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const has = (x) => {
        for (let y = 0; y < height; y += 1) {
          const at = 4 * (y * width + x);
          if ([${colour.join(', ')}].every((part, index) => Math.abs(data[at + index] - part) < 40)
            && data[at + 3] > 150) return true;
        }
        return false;
      };
      const found = [];
      for (let x = 0, run = 0; x <= width; x += 1) {
        if (x < width && has(x)) run += 1;
        else if (run > 0) { found.push(run); run = 0; }
      }
      return found;
    })()`);
  }

  const days = (
    values: readonly (number | undefined)[],
    more: Partial<ChartInput> = {},
  ): ChartInput => ({
    columns: ORDERS,
    rows: values.flatMap((ms, index) =>
      ms === undefined ? [] : [{ day: `2026-11-0${index + 1}`, ms }],
    ),
    bucket: { column: 'day', step: 'P1D' },
    timeZone: 'UTC',
    computedAtMs: Date.parse('2026-11-20T12:00:00Z'),
    ...more,
  });
  const result = (name: string): ChartInput => {
    const found = RESULTS.find(([one]) => one === name);
    if (found === undefined) throw new Error(name);
    return found[1];
  };

  it('has a gap where days have no rows, and none where that means zero', async () => {
    const values = [5, 5, 5, undefined, undefined, 5, 5, 5];
    const zero = { column: 'day', step: 'P1D', missing: 'zero' as const };
    await open([days(values), days(values, { bucket: zero })]);
    const [left = 0, right = 0, ...more] = await runs(BLUE);
    expect(more).toEqual([]);
    expect(Math.abs(left - right)).toBeLessThan(4);
    await page.goto(`${server.origin}/#r.1`);
    await shows(1);
    expect(await runs(BLUE)).toHaveLength(1);
  });

  it('dashes the way to a day that is not over, and nothing else', async () => {
    const computedAtMs = Date.parse('2026-11-06T12:00:00Z');
    await open([days([5, 5, 5, 5, 5, 5], { computedAtMs })]);
    const [solid = 0, ...dashes] = await runs(BLUE);
    expect(dashes.length).toBeGreaterThan(4);
    expect(Math.max(...dashes)).toBeLessThan(8);
    // Four of five ways are solid.
    const whole = solid + dashes.reduce((sum, dash) => sum + dash + 3, 0);
    expect(Math.abs(solid / whole - 0.8)).toBeLessThan(0.03);
  });

  it('closes a day that is over when the same rows are known to be all', async () => {
    await open([days([5, 5, 5, 5], { computedAtMs: Date.parse('2026-11-04T12:00:00Z') })]);
    expect(await page.textContent('.chart-when')).toBe('4 Nov · so far');
    await page.clock.setFixedTime('2026-11-05T00:00:00Z');
    const answered = page.waitForResponse(/query/);
    await page.click('#run');
    expect((await answered).status()).toBe(304);
    await page.waitForSelector('.chart-when:text-is("4 Nov")');
    expect(await runs(BLUE)).toHaveLength(1);
    expect(await page.textContent('tr:last-child td')).toBe('4 Nov');
  });

  it('keeps the chosen time when the zone changes', async () => {
    await open([result('hours of a TIMESTAMP west of Greenwich')]);
    await page.focus('canvas');
    await page.keyboard.press('Home');
    expect(await page.textContent('.chart-when')).toBe('22 Nov 05:00');
    await page.check('input[name=zone][value=utc]');
    expect(await page.textContent('.chart-when')).toBe('22 Nov 10:00');
    expect(await page.textContent('tr[aria-current] td')).toBe('22 Nov 10:00');
  });

  it('has a line of its own for each of five countries', async () => {
    await open([result('five countries a day')]);
    for (const colour of COLOURS) {
      expect(Math.max(...(await runs(colour)))).toBeGreaterThan(200);
    }
  });

  it.each([1440, 768, 360])(
    'keeps its colours where colours are forced, at %i px',
    async (width) => {
      const viewport = { width, height: 740 };
      await open([result('five countries a day')], { forcedColors: 'active', viewport });
      for (const colour of COLOURS) {
        expect(Math.max(...(await runs(colour)))).toBeGreaterThan(150);
      }
      const swatches = await page.evaluate(
        `[...document.querySelectorAll('.swatch')].map((one) => getComputedStyle(one).backgroundColor)`,
      );
      expect(new Set(swatches as string[]).size).toBe(5);
      expect(await seriousFindings(page)).toEqual([]);
    },
  );

  it('has a bar for each day, and an outline for one that is not over', async () => {
    const counts = { columns: [ORDERS[0], { name: 'n', type: 'INT64', mode: 'REQUIRED' }] };
    const computedAtMs = Date.parse('2026-11-05T12:00:00Z');
    const input = days([5, 5, 5, 5, 5], { ...(counts as Partial<ChartInput>), computedAtMs });
    const rows = input.rows.map(({ day, ms }) => ({ day, n: ms }));
    await open([{ ...input, rows }]);
    const bars = await runs(BLUE);
    expect(bars.length).toBeGreaterThanOrEqual(5);
    expect(bars.slice(0, 4).every((bar) => bar === bars[0])).toBe(true);
    // The outline of the last is not filled: its columns differ.
    expect(bars.slice(4)).not.toContain(bars[0]);
  });

  it.each([
    ['America/Los_Angeles', '31 Oct'],
    ['Pacific/Auckland', '31 Oct'],
  ])('names a day as the row does in %s', async (timezoneId, day) => {
    await open([result(`days of a DATE in ${timezoneId}`)]);
    expect(await page.textContent('tbody td')).toBe(day);
    await page.focus('canvas');
    await page.keyboard.press('Home');
    expect(await page.getAttribute('canvas', 'aria-valuetext')).toBe(`${day}; orders 0`);
  });

  it('reads every series by pointer and by key, and marks its rows', async () => {
    await open([result('five countries a day')]);
    await page.focus('canvas');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(await page.getAttribute('canvas', 'aria-valuetext')).toBe(
      '2 Nov; ES 42; IT 32; GB 22; FR 12; DE 2',
    );
    const marked = (): Promise<string[]> =>
      page.locator('tr[aria-current] td:first-child').allTextContents();
    expect(await marked()).toEqual(Array.from({ length: 5 }, () => '2 Nov'));
    const box = await page.locator('canvas').boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 20, (box?.y ?? 0) + 20);
    expect(await page.textContent('.chart-when')).toBe('4 Nov');
    expect(await page.locator('.toggle b').allTextContents()).toEqual([
      '44',
      '34',
      '24',
      '14',
      '4',
    ]);
    await page.hover('tbody tr:first-child');
    expect(await page.textContent('.chart-when')).toBe('1 Nov');
    await page.keyboard.press('Escape');
    expect(await marked()).toEqual([]);
  });

  it.each([
    [1440, 'light'],
    [1440, 'dark'],
    [768, 'light'],
    [768, 'dark'],
    [360, 'light'],
    [360, 'dark'],
  ] as const)('shows every result at %i px in %s', async (width, colorScheme) => {
    const height = width === 360 ? 740 : 900;
    const look = async (picture: string): Promise<void> => {
      await page.screenshot({ path: `artifacts/chart-${picture}-${width}-${colorScheme}.png` });
      // axe takes half a second: the other pictures have the same parts.
      if (!['key', 'lines', 'names', 'error'].includes(picture)) return;
      expect([picture, await seriousFindings(page)]).toEqual([picture, []]);
    };
    await open(
      RESULTS.map(([, input]) => input),
      { viewport: { width, height }, colorScheme },
      look,
    );
    const pictured = new Map(
      Object.entries({
        lines: 'twelve countries a day: the largest seven and the sum of the others',
        gaps: 'hours without a row',
        'one-row': 'one row',
        'no-rows': 'no rows',
        names: 'names of every script, an empty one and a null',
        panels: 'a panel for each unit, with the words that its columns share',
      }).map(([picture, name]) => [name, picture]),
    );
    for (const [index, [name]] of RESULTS.entries()) {
      const picture = pictured.get(name);
      // The places of things are those of the light theme, and 768 px is between the others.
      if (picture === undefined && (colorScheme === 'dark' || width === 768)) continue;
      await page.goto(`${server.origin}/#r.${index}`);
      await shows(index);
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        name,
        width,
      ]);
      if (picture !== undefined) await look(picture);
    }
    isFailing = true;
    await page.click('#run');
    await page.waitForSelector('#problem:not([hidden])');
    await look('error');
  });
});
