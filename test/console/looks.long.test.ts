// Every screen of the console in a real browser, at each width, in light, dark and forced colours: it fits, is accessible, and nothing moves.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { queryResult, wireRow } from '../support/fakes/fake-query-runner.ts';
import { LOOKS, RESULT, describeInBrowser, useBrowser } from '../support/browser/browser.ts';
import { serveConsole } from '../support/browser/console-server.ts';
import { columns } from '../support/sql/columns.ts';
import { API_KEY } from '../support/world.ts';

describeInBrowser('the console', () => {
  const browser = useBrowser();
  it.each(LOOKS)(
    'fits and is accessible on every screen, and nothing moves while it loads, at %i px in %s with forced colours %s',
    async (width, colorScheme, forcedColors) => {
      /** A folder for a picture of each screen, to look at; without it there are none. */
      const { PICTURES } = process.env;
      const service = await serveConsole({ runsExamples: true });
      const hosts = 'Alpha,beta-2,a host with quite a long name,,δ,f,g,h,i'.split(',');
      const rows = Array.from({ length: 45 }, (_, index) =>
        wireRow(
          `2026-11-${String(1 + Math.floor(index / 9)).padStart(2, '0')}`,
          hosts[index % 9],
          String(Math.round(100 * Math.sin(index / 9) * (1 + (index % 9))) / 100),
          String(index * 12_345),
          index % 7 === 0 ? null : `lorem ipsum dolor sit amet ${index} `.repeat(9),
          [{ v: 'a' }, { v: `b${index}` }],
        ),
      );
      const schema = columns(
        'day DATE REQUIRED, host STRING, load FLOAT64, requests INT64, message STRING, tags STRING REPEATED',
      );
      service.queryRunner.answerWith(queryResult({ schema, rows }));
      if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
      const page = await browser.open(service.origin, { width, colorScheme, forcedColors });
      await browser.recordShifts();
      async function look(screen: string, part?: string): Promise<void> {
        if (PICTURES !== undefined)
          await page.screenshot({ path: join(PICTURES, `${screen} ${width} ${colorScheme}.png`) });
        expect([screen, await browser.width()]).toEqual([screen, width]);
        expect([screen, await browser.seriousFindings(part)]).toEqual([screen, []]);
      }

      // Rows after the key.
      await page.goto(service.origin);
      await page.waitForSelector('#key');
      await look('sign-in');
      await browser.signIn(`${service.origin}/#hosts.load`, API_KEY);
      await page.waitForSelector(RESULT);
      expect(await browser.shifts()).toEqual([]);
      await page.reload();
      await page.waitForSelector(RESULT);
      expect(await browser.shifts()).toEqual([]);
      await look('result');

      // What is chosen from, whole values, filter and what is saved.
      await page.click('#choose-series');
      await look('series', 'dialog');
      await browser.press('Escape');
      await page.click('#arrange');
      await look('hidden columns', 'dialog');
      await browser.press('Escape');
      await page.locator('.table-scroll').scrollIntoViewIfNeeded();
      await page.click('.grid [aria-rowindex="4"] td:nth-child(5)');
      await look('a whole value', 'dialog');
      await browser.press('Escape');
      await page.fill('#filter', 'a');
      await look('filter');
      await page.fill('#filter', '');
      await page.click('#save');
      await look('save', 'dialog');
      await browser.press('Escape');

      // Columns and code.
      for (const tab of ['columns', 'code']) {
        await page.click(`#tab-${tab}`);
        await look(tab, `#panel-${tab}`);
      }

      // The search.
      await browser.press('Control+K');
      for (const query of ['warehouse', 'nothing like it']) {
        await page.fill('#find', query);
        await look(query, 'nav');
      }
      // The first one empties the search.
      await browser.press('Escape', 'Escape');

      // What is wrong with fields, and an error.
      await page.goto(`${service.origin}/#hosts.load?n=500&ids=1&ids=x&from_day=x&to_day=x&at=x`);
      await page.waitForSelector('#error-ids:not([hidden])');
      await look('faults', '#endpoint');
      const json = { error: { code: 500, message: 'Internal error.', details: [] } };
      await page.route('**/query/**', (route) => route.fulfill({ status: 500, json }));
      await page.goto(`${service.origin}/#hosts.load?n=5`);
      await page.waitForSelector('#problem:not([hidden])');
      await look('an error', '#problem');
    },
  );
});
