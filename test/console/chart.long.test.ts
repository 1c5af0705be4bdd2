// Tests of charts in a real browser: that what is planned is painted, with every result of the table.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { ChartInput, ChartPlan } from '../../functions/console/chart/plan/chart-plan.ts';
import { planChart } from '../../functions/console/chart/plan/plan-chart.ts';
import { LOOKS, WIDTHS, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { type ConsoleServer, serveConsole } from '../support/browser/console-server.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { MAIN, inputOf } from './chart/results.ts';

const ORDERS = [
  { name: 'day', type: 'DATE', mode: 'REQUIRED' },
  { name: 'ms', type: 'FLOAT64', mode: 'NULLABLE', unit: 'ms' },
];
const ERROR_ID = '5f0c7d1e-9a53-4a2f-8a41-90e7c4f2c7d1';
const DETAILS = [{ reason: 'INTERNAL', metadata: { errorId: ERROR_ID } }];
const FAILURE = { error: { code: 500, message: 'Internal error.', details: DETAILS } };
const BLUE = [43, 80, 204] as const;
/** Of the light theme, in the order of series. */
const COLOURS = [BLUE, [194, 65, 12], [11, 114, 133], [134, 46, 156], [43, 122, 58]] as const;

/** The panels of a chart as uPlot has them: what is not whole is a series of its own of the same name, and dashed. */
const DRAWN = `(() => {
  const panels = [...document.querySelectorAll('.panel')].map((panel) => {
    const { data, series, axes } = panel.querySelector('.plot').plot;
    const most = Math.max(...data.slice(1).flat().map(Math.abs)) || 1;
    const named = {};
    for (const [index, { label, dash }] of series.entries())
      if (index > 0)
        named[label] = data[index].map((value, at) =>
          named[label]?.[at] ?? (value === null ? undefined : (value / most).toFixed(6) + (dash ? '~' : '')));
    return { title: panel.querySelector('h3').textContent, series: named, words: axes[0]._values };
  });
  return { panels, notes: document.querySelector('.chart-note')?.textContent ?? '' };
})()`;

interface Panels {
  panels: { title: string; series: Record<string, (string | undefined)[]>; words?: string[] }[];
  notes: string;
}

/** What the plan of a chart says, with values as parts of the largest of their panel. */
function planned(plan: ChartPlan): Panels {
  if (plan.kind !== 'drawn') return { panels: [], notes: plan.kind === 'figures' ? '' : plan.text };
  const { axis, moments, panels, notes } = plan;
  // Several buckets without rows have a first and a last place.
  const places = moments.flatMap(({ label }, at) =>
    axis === 'time' && label.includes(' – ') ? [at, at] : [at],
  );
  const all = panels.map(({ title, unit, mark, series }) => {
    const sizes = series.flatMap(({ values }) => values.map((value) => Math.abs(value ?? 0)));
    const most = Math.max(...sizes) || 1;
    const isDashed = (at: number): boolean =>
      mark !== 'points' && ['so far', 'incomplete'].includes(moments[at]?.state ?? '');
    const textsOf = (values: readonly (number | null)[]): (string | undefined)[] =>
      places.map((at) =>
        values[at] == null
          ? undefined
          : `${(values[at] / most).toFixed(6)}${isDashed(at) ? '~' : ''}`,
      );
    const named = series.map(({ name, values }) => [name, textsOf(values)] as const);
    return { title: `${title} ${unit}`, series: Object.fromEntries(named) };
  });
  return { panels: all, notes: notes.join(' ') };
}

describeInBrowser('a chart', () => {
  const browser = useBrowser();
  let server: ConsoleServer;
  let page: Page;
  let isFailing = false;

  beforeAll(async () => {
    server = await serveConsole(new FakeSqlTree().endpoint(), { runsExamples: true });
  });

  /** Opens a page whose endpoints have these results, `r.0` first. */
  async function open(
    inputs: readonly ChartInput[],
    options: Parameters<typeof browser.open>[1] = {},
  ): Promise<void> {
    isFailing = false;
    const [first] = inputs;
    page = await browser.open(server.origin, {
      width: 500,
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
    await browser.signIn(server.origin, 'sqk_any-key');
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

  const days = (computedAt: string, ...values: (number | undefined)[]): ChartInput => ({
    columns: ORDERS,
    rows: values.flatMap((ms, index) =>
      ms === undefined ? [] : [{ day: `2026-11-0${index + 1}`, ms }],
    ),
    bucket: { column: 'day', step: 'P1D' },
    timeZone: 'UTC',
    computedAtMs: Date.parse(computedAt),
  });

  it('has a gap where days have no rows, and dashes the way to a day that is not over', async () => {
    await open([days('2026-11-08T12:00:00Z', 5, 5, 5, undefined, undefined, 5, 5, 5)]);
    const [left = 0, right = 0, ...dashes] = await runs(BLUE);
    // The first dash, of four pixels, follows without a space.
    expect(Math.abs(left - 2 * (right - 4))).toBeLessThan(6);
    expect(dashes.length).toBeGreaterThan(4);
    expect(Math.max(...dashes)).toBeLessThan(8);
  });

  it('closes a day that is over when the same rows are known to be all', async () => {
    await open([days('2026-11-04T12:00:00Z', 5, 5, 5, 5)]);
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
    await open([inputOf('hours of a TIMESTAMP west of Greenwich')]);
    await page.focus('.plot');
    await browser.press('Home');
    expect(await page.textContent('.chart-when')).toBe('22 Nov 05:00');
    await page.selectOption('#zone', 'utc');
    expect(await page.textContent('.chart-when')).toBe('22 Nov 10:00');
    expect(await page.textContent('tr[aria-current] td')).toBe('22 Nov 10:00');
  });

  it.each(WIDTHS.flatMap((width) => [[width, 'none'] as const, [width, 'active'] as const]))(
    'has a line of its own for each of five countries at %i px with forced colours %s',
    async (width, forcedColors) => {
      await open([inputOf('five countries a day')], { forcedColors, width });
      for (const colour of COLOURS) {
        expect(Math.max(...(await runs(colour)))).toBeGreaterThan(150);
      }
      const swatches = await page.evaluate(
        `[...document.querySelectorAll('.swatch')].map((one) => getComputedStyle(one).backgroundColor)`,
      );
      expect(new Set(swatches as string[]).size).toBe(5);
    },
  );

  it.each(['days of a DATE in America/Los_Angeles', 'days of a DATE in Pacific/Auckland'] as const)(
    'names a day as the row does: %s',
    async (name) => {
      await open([inputOf(name)]);
      expect(await page.textContent('tbody td')).toBe('31 Oct');
      await page.focus('.plot');
      await browser.press('Home');
      expect(await browser.spoken()).toBe('31 Oct; orders 0');
    },
  );

  it('reads every series by pointer and by key, and marks its rows', async () => {
    await open([inputOf('five countries a day')]);
    await page.focus('.plot');
    await browser.press('Home', 'ArrowRight');
    expect(await browser.spoken()).toBe('2 Nov; DE 2; FR 12; GB 22; IT 32; ES 42');
    const marked = (): Promise<string[]> =>
      page.locator('tr[aria-current] td:first-child').allTextContents();
    expect(await marked()).toEqual(Array.from({ length: 5 }, () => '2 Nov'));
    const box = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 20, (box?.y ?? 0) + 20);
    expect(await page.textContent('.chart-when')).toBe('4 Nov');
    const values = await page.locator('.toggle b').allTextContents();
    expect(values.join()).toBe('4,14,24,34,44');
    await page.hover('tbody tr:first-child');
    expect(await page.textContent('.chart-when')).toBe('1 Nov');
    await browser.press('Escape');
    expect(await marked()).toEqual([]);
  });

  const toggles = (): Promise<string[]> => page.locator('.toggle .name').allTextContents();
  const colours = (where: string): Promise<unknown> =>
    page.evaluate(
      `[...document.querySelectorAll('${where} .swatch')].map((one) => getComputedStyle(one).backgroundColor)`,
    );

  it('names the series of all panels once, in one stop of the Tab key, and hides one in all of them', async () => {
    await open([inputOf('three units of each severity')], { width: 1440 });
    await page.focus('#run');
    const stops: unknown[] = [];
    while (!(await page.evaluate('document.activeElement.matches("#table-card *")'))) {
      await browser.press('Tab');
      stops.push(await page.evaluate('document.activeElement.className'));
    }
    // The last is in the table.
    expect(stops.slice(0, -1).length).toBeLessThanOrEqual(6);
    expect(stops.filter((name) => String(name).startsWith('toggle'))).toHaveLength(1);
    const severities = ['rgb(43, 80, 204)', 'rgb(194, 65, 12)', 'rgb(11, 114, 133)'];
    expect(await toggles()).toEqual(['critical', 'warning', 'info']);
    expect(await colours('#chart')).toEqual([...severities, ...severities, ...severities]);
    await page.focus('.toggle');
    await browser.press('ArrowRight', 'Enter');
    const pressed = await page.evaluate(
      `[...document.querySelectorAll('.toggle')].map((one) => one.getAttribute('aria-pressed'))`,
    );
    expect(pressed).toEqual(['true', 'false', 'true']);
    for (const panel of [0, 1, 2]) {
      expect(await runs(COLOURS[1], panel)).toEqual([]);
      expect(Math.max(...(await runs(BLUE, panel)))).toBeGreaterThan(150);
    }
    expect(await page.locator('.value:visible').allTextContents()).toEqual([
      ...['300', '200'],
      ...['90', '10'],
    ]);
    expect(await browser.spoken()).not.toContain('warning');
    await page.click('.toggle >> nth=1');
    expect(Math.max(...(await runs(COLOURS[1])))).toBeGreaterThan(150);
  });

  it('draws the series that the reader chooses, and keeps the choice in the link', async () => {
    await open([inputOf('300 series of averages')], { width: 1440 });
    await page.focus('.toggle');
    await browser.press('End', 'Enter');
    await browser.press('h', ...'ost-25');
    expect(await page.locator('dialog li:visible').count()).toBe(11);
    await browser.press('Tab', 'Tab', 'Space');
    expect(await page.evaluate('document.activeElement.type')).toBe('checkbox');
    // In the order of the rows.
    expect((await toggles()).slice(-2)).toEqual(['host-299', 'host-300']);
    expect(await toggles()).toContain('host-250');
    expect(await browser.seriousFindings()).toEqual([]);
    await browser.press('Escape');
    expect(await browser.focused()).toBe('choose-series');
    const link = page.url();
    await page.click('#choose-series');
    await page.click('text=Automatic');
    expect((await toggles()).join()).not.toContain('host-250');
    expect(page.url()).not.toContain('.series');
    await page.goto(link);
    await page.waitForSelector('.toggle:has-text("host-250")');
    const hostile = '.series=%3Cimg%20src%3Dx%3E&.series=host-7&.series=constructor';
    await page.goto(`${server.origin}/#r.0?${hostile}`);
    await page.waitForSelector('#chart:not(:has(.toggle + .toggle))');
    expect(await toggles()).toEqual(['host-7']);
  });

  it('saves what is drawn as a picture in light colours, by keyboard', async () => {
    await open([inputOf('names of every script, an empty one and a null')], {
      colorScheme: 'dark',
    });
    await page.focus('#save');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      browser.press('Enter', 'Tab', 'Tab', 'Tab', 'Enter'),
    ]);
    expect(file.suggestedFilename()).toBe('r.0.png');
    // The menu is closed, and what opens it has the focus.
    expect(await browser.focused()).toBe('save');
    const content = await readFile(await file.path(), 'base64');
    await page.goto(`data:image/png;base64,${content}`);
    const pixels = await page.evaluate(`(() => {
      const context = document.createElement('canvas').getContext('2d');
      const image = document.querySelector('img');
      Object.assign(context.canvas, { width: image.naturalWidth, height: image.naturalHeight });
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.naturalWidth, image.naturalHeight);
      return [...new Set(new Uint32Array(data.buffer))].map((pixel) => (pixel & 0xffffff).toString(16));
    })()`);
    // As red, green and blue from right to left: the surface, and a series.
    expect(pixels).toEqual(expect.arrayContaining(['ffffff', 'cc502b']));
  });

  it('paints only what changes while the pointer moves', async () => {
    await open([inputOf('five countries a day')]);
    await page.evaluate(`(() => {
      window.painted = 0;
      const { prototype } = CanvasRenderingContext2D;
      for (const name of ['clearRect', 'stroke', 'fill', 'fillText'])
        prototype[name] = () => void (window.painted += 1);
    })()`);
    await page.hover('.plot');
    expect(await page.textContent('.chart-when')).not.toBe('4 Nov');
    expect(await page.evaluate('window.painted')).toBe(0);
  });

  it('shows a part of the time that is dragged over, and all of it again', async () => {
    await open([inputOf('an hour that is not over')]);
    const box = await page.locator('.u-over').boundingBox();
    const drag = async (): Promise<void> => {
      const at = (part: number) => [(box?.x ?? 0) + part * (box?.width ?? 0), (box?.y ?? 0) + 9];
      const [from = 0, to = 0, y = 0] = [at(0.3)[0], at(0.7)[0], at(0)[1]];
      await page.mouse.move(from, y);
      await page.mouse.down();
      await page.mouse.move(to, y, { steps: 5 });
      await page.mouse.up();
    };
    const ticks = (): Promise<unknown> =>
      page.evaluate(`document.querySelector('.plot').plot.axes[0]._values.join()`);
    const all = await ticks();
    for (const leave of [() => browser.press('Escape'), () => page.click('text=Zoom out')]) {
      await drag();
      expect(await ticks()).toBe('11:00\n22 Nov,12:00');
      // The keys stay in what is shown.
      await browser.press('End');
      expect(await browser.spoken()).toBe('22 Nov 12:00; count 4');
      // It stays when the chart is drawn for other rows.
      await page.click('#filter');
      await page.keyboard.type('2');
      await page.waitForSelector('.chart-note:has-text("Filtered")');
      expect(await ticks()).toBe('11:00\n22 Nov,12:00');
      await page.keyboard.press('Escape');
      await page.focus('.plot');
      await leave();
      expect(await ticks()).toBe(all);
      expect(await page.isVisible('text=Zoom out')).toBe(false);
    }
  });

  it('says which axes do not begin at zero', async () => {
    const [fitting, withZero] = [
      ['temperatures below zero, which fit the axis', 'points of temperatures, which fit the axis'],
      ['temperatures on both sides of zero', 'amounts below zero, as texts of NUMERIC'],
    ] as const;
    const names = [...fitting, ...withZero, 'three temperatures, which are bars'] as const;
    await open(names.map((name) => inputOf(name)));
    const notes: (string | null)[] = [];
    for (const index of names.keys()) {
      await page.goto(`${server.origin}/#r.${index}`);
      await shows(index);
      notes.push(await page.textContent('.panel-head > .chart-unit'));
    }
    expect(notes).toEqual(['not from 0', 'not from 0', '', '', '']);
  });

  /** With all parts that a chart can have: axe takes half a second. */
  const isLookedAt = (name: string): boolean => /^(?:twelve countries a day|names of)/.test(name);
  const NAMES = MAIN.filter((name, index) => index % 3 === 0 || isLookedAt(name));

  it.each(LOOKS)(
    'shows what is planned at %i px in %s with forced colours %s',
    async (...given) => {
      const [width, colorScheme, forcedColors] = given;
      const inputs = NAMES.map(inputOf);
      await open(inputs, { width, colorScheme, forcedColors });
      const check = async (what: string): Promise<void> => {
        expect([what, await browser.width()]).toEqual([what, width]);
        expect([what, await browser.seriousFindings()]).toEqual([what, []]);
      };
      for (const [index, name] of NAMES.entries()) {
        // The places of things are those of the light theme.
        if (!isLookedAt(name) && colorScheme === 'dark') continue;
        await page.goto(`${server.origin}/#r.${index}`);
        await shows(index);
        const { timeZone = '', computedAtMs = 0 } = inputs[0] ?? {};
        const plan = planChart({
          ...inputOf(name),
          timeZone,
          computedAtMs,
          windowStartMs: undefined,
        });
        const { panels, notes } = (await page.evaluate(DRAWN)) as Panels;
        const drawn = { panels: panels.map(({ title, series }) => ({ title, series })), notes };
        expect([name, drawn]).toEqual([name, planned(plan)]);
        const moments = plan.kind === 'drawn' ? plan.moments : [];
        for (const { words = [] } of panels) {
          const texts = words.filter((word) => word !== '');
          expect([name, new Set(texts).size]).toEqual([name, texts.length]);
          // Instants have ticks at any time.
          const isLabel = (text: string): boolean =>
            moments.some(
              ({ label, startMs, endMs, rows }) =>
                label.includes(text.replace(/(?:…|\n.*)$/, '')) ||
                (startMs === endMs && rows.length === 1),
            );
          expect([name, texts.some(isLabel)]).toEqual([name, true]);
        }
        expect([name, await browser.width()]).toEqual([name, width]);
        if (isLookedAt(name)) await check(name);
      }
      isFailing = true;
      await page.click('#run');
      await page.waitForSelector('#problem:not([hidden])');
      await check('an error');
      await page.evaluate(`document.querySelector('#change-key').click()`);
      await page.waitForSelector('#key-form');
      await check('the form for a key');
    },
  );
});
