// Tests days of warming over tables that are loaded once: real jobs on the local BigQuery, results in memory.
import { sharedEngine } from '../support/bigquery/shared-engine.ts';
import { aRowEach, simulateWarming } from '../support/bigquery/simulated-warming.ts';
import { undo } from '../support/undo.ts';

const engine = await sharedEngine();
const shopsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `shop ${index}`);
/** Fewer runs than in production: each takes the time of its jobs. */
const INTERVAL_MS = 1_800_000;
const ALL_DAYS = "day >= DATE '2026-01-01'";
const total = (amount: number): string => `{"result":[{"total":${amount}}]}`;

it.each<[string, number, number, object]>([
  ['a table', 48, 100, {}],
  ['a source deployed as a view', 8, 1000, { behind: { orders: 'shop.orders' } }],
])(
  'warming runs no query over %s without changes, and returns all rows in the run after a load',
  async (_, runs, live, places) => {
    const shops = shopsOf(live);
    const warming = await simulateWarming(engine, {
      ...{ from: '2026-11-20T12:00:00Z', filters: { orders: ALL_DAYS }, shops },
      ...{ intervalMs: INTERVAL_MS, warmFullSeconds: 86_400, ...places },
    });
    const table = 'behind' in places ? 'shop.orders' : 'orders';
    undo(() => warming.close());
    await warming.bigquery.appendRows(table, aRowEach(shops, 1, '2026-11-19'));
    expect(await warming.run()).toMatchObject({ refreshed: live, jobs: 1 });
    for (let count = 1; count < runs; count += 1) {
      expect(await warming.run()).toMatchObject({
        ...{ live, unchanged: live, refreshed: 0, jobs: 0, bytesProcessed: 0 },
        ...{ questionJobs: 2, questionBytes: 10 * 1024 * 1024, failed: [] },
      });
    }
    expect(warming.totals()).toEqual({ [total(1)]: live });
    await warming.bigquery.appendRows(table, aRowEach(shops, 2, '2026-11-20'));
    expect(await warming.run()).toMatchObject({ refreshed: live, unchanged: 0, jobs: 1 });
    expect(warming.totals()).toEqual({ [total(3)]: live });
  },
  300_000,
);

it.each([
  ['in a day of 24 hours', '2026-11-20T03:00:00Z', '2026-11-20T05:00:00Z', '2026-11-21T05:00:00Z'],
  ['when clocks go back', '2026-11-01T02:00:00Z', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ['when they go forward', '2026-03-08T03:00:00Z', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
])(
  'warming runs a query over 30 days of New York once a day, after midnight there, and once after a load: %s',
  async (_, from, midnight, nextMidnight) => {
    const shops = shopsOf(3);
    const filter = "day >= DATE_SUB(CURRENT_DATE('America/New_York'), INTERVAL 29 DAY)";
    const warming = await simulateWarming(engine, {
      ...{ from, intervalMs: INTERVAL_MS, filters: { orders: filter }, shops },
      warmFullSeconds: 86_400,
    });
    undo(() => warming.close());
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const oldest = day(Date.parse(midnight) - 30 * 86_400_000);
    await warming.bigquery.appendRows('orders', aRowEach(shops, 1, oldest));
    await warming.bigquery.appendRows('orders', aRowEach(shops, 2, day(Date.parse(midnight))));
    await warming.run();
    expect(warming.totals()).toEqual({ [total(3)]: 3 });

    // Two runs before each midnight, and until two after the next.
    const refreshed: number[] = [];
    const untilMs = Date.parse(nextMidnight) + 2 * INTERVAL_MS;
    const loadedMs = Date.parse(midnight) + 9 * 3_600_000;
    let isLoaded = false;
    while (warming.nowMs() < untilMs) {
      const beforeMs = warming.nowMs();
      const report = await warming.run();
      expect(report.refreshed + report.unchanged).toBe(3);
      if (report.refreshed > 0) refreshed.push(beforeMs);
      if (!isLoaded && warming.nowMs() > loadedMs) {
        isLoaded = true;
        await warming.bigquery.appendRows('orders', aRowEach(shops, 4, day(loadedMs)));
      }
    }
    expect(warming.totals()).toEqual({ [total(6)]: 3 });
    const expected = [Date.parse(midnight), loadedMs + INTERVAL_MS, Date.parse(nextMidnight)];
    expect(refreshed).toHaveLength(3);
    // Each within the one interval that ends with the first run afterwards.
    const aheadMs = refreshed.map((ms, index) => (expected[index] ?? 0) - ms);
    expect(aheadMs.filter((ms) => ms < 0 || ms >= INTERVAL_MS)).toEqual([]);
  },
);
