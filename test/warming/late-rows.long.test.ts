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
  withPart,
} from './kept-rows.ts';
import { DAY, HOUR, MINUTE } from '../support/bigquery/batch-runs.ts';
import { flush, streamRows } from '../support/bigquery/changed-rows.ts';

const NOON = '2026-11-20T12:00:00Z';
/** All rows are read again more often than after six hours. */
const EVERY_HOUR = {
  warming: { ...SALES.definition.warming, incremental: { fullEverySeconds: 3600 } },
};

it('reads the newest buckets of all intervals in one job for each endpoint', async () => {
  const ALL = Object.values(CALLS).flat();
  const { bigquery, look, ago, differences } = await startKeptRows(NOON, {}, { withShipped: true });
  const times = [ago(6 * DAY), ago(HOUR / 2)];
  const called = { project_ref: 'a', function_id: 'f', execution_time_ms: 5, response: [] };
  const requested = { request: [{ url: 'http://a/', path: '/rest' }] };
  const logOf = (metadata: object) => (timestamp: string) => {
    return { id: 'e', timestamp, metadata: [metadata] };
  };
  await bigquery.appendRows('function_relay_logs', times.map(logOf(called)));
  await bigquery.appendRows('edge_logs', times.map(logOf(requested)));
  await bigquery.appendRows(
    'sales',
    times.map((at) => sale(at, 1)),
  );
  const first = await look(ALL);
  expect(first).toMatchObject({ refreshed: 21, incremental: 0, jobs: 3 });
  const second = await look(ALL);
  expect(second).toMatchObject({ refreshed: 21, jobs: 3, questionJobs: 2 });
  // Those of a day and longer; the others are within settleSeconds, and usage of 1day is cut too.
  expect(second.incremental).toBe(9);
  expect(second.incrementalBytes).toBe(second.bytesProcessed);
  expect(second.bytesProcessed).toBeLessThan(first.bytesProcessed);
  expect(await differences()).toEqual([]);
});

it.each([
  ['when they leave the streaming buffer', true, 1],
  ['when all rows are read again', false, 0],
])('late rows of an old partition show %s', async (_, isFlushed, incremental) => {
  const { bigquery, clock, look, ago, totals } = await startSold(NOON, EVERY_HOUR);
  await streamRows(bigquery, 'sales', [sale(ago(2 * DAY), 40)]);
  await look();
  expect(await totals()).toEqual(SOLD);
  if (isFlushed) flush(bigquery, 'sales');
  else {
    // A full refresh is due at the last run before an hour is over.
    const dueMs = Date.parse('2026-11-20T13:01:00Z');
    while (clock.nowMs() < dueMs - 14 * MINUTE) await look([SALE], 9);
    expect(await totals()).toEqual(SOLD);
    clock.advance(dueMs - 5 * MINUTE - clock.nowMs());
  }
  expect(await look()).toMatchObject({ refreshed: 1, incremental });
  expect(await totals()).toEqual({ ...SOLD, '2026-11-18': 42 });
});

it('a result that is read as a whole in each run leaves the others their turn', async () => {
  const changed = { maxRows: 2, warming: { ...EVERY_HOUR.warming, maxKeys: 1 } };
  const { bigquery, clock, look, ago, totals } = await startKeptRows(NOON, changed);
  const asked = [SALE, 'sales.by-day?shop=a&kind=y'];
  const cut = [3, 4, 5].map((days) => ({ ...sale(ago(days * DAY), 1), kind: 'y' }));
  await bigquery.appendRows('sales', [sale(ago(2 * DAY), 2), ...cut]);
  await look(asked);
  expect(await look(asked)).toMatchObject({ refreshed: 2, incremental: 1 });
  await streamRows(bigquery, 'sales', [sale(ago(2 * DAY), 40)]);
  while (clock.nowMs() < Date.parse(NOON) + HOUR) await look(asked, 9);
  expect(await totals()).toEqual({ '2026-11-18': 42 });
});

it.each([300, 60])(
  'more than one job in a run reads all rows if there are too few runs for all results: refreshed every %i s',
  async (cacheWarmingSeconds) => {
    const incremental = { fullEverySeconds: 900 };
    const warming = { ...SALES.definition.warming, maxKeys: 1, incremental };
    const { bigquery, look, ago, differences } = await startKeptRows(NOON, {
      cacheWarmingSeconds,
      warming,
    });
    const kinds = ['v', 'w', 'x', 'y', 'z'];
    const asked = kinds.map((kind) => `sales.by-day?shop=a&kind=${kind}`);
    const late = kinds.map((kind) => ({ ...sale(ago(2 * DAY), 1), kind }));
    await bigquery.appendRows('sales', late);
    await look(asked);
    await streamRows(bigquery, 'sales', late);
    for (let runs = 0; runs < 3; runs += 1) await look(asked);
    expect(await differences()).toEqual([]);
  },
);

it.each([
  ['DAY', 5],
  ['HOUR', 5],
  ['HOUR', 120],
] as const)(
  'late rows that are younger than settleSeconds show in the next run: partitions by %s, runs every %i minutes',
  async (partition, minutes) => {
    // The stored result is of 00:10; its question was asked before.
    const { bigquery, look, totals } = await startKeptRows(
      '2026-11-19T23:55:00Z',
      { cachingSeconds: 14_400 },
      { partition },
    );
    await bigquery.appendRows('sales', [sale('2026-11-10T00:00:00Z', 1)]);
    await look();
    await look();
    expect(await look()).toMatchObject({ incremental: 1 });
    await streamRows(bigquery, 'sales', [sale('2026-11-19T23:30:00Z', 40)]);
    expect(await look([SALE], minutes)).toMatchObject({ incremental: 1 });
    expect(await totals()).toEqual({ '2026-11-10': 1, '2026-11-19': 40 });
  },
);

it.each([
  ['the time of ingestion', { type: 'HOUR' }],
  ['another column', { type: 'HOUR', field: 'sent' }],
])('late rows show in the next run though the table is partitioned by %s', async (_, deployed) => {
  const { bigquery, look, ago, totals } = await startKeptRows(NOON, { deployed });
  const at = ago(2 * DAY);
  for (const amount of [2, 40]) {
    await bigquery.appendRows('sales', [{ ...sale(at, amount), sent: ago(MINUTE) }]);
    expect(await look()).toMatchObject({ refreshed: 1, incremental: 0 });
  }
  expect(await totals()).toEqual({ '2026-11-18': 42 });
});

it.each([
  ['DATETIME', 'DATETIME_TRUNC(DATETIME(sold.at), DAY)'],
  ['TIMESTAMP', 'TIMESTAMP_TRUNC(sold.at, DAY)'],
])('keeps the buckets of a column of the type %s', async (type, day) => {
  const row = { ...SALES.definition.row, day: { ...SALES.definition.row.day, type } };
  const query = withPart(SALES.query, 'DATE(sold.at)', day);
  const { bigquery, look, ago, totals } = await startSold(NOON, { row, query });
  await bigquery.appendRows('sales', [sale(ago(MINUTE), 4)]);
  expect(await look()).toMatchObject({ incremental: 1 });
  expect(Object.values(await totals())).toEqual([1, 2, 7]);
});

/** `SALES` with rows of two days, and a run while which something happens once: between its question and its job. */
async function soldWhile(between: (service: KeptRows) => Promise<unknown>) {
  let jobs = -Infinity;
  const beforeRun = async (): Promise<void> => {
    jobs += 1;
    // Two jobs before it ask about tables and partitions.
    if (jobs === 3) await between(service);
  };
  const service = await startKeptRows(NOON, {}, { beforeRun });
  const { bigquery, look, ago } = service;
  await bigquery.appendRows('sales', [sale(ago(2 * DAY), 2), sale(ago(HOUR), 3)]);
  await look();
  await look();
  jobs = 0;
  expect(await look()).toMatchObject({ refreshed: 1, incremental: 1 });
  return service;
}

it('rows that a run has kept do not meet a demand that was made while it ran', async () => {
  // As `npm run warm -- refresh` does.
  const { look } = await soldWhile(({ catalogue, clock, firestore }) => {
    const endpoint = catalogue.resolve('sales.by-day');
    const computedBefore = new Date(clock.nowMs());
    return firestore.doc(`refreshes/${endpoint?.id}`).set({ computedBefore });
  });
  expect(await look([SALE], 1)).toMatchObject({ refreshed: 1 });
  expect(await look([SALE], 1)).toMatchObject({ refreshed: 0, skipped: 1 });
});

it('rows that are loaded between the question of a run and its job show in the buckets that it reads, and in the next run in others', async () => {
  const { look, totals } = await soldWhile(({ bigquery, ago }) =>
    bigquery.appendRows('sales', [sale(ago(2 * DAY), 20), sale(ago(HOUR), 30)]),
  );
  expect(await totals()).toEqual({ '2026-11-18': 2, '2026-11-20': 33 });
  expect(await look()).toMatchObject({ refreshed: 1, incremental: 1 });
  expect(await totals()).toEqual({ '2026-11-18': 22, '2026-11-20': 33 });
});

it.each<[string, Record<string, unknown>, object]>([
  [
    'the window of a query that depends on the date moves',
    {
      query: withPart(
        SALES.query,
        'TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), DAY)',
        'TIMESTAMP(DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY))',
      ),
      warm: withPart(
        SALES.warm,
        'TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 30 DAY), DAY)',
        'TIMESTAMP(DATE_SUB(DATE(@now), INTERVAL 30 DAY))',
      ),
    },
    { '2026-10-22': 2, '2026-11-20': 4 },
  ],
  [
    'a row whose time has come is read',
    {
      query: withPart(
        SALES.query,
        'AND sold.shop',
        'AND sold.at <= CURRENT_TIMESTAMP() AND sold.shop',
      ),
      warm: withPart(SALES.warm, 'AND sold.at', 'AND sold.at <= @now AND sold.at'),
      warming: { ...SALES.definition.warming, incremental: { settleSeconds: 0 } },
    },
    { '2026-10-22': 2, '2026-11-20': 4 },
  ],
])('%s over midnight', async (_, changed, expected) => {
  const { bigquery, look, totals } = await startKeptRows('2026-11-20T23:50:00Z', changed);
  await bigquery.appendRows('sales', [
    sale('2026-10-21T08:00:00Z', 1),
    sale('2026-10-22T08:00:00Z', 2),
    sale('2026-11-20T23:59:30Z', 4),
  ]);
  await look();
  expect(await look([SALE], 5.5)).toMatchObject({ refreshed: 1, incremental: 1 });
  await look();
  expect(await totals()).toEqual(expected);
});
