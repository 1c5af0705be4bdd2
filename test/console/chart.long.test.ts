// Tests of charts in a real browser: what is planned is painted, read by pointer and by key, and chosen from.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { ChartPlan } from '../../functions/console/chart/plan/chart-plan.ts';
import { planChart } from '../../functions/console/chart/plan/plan-chart.ts';
import { describeInBrowser } from '../support/browser/browser.ts';
import { useResults } from '../support/browser/results-page.ts';
import { CASES, MAIN, inputOf } from './chart/results.ts';
import { eventually } from '../support/until.ts';

const NAMES = [...CASES.keys()];
const BLUE = [43, 80, 204] as const;
/** Of the light theme, in the order of series. */
const COLOURS = [BLUE, [194, 65, 12], [11, 114, 133], [134, 46, 156], [43, 122, 58]] as const;

describeInBrowser('a chart', () => {
  const results = useResults(NAMES.map(inputOf));
  const { browser } = results;
  let page: Page;

  beforeAll(async () => {
    page = await results.open('2026-11-08T12:00:00Z', { width: 500 });
  });

  async function show(name: string, view = ''): Promise<void> {
    await page.clock.setFixedTime(inputOf(name).computedAtMs);
    await results.show(NAMES.indexOf(name), view);
  }
  /** In a tab of its own. */
  async function showIn(options: object, name: string): Promise<void> {
    page = await results.open(inputOf(name).computedAtMs, { width: 500, ...options });
    await show(name);
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
  const when = (): Promise<string | null> => page.textContent('.chart-when');
  const marked = (): Promise<string[]> =>
    page.locator('tr[aria-current] td:first-child').allTextContents();
  const toggles = (): Promise<string[]> => page.locator('.toggle .name').allTextContents();
  /** The words on the axis of time. */
  const ticks = (): Promise<unknown> =>
    page.evaluate(`document.querySelector('.plot').plot.axes[0]._values.filter(Boolean).join(' ')`);
  const swatches = async (): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll('#chart .swatch')].map((one) => getComputedStyle(one).backgroundColor)`,
    );

  it('has a gap where days have no rows, and dashes the way to a day until that is over', async () => {
    await show('eight days, of which two have no rows, until the middle of the last');
    const [left = 0, right = 0, ...dashes] = await runs(BLUE);
    // The first dash, of four pixels, follows without a space.
    expect(Math.abs(left - 2 * (right - 4))).toBeLessThan(6);
    expect(dashes.length).toBeGreaterThan(4);
    expect(Math.max(...dashes)).toBeLessThan(8);
    expect(await when()).toBe('8 Nov · so far');
    // The same rows are now known to be all.
    await page.clock.setFixedTime('2026-11-09T00:00:00Z');
    const answered = page.waitForResponse(/query/);
    await page.click('#run');
    expect((await answered).status()).toBe(304);
    await page.waitForSelector('.chart-when:text-is("8 Nov")');
    expect(await runs(BLUE)).toHaveLength(2);
    expect(await page.textContent('tr:last-child td')).toBe('8 Nov');
  });

  // Twenty that differ most.
  it.each(MAIN.filter((_, index) => index % Math.ceil(MAIN.length / 20) === 0))(
    'shows what is planned: %s',
    async (name) => {
      /** The panels of a chart as uPlot has them: what is not whole is a series of its own of the same name, and dashed. */
      const DRAWN = `(() => {
        const axes = [];
        const panels = [...document.querySelectorAll('.panel')].map((panel) => {
          const { data, series, axes: [{ _values: words }], scales: { y } } = panel.querySelector('.plot').plot;
          const most = Math.max(...data.slice(1).flat().map(Math.abs)) || 1;
          const named = {};
          for (const [index, { label, dash }] of series.entries())
            if (index > 0)
              named[label] = data[index].map((value, at) =>
                named[label]?.[at] ?? (value === null ? undefined : (value / most).toFixed(6) + (dash ? '~' : '')));
          const note = panel.querySelector('h3 + .chart-unit').textContent;
          axes.push({ hasZero: y.min <= 0 && y.max >= 0, note, words: words.filter(Boolean) });
          return { title: panel.querySelector('h3').textContent, series: named };
        });
        return { axes, drawn: { panels, notes: document.querySelector('.chart-note')?.textContent ?? '' } };
      })()`;

      /** What the plan of a chart says, with values as parts of the largest of their panel. */
      function planned(plan: ChartPlan) {
        if (plan.kind !== 'drawn')
          return { panels: [], notes: plan.kind === 'figures' ? '' : plan.text };
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

      /** A chart is drawn once its width is known, after the page. */
      const IS_DRAWN = `[...document.querySelectorAll('.panel .plot')].every(({ plot }) => plot?.axes[0]._values)`;
      await show(name);
      const plan = planChart({ ...inputOf(name), timeZone: 'UTC', windowStartMs: undefined });
      // Not waitForFunction: to ask again it evaluates the text in the page, whose policy forbids that.
      await eventually(async () => expect(await page.evaluate(IS_DRAWN)).toBe(true), 10_000);
      const { axes, drawn } = await page.evaluate<{
        axes: { hasZero: boolean; note: string; words: string[] }[];
        drawn: unknown;
      }>(DRAWN);
      expect(drawn).toEqual(planned(plan));
      const { moments = [], panels = [] } = plan.kind === 'drawn' ? plan : {};
      for (const [index, { hasZero, note, words }] of axes.entries()) {
        expect(note).toBe(hasZero ? '' : 'not from 0');
        if (panels[index]?.hasZero) expect(hasZero).toBe(true);
        // Instants have ticks at any time.
        const isLabel = (text: string): boolean =>
          moments.some(
            ({ label, startMs, endMs, rows }) =>
              label.includes(text.replace(/(?:…|\n.*)$/, '')) ||
              (startMs === endMs && rows.length === 1),
          );
        expect(words.some(isLabel)).toBe(true);
      }
      expect(await browser.width()).toBe(500);
    },
  );

  it('reads every series by pointer and by key, and marks its rows', async () => {
    await show('five countries a day');
    await page.focus('#chart [type=range]');
    await browser.press('Home', 'ArrowRight');
    expect(await browser.spoken()).toBe('2 Nov; DE 2; FR 12; GB 22; IT 32; ES 42');
    expect(await marked()).toEqual(Array.from({ length: 5 }, () => '2 Nov'));
    await page.evaluate(`(() => {
      window.painted = 0;
      const { prototype } = CanvasRenderingContext2D;
      for (const name of ['clearRect', 'stroke', 'fill', 'fillText']) {
        const own = prototype[name];
        prototype[name] = function (...given) { window.painted += 1; return own.apply(this, given); };
      }
    })()`);
    const box = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 20, (box?.y ?? 0) + 20);
    expect(await when()).toBe('4 Nov');
    expect((await page.locator('.toggle b').allTextContents()).join()).toBe('4,14,24,34,44');
    await browser.press('Escape');
    expect(await marked()).toEqual([]);
    // Nothing is drawn again while one reads.
    expect(await page.evaluate('window.painted')).toBe(0);
  });

  it('has a line of a colour of its own for each of five countries with forced colours', async () => {
    await showIn({ forcedColors: 'active', width: 360 }, 'five countries a day');
    for (const colour of COLOURS) expect(Math.max(...(await runs(colour)))).toBeGreaterThan(150);
    expect(new Set(await swatches()).size).toBe(5);
  });

  it('keeps the chosen time when the zone changes, and names days as rows do', async () => {
    const name = 'hours of a TIMESTAMP west of Greenwich';
    await showIn({ timezoneId: 'America/New_York' }, name);
    await page.focus('#chart [type=range]');
    await browser.press('Home');
    expect(await when()).toBe('22 Nov 05:00');
    expect(await ticks()).toBe('05:00\n22 Nov 06:00 07:00 08:00');
    await page.selectOption('#zone', 'utc');
    expect(await ticks()).toBe('10:00\n22 Nov 11:00 12:00 13:00');
    expect([await when(), ...(await marked())]).toEqual(['22 Nov 10:00', '22 Nov 10:00']);
    await show('days of a DATE in America/Los_Angeles');
    expect(await page.textContent('tbody td')).toBe('31 Oct');
    await page.focus('#chart [type=range]');
    await browser.press('Home');
    expect(await browser.spoken()).toBe('31 Oct; orders 0');
  });

  it('names the series in all panels, in one colour, and hides one in all of them', async () => {
    await showIn({ width: 1440 }, 'three units of each severity');
    const severities = ['rgb(43, 80, 204)', 'rgb(194, 65, 12)', 'rgb(11, 114, 133)'];
    const names = ['critical', 'warning', 'info'];
    expect(await toggles()).toEqual([...names, ...names, ...names]);
    expect(await swatches()).toEqual([...severities, ...severities, ...severities]);
    await page.focus('.toggle >> nth=1');
    await browser.press('Enter');
    for (const panel of [0, 1, 2]) {
      expect(await runs(COLOURS[1], panel)).toEqual([]);
      expect(Math.max(...(await runs(BLUE, panel)))).toBeGreaterThan(150);
    }
    const values = (await page.locator('.toggle b').allTextContents()).slice(3);
    expect(values).toEqual(['300', '–', '200', '90', '–', '10']);
    expect(await browser.spoken()).not.toContain('warning');
    await page.click('.toggle >> nth=1');
    expect(Math.max(...(await runs(COLOURS[1])))).toBeGreaterThan(150);
  });

  it('draws the series that the reader chooses, and keeps the choice in the link', async () => {
    await show('300 series of averages');
    await page.focus('#choose-series');
    await browser.press('Enter');
    await browser.press('h', ...'ost-25');
    expect(await page.locator('dialog li:visible').count()).toBe(11);
    await browser.press('Tab', 'Tab', 'Space');
    // In the order of the rows.
    expect((await toggles()).slice(-2)).toEqual(['host-299', 'host-300']);
    expect(await toggles()).toContain('host-250');
    await browser.press('Escape');
    expect(await browser.focused()).toBe('choose-series');
    const link = page.url();
    await page.click('#choose-series');
    await page.click('text=Reset');
    expect((await toggles()).join()).not.toContain('host-250');
    expect(page.url()).not.toContain('.series');
    await browser.press('Escape');
    await page.goto(link);
    await page.waitForSelector('.toggle:has-text("host-250")');
    await show(
      '300 series of averages',
      '.series=%3Cimg%20src%3Dx%3E&.series=host-7&.series=constructor',
    );
    await page.waitForSelector('#chart:not(:has(.toggle + .toggle))');
    expect(await toggles()).toEqual(['host-7']);
  });

  it('shows a part of the time that is dragged over, and all of it again', async () => {
    await show('an hour that is not over');
    const all = await ticks();
    for (const leave of [() => browser.press('Escape'), () => page.click('text=Zoom out')]) {
      const { x = 0, y = 0, width = 0 } = (await page.locator('.u-over').boundingBox()) ?? {};
      await page.mouse.move(x + 0.3 * width, y + 9);
      await page.mouse.down();
      await page.mouse.move(x + 0.7 * width, y + 9, { steps: 5 });
      await page.mouse.up();
      expect(await ticks()).toBe('11:00\n22 Nov 12:00');
      // The keys stay in what is shown.
      await browser.press('End');
      expect(await browser.spoken()).toBe('22 Nov 12:00; count 4');
      // It stays when the chart is drawn for other rows.
      await page.fill('#filter', '2');
      await page.waitForSelector('.chart-note:has-text("Filtered")');
      expect(await ticks()).toBe('11:00\n22 Nov 12:00');
      await page.fill('#filter', '');
      await page.focus('#chart [type=range]');
      await leave();
      expect(await ticks()).toBe(all);
      expect(await page.isVisible('text=Zoom out')).toBe(false);
    }
  });

  it('is saved as a picture in the colours of the page, which the system may change, by keyboard', async () => {
    await show('names of every script, an empty one and a null');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.focus('#save');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      browser.press('Enter', 'Tab', 'Tab', 'Tab', 'Enter'),
    ]);
    // The menu is closed, and what opens it has the focus.
    expect(await browser.focused()).toBe('save');
    expect(file.suggestedFilename()).toMatch(/^r\.\d+\.png$/);
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
    expect(pixels).toEqual(expect.arrayContaining(['1e1b19', 'ffab93']));
  });
});
