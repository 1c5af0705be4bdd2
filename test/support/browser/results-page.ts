// Shows made-up results in the console: each is that of an endpoint, `r.0`, `r.1` and so on, with no service behind it.
import type { Page } from 'playwright-core';
import type { ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';
import { type TabOptions, useBrowser } from './browser.ts';
import { serveConsole } from './console-server.ts';

type Result = Pick<ChartInput, 'columns' | 'rows' | 'bucket' | 'isTruncated'>;

const ERROR_ID = '5f0c7d1e-9a53-4a2f-8a41-90e7c4f2c7d1';
const DETAILS = [{ reason: 'INTERNAL', metadata: { errorId: ERROR_ID } }];
const FAILURE = { error: { code: 500, message: 'Internal error.', details: DETAILS } };

export function useResults(results: readonly Result[]) {
  const browser = useBrowser();
  const calls = { count: 0, isFailing: false };
  let origin: string;
  let page: Page;
  beforeAll(async () => {
    const server = await serveConsole({ runsExamples: true });
    ({ origin } = server);
  });
  const shown = async (index: number): Promise<void> => {
    await page.waitForSelector(`h1#name:text-is("r.${index}")`, { state: 'attached' });
    await page.waitForSelector('#result:not(.waiting):not(.stale)');
  };
  return {
    browser,
    /** How many there were, and whether the next ones fail. */
    calls,
    /** Opens a tab with the first result, at a time and in the zone UTC. */
    async open(now: number | string, options: TabOptions = {}): Promise<Page> {
      page = await browser.open(origin, { timezoneId: 'UTC', colorScheme: 'light', ...options });
      await page.clock.install({ time: now });
      await page.clock.setFixedTime(now);
      const json = { key: { name: 'test' }, endpoints: results.map(describeEndpoint) };
      await page.route('**/api/endpoints', (route) => route.fulfill({ json }));
      await page.route('**/api/endpoints/query/*', (route) => {
        calls.count += 1;
        const index = Number(/r\.(\d+)/.exec(route.request().url())?.[1]);
        const { rows = [], isTruncated = false } = results[index] ?? {};
        const headers = { 'X-Result-Truncated': String(isTruncated), ETag: 'W/"1"' };
        if (calls.isFailing) return route.fulfill({ status: 500, json: FAILURE });
        const isKnown = route.request().headers()['if-none-match'] === headers.ETag;
        return route.fulfill(
          isKnown ? { status: 304, headers } : { json: { result: rows }, headers },
        );
      });
      await browser.signIn(origin, 'sqk_any-key');
      await shown(0);
      return page;
    },
    /** Resolves when its rows are on the page; `view` is that of a link. */
    async show(index: number, view = ''): Promise<void> {
      await browser.follow(`#r.${index}?${view}`);
      await shown(index);
    },
  };
}

function describeEndpoint({ columns, bucket }: Result, index: number): object {
  const name = `r.${index}`;
  return {
    ...{ id: name, name, description: name, path: `/api/endpoints/query/${name}`, bucket },
    ...{ parameters: [], row: columns.map((column) => ({ description: 'x', ...column })) },
    ...{ maxRows: 10_000, cachingSeconds: 900, cacheWarmingSeconds: 300 },
  };
}
