// Tests when late rows show in results of which a run of warming keeps rows, what happens while it runs, and whose turn it is to
// be read as a whole.
import {
  type KeptRows,
  CALLS,
  SALE,
  SALES,
  SOLD,
  sale,
  startKeptRows,
  startSold,
} from './kept-rows.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import { flush, streamRows } from '../support/bigquery/changed-rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = '2026-11-20T12:00:00Z';
/** All rows are read again more often than after six hours. */
const EVERY_HOUR = {
  warming: { ...SALES.definition.warming, incremental: { fullEverySeconds: 3600 } },
};

let service: KeptRows;
let asked: readonly string[] = [SALE];

const ago = (ms: number): string => service.ago(ms);
const totals = () => service.totals();
const run = (settings = {}, waitMs = 5 * MINUTE) => service.look(asked, settings, waitMs);
beforeEach(() => (asked = [SALE]));

it('reads the newest buckets of all intervals in one job for each endpoint', async () => {
  const ALL = Object.values(CALLS).flat();
  service = await startKeptRows(NOON);
  asked = ALL;
  const times = [ago(6 * DAY), ago(HOUR / 2)];
  const called = { project_ref: 'a', function_id: 'f', execution_time_ms: 5, response: [] };
  const requested = { request: [{ url: 'http://a/', path: '/rest' }] };
  const logOf = (metadata: object) => (timestamp: string) => {
    return { id: 'e', timestamp, metadata: [metadata] };
  };
  await service.bigquery.appendRows('function_relay_logs', times.map(logOf(called)));
  await service.bigquery.appendRows('edge_logs', times.map(logOf(requested)));
  await service.bigquery.appendRows(
    'sales',
    times.map((at) => sale(at, 1)),
  );
  const first = await run();
  expect(first).toMatchObject({ refreshed: 21, incremental: 0, jobs: 3 });
  const second = await run();
  expect(second).toMatchObject({ refreshed: 21, jobs: 3, questionJobs: 2 });
  // Those of a day and longer; the others are within settleSeconds, and usage of 1day is cut too.
  expect(second.incremental).toBe(9);
  expect(second.incrementalBytes).toBe(second.bytesProcessed);
  expect(second.bytesProcessed).toBeLessThan(first.bytesProcessed);
  expect(await service.differences()).toEqual([]);
});

it.each([
  ['when they leave the streaming buffer', true, 1],
  ['when all rows are read again', false, 0],
])('late rows of an old partition show %s', async (_, isFlushed, incremental) => {
  service = await startSold(NOON, EVERY_HOUR);
  await streamRows(service.bigquery, 'sales', [sale(ago(2 * DAY), 40)]);
  await run();
  expect(await totals()).toEqual(SOLD);
  if (isFlushed) flush(service.bigquery, 'sales');
  else {
    // A full refresh is due at the last run before an hour is over.
    const dueMs = Date.parse('2026-11-20T13:01:00Z');
    while (service.clock.nowMs() < dueMs - 14 * MINUTE) await run({}, 9 * MINUTE);
    expect(await totals()).toEqual(SOLD);
    service.clock.advance(dueMs - 5 * MINUTE - service.clock.nowMs());
  }
  expect(await run()).toMatchObject({ refreshed: 1, incremental });
  expect(await totals()).toEqual({ ...SOLD, '2026-11-18': 42 });
});

it('a result that is read as a whole in each run leaves the others their turn', async () => {
  const changed = { maxRows: 2, warming: { ...EVERY_HOUR.warming, maxKeys: 1 } };
  service = await startKeptRows(NOON, 'HOUR', {}, changed);
  asked = [SALE, 'sales.by-day?shop=a&kind=y'];
  const cut = [3, 4, 5].map((days) => ({ ...sale(ago(days * DAY), 1), kind: 'y' }));
  await service.bigquery.appendRows('sales', [sale(ago(2 * DAY), 2), ...cut]);
  await run();
  expect(await run()).toMatchObject({ refreshed: 2, incremental: 1 });
  await streamRows(service.bigquery, 'sales', [sale(ago(2 * DAY), 40)]);
  while (service.clock.nowMs() < Date.parse(NOON) + HOUR) await run({}, 9 * MINUTE);
  expect(await totals()).toEqual({ '2026-11-18': 42 });
});

it.each([300, 60])(
  'more than one job in a run reads all rows if there are too few runs for all results: refreshed every %i s',
  async (cacheWarmingSeconds) => {
    const incremental = { fullEverySeconds: 900 };
    const warming = { ...SALES.definition.warming, maxKeys: 1, incremental };
    service = await startKeptRows(NOON, 'HOUR', {}, { cacheWarmingSeconds, warming });
    const kinds = ['v', 'w', 'x', 'y', 'z'];
    asked = kinds.map((kind) => `sales.by-day?shop=a&kind=${kind}`);
    const late = kinds.map((kind) => ({ ...sale(ago(2 * DAY), 1), kind }));
    await service.bigquery.appendRows('sales', late);
    await run();
    await streamRows(service.bigquery, 'sales', late);
    for (let runs = 0; runs < 3; runs += 1) await run();
    expect(await service.differences()).toEqual([]);
  },
);

it.each([
  ['DAY', 300_000],
  ['HOUR', 300_000],
  ['HOUR', 7_200_000],
] as const)(
  'late rows that are younger than settleSeconds show in the next run: partitions by %s, runs every %i ms',
  async (partition, waitMs) => {
    // The stored result is of 00:10; its question was asked before.
    service = await startKeptRows(
      '2026-11-19T23:55:00Z',
      partition,
      {},
      { cachingSeconds: 14_400 },
    );
    await service.bigquery.appendRows('sales', [sale('2026-11-10T00:00:00Z', 1)]);
    await run();
    await run();
    expect(await run()).toMatchObject({ incremental: 1 });
    await streamRows(service.bigquery, 'sales', [sale('2026-11-19T23:30:00Z', 40)]);
    expect(await run({}, waitMs)).toMatchObject({ incremental: 1 });
    expect(await totals()).toEqual({ '2026-11-10': 1, '2026-11-19': 40 });
  },
);

it.each([
  ['the time of ingestion', { type: 'HOUR' }],
  ['another column', { type: 'HOUR', field: 'sent' }],
])('late rows show in the next run though the table is partitioned by %s', async (_, deployed) => {
  service = await startKeptRows(NOON, 'HOUR', {}, { deployed });
  const at = ago(2 * DAY);
  for (const amount of [2, 40]) {
    await service.bigquery.appendRows('sales', [{ ...sale(at, amount), sent: ago(MINUTE) }]);
    expect(await run()).toMatchObject({ refreshed: 1, incremental: 0 });
  }
  expect(await totals()).toEqual({ '2026-11-18': 42 });
});

it.each([
  ['DATETIME', 'DATETIME_TRUNC(DATETIME(sold.at), DAY)'],
  ['TIMESTAMP', 'TIMESTAMP_TRUNC(sold.at, DAY)'],
])('keeps the buckets of a column of the type %s', async (type, day) => {
  const row = { ...SALES.definition.row, day: { ...SALES.definition.row.day, type } };
  const query = SALES.query.replace('DATE(sold.at)', day);
  service = await startSold(NOON, { row, query });
  await service.bigquery.appendRows('sales', [sale(ago(MINUTE), 4)]);
  expect(await run()).toMatchObject({ incremental: 1 });
  expect(Object.values(await totals())).toEqual([1, 2, 7]);
});

/** `SALES` with rows of two days, where something happens once: between the question of a run and its job. */
async function soldWhile(between: () => Promise<unknown>): Promise<WarmReport> {
  let jobs = -Infinity;
  const beforeRun = async (): Promise<void> => {
    jobs += 1;
    // Two jobs before it ask about tables and partitions.
    if (jobs === 3) await between();
  };
  service = await startKeptRows(NOON, 'HOUR', {}, {}, beforeRun);
  await service.bigquery.appendRows('sales', [sale(ago(2 * DAY), 2), sale(ago(HOUR), 3)]);
  await run();
  await run();
  jobs = 0;
  return run();
}

it('rows that a run has kept do not meet a demand that was made while it ran', async () => {
  /** Writes a demand of now, as `npm run warm -- refresh` does. */
  async function demand(): Promise<void> {
    const endpoint = service.catalogue.resolve('sales.by-day');
    const computedBefore = new Date(service.clock.nowMs());
    await service.firestore.doc(`refreshes/${endpoint?.id}`).set({ computedBefore });
  }

  expect(await soldWhile(demand)).toMatchObject({ refreshed: 1, incremental: 1 });
  expect(await run({}, MINUTE)).toMatchObject({ refreshed: 1 });
  expect(await run({}, MINUTE)).toMatchObject({ refreshed: 0, skipped: 1 });
});

it('rows that are loaded between the question of a run and its job show in the buckets that it reads, and in the next run in others', async () => {
  const loaded = () =>
    service.bigquery.appendRows('sales', [sale(ago(2 * DAY), 20), sale(ago(HOUR), 30)]);
  expect(await soldWhile(loaded)).toMatchObject({ refreshed: 1, incremental: 1 });
  expect(await totals()).toEqual({ '2026-11-18': 2, '2026-11-20': 33 });
  expect(await run()).toMatchObject({ refreshed: 1, incremental: 1 });
  expect(await totals()).toEqual({ '2026-11-18': 22, '2026-11-20': 33 });
});

const START = (now: string): string =>
  `TIMESTAMP_TRUNC(TIMESTAMP_SUB(${now}, INTERVAL 30 DAY), DAY)`;
const { query: QUERY, warm: WARM, definition: DEFINITION } = SALES;

it.each<[string, Record<string, unknown>, object]>([
  [
    'the window of a query that depends on the date moves',
    {
      query: QUERY.replace(
        START('CURRENT_TIMESTAMP()'),
        'TIMESTAMP(DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY))',
      ),
      warm: WARM.replace(START('@now'), 'TIMESTAMP(DATE_SUB(DATE(@now), INTERVAL 30 DAY))'),
    },
    { '2026-10-22': 2, '2026-11-20': 4 },
  ],
  [
    'a row whose time has come is read',
    {
      query: QUERY.replace('AND sold.shop', 'AND sold.at <= CURRENT_TIMESTAMP() AND sold.shop'),
      warm: WARM.replace('AND sold.at', 'AND sold.at <= @now AND sold.at'),
      warming: { ...DEFINITION.warming, incremental: { settleSeconds: 0 } },
    },
    { '2026-10-22': 2, '2026-11-20': 4 },
  ],
])('%s over midnight', async (_, changed, expected) => {
  service = await startKeptRows('2026-11-20T23:50:00Z', 'HOUR', {}, changed);
  await service.bigquery.appendRows('sales', [
    sale('2026-10-21T08:00:00Z', 1),
    sale('2026-10-22T08:00:00Z', 2),
    sale('2026-11-20T23:59:30Z', 4),
  ]);
  await run();
  expect(await run({}, 5.5 * MINUTE)).toMatchObject({ refreshed: 1, incremental: 1 });
  await run();
  expect(await totals()).toEqual(expected);
});
