// Tests that warming sees each way in which a table changes: both functions on Firestore's emulator and the local BigQuery.
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import { checkCatalogue } from '../../scripts/check/check-endpoint.ts';
import type { LocalTable } from '../../scripts/local-bigquery/rest/server.ts';
import { ControlledClock } from '../support/clock.ts';
import type { BigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../support/sql/fake-sql-tree.ts';
import { tablesOf } from '../support/bigquery/local-bigquery.ts';
import { createTestService, createTestWarm, startService } from '../support/world.ts';
import { sharedEngine } from '../support/bigquery/shared-engine.ts';
import { deleteRows, flush, streamRows } from '../support/bigquery/changed-rows.ts';

const unpartitioned = { partitioning: null, requirePartitionFilter: false };
const SOURCES = {
  orders: { ...unpartitioned, partitioning: { type: 'DAY', field: 'day' } },
  prices: unpartitioned,
  'web.events': { ...unpartitioned, shards: { prefix: 'events_', format: 'YYYYMMDD' } },
  'shop.orders': { ...unpartitioned, partitioning: { type: 'DAY', field: 'day' } },
  'shop.others': { ...unpartitioned, partitioning: { type: 'DAY', field: 'day' } },
};
const SINCE = "DATE '2026-01-01'";
const QUERIES: Record<string, string> = {
  'totals.of-orders': `FROM orders WHERE day >= ${SINCE} AND shop = @shop`,
  'totals.of-prices': 'FROM prices WHERE shop = @shop',
  'totals.of-events': "FROM `web.events_*` WHERE _TABLE_SUFFIX >= '20260101' AND shop = @shop",
  'totals.of-days': `FROM orders
    WHERE day >= DATE_SUB(CURRENT_DATE('America/New_York'), INTERVAL 29 DAY) AND shop = @shop`,
};

const FIRST = new Map([['orders', 'test-project.shop.orders']]);
const SECOND = new Map([['orders', 'test-project.shop.others']]);

const tree = new FakeSqlTree();
let catalogue: Catalogue;
let world: Awaited<ReturnType<typeof startService<ControlledClock>>>;
let bigquery: (typeof world)['bigquery'];
/** The endpoint and the shop that were read last. */
let seen: readonly [endpoint: string, shop: string];
let service: ReturnType<typeof createTestService>;
let warm: ReturnType<typeof createTestWarm>;

beforeAll(async () => {
  for (const [name, definition] of Object.entries(SOURCES)) {
    tree.source(name, 'day DATE, shop STRING, amount INT64', definition);
  }
  for (const [index, [name, from]] of Object.entries(QUERIES).entries()) {
    const id = endpointDefinition().id.replace(/^1/, String(index));
    const parameters = { shop: parameter({ required: true, example: 'a' }) };
    const row = { total: { type: 'INT64', mode: 'NULLABLE', description: 'The sum.' } };
    tree.endpoint({ id, name, parameters, row }, `SELECT SUM(amount) AS total ${from}`);
  }
  catalogue = await checkCatalogue(await sharedEngine(), tree.directory);
});

beforeEach(async () => {
  // At noon, so that no day ends during a test that does not say so.
  const clock = new ControlledClock('2026-11-20T12:00:00Z');
  const tables = await tablesOf(tree.directory);
  const settings = { project: 'test-project', memoryCacheSeconds: 0 };
  world = await startService({ ...settings, tables, clock, catalogue });
  ({ bigquery, warm } = world);
  service = world;
});

afterAll(() => tree.remove());

const order = (amount: number, day = '2026-11-19') => ({ day, shop: 'a', amount });

async function total(endpoint: string, shop = 'a'): Promise<number> {
  seen = [endpoint, shop];
  const response = await service.ask(`${endpoint}?shop=${shop}`);
  return (response.body as { result: { total: number }[] }).result[0]?.total ?? NaN;
}

/** What a run five minutes later did; somebody looks at the result all the time. */
async function run(): Promise<WarmReport> {
  world.clock.advance(300_000);
  await total(...seen);
  return warm.run();
}

/** A result that a run has computed and another has left alone. */
async function settled(endpoint: string): Promise<void> {
  await total(endpoint);
  expect(await run()).toMatchObject({ refreshed: 1 });
  expect(await run()).toMatchObject({ refreshed: 0, unchanged: 1, jobs: 0 });
}

type Change = () => Promise<unknown>;

it.each<[string, string, Change, number, Change]>([
  [
    'rows are added',
    'totals.of-orders',
    () => bigquery.appendRows('orders', [order(1), order(2)]),
    7,
    () => bigquery.appendRows('orders', [order(4)]),
  ],
  [
    'rows are deleted without a time',
    'totals.of-orders',
    () => bigquery.appendRows('orders', [order(1), order(2)]),
    1,
    () => Promise.resolve(deleteRows(bigquery, 'orders', (_, row) => row === 1)),
  ],
  [
    'a partition expires',
    'totals.of-orders',
    () => bigquery.appendRows('orders', [order(1, '2026-11-18'), order(2)]),
    2,
    () => Promise.resolve(deleteRows(bigquery, 'orders', (id) => id === '20261118')),
  ],
  [
    'a table without partitions is loaded',
    'totals.of-prices',
    () => bigquery.appendRows('prices', [order(1)]),
    3,
    () => bigquery.appendRows('prices', [order(2)]),
  ],
  [
    'a table is replaced by one of its name, with as many rows and bytes',
    'totals.of-prices',
    () => bigquery.appendRows('prices', [order(1)]),
    2,
    () => replace('prices', { rows: [order(2)] }),
  ],
  [
    'a shard is added',
    'totals.of-events',
    () => bigquery.appendRows('web.events', [{ ...order(1), _TABLE_SUFFIX: '20261118' }]),
    3,
    () => bigquery.appendRows('web.events', [{ ...order(2), _TABLE_SUFFIX: '20261119' }]),
  ],
])('refreshes the rows in the run after %s', async (_, endpoint, before, expected, change) => {
  await before();
  await settled(endpoint);
  await change();
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  expect(await total(endpoint)).toBe(expected);
  expect(await run()).toMatchObject({ refreshed: 0, unchanged: 1 });
});

it.each<[string, string, string, object]>([
  ['a partitioned table', 'totals.of-orders', 'orders', {}],
  ['a table without partitions', 'totals.of-prices', 'prices', {}],
  ['a shard', 'totals.of-events', 'web.events', { _TABLE_SUFFIX: '20261119' }],
])('always runs the query while %s has a streaming buffer', async (_, endpoint, table, suffix) => {
  await bigquery.appendRows(table, [{ ...order(1), ...suffix }]);
  await settled(endpoint);
  await streamRows(bigquery, table, [{ ...order(2), ...suffix }]);
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  expect(await total(endpoint)).toBe(3);
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  flush(bigquery, table);
  expect(await run()).toMatchObject({ refreshed: 1 });
  expect(await run()).toMatchObject({ refreshed: 0, unchanged: 1 });
});

it('runs the query of a view each time if it may not inspect its table, and logs it once', async () => {
  await view('shop.orders');
  await bigquery.appendRows('shop.orders', [order(1)]);
  await total('totals.of-orders');
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  const said = warm.log.lines.filter(({ fields }) => fields.event === 'source_state_unknown');
  expect(said.map(({ fields }) => fields.table)).toEqual(['test-project.logs.orders']);
});

const asksPartitions = (body: unknown): boolean =>
  JSON.stringify(body ?? '').includes('PARTITIONS');

/** Without the time in its rows. */
function answersNoTime(): BigQueryProxy['fault'] {
  const jobs = new Set<string>();
  return ({ kind, jobId, body }) => {
    if (kind === 'insert' && JSON.stringify(body).includes('asked_at')) jobs.add(jobId);
    return kind === 'results' && jobs.has(jobId)
      ? { edit: (answer) => ({ ...answer, rows: [], totalRows: '0' }) }
      : 'pass';
  };
}

it.each<[string, BigQueryProxy['fault']]>([
  ['returns no time', answersNoTime()],
  [
    'is refused',
    ({ url, body }) =>
      asksPartitions(body) || url.includes('/tables/')
        ? { code: 403, reason: 'accessDenied' }
        : 'pass',
  ],
  [
    'answers nonsense',
    ({ url }) => (url.includes('/tables/') ? { answer: { body: '{"type":7}' } } : 'pass'),
  ],
])('runs every query if the change check %s', async (_, fault) => {
  world.proxy.fault = fault;
  await bigquery.appendRows('orders', [order(1)]);
  await total('totals.of-orders');
  expect(await run()).toMatchObject({ refreshed: 1 });
  await bigquery.appendRows('orders', [order(2)]);
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  expect(await total('totals.of-orders')).toBe(3);
});

it.each<[string, object]>([
  ['another type', { packed: 7 }],
  ['other bytes', { packed: Buffer.from('damaged') }],
  ['no field', {}],
])('answers a miss if the document of the last run has %s', async (_, fields) => {
  await bigquery.appendRows('orders', [order(1)]);
  await world.firestore.doc('runs/sources').set(fields);
  expect(await total('totals.of-orders')).toBe(1);
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
});

const view = (viewOf: string): Promise<void> => replace('orders', { viewOf });

/** A table, or view, in the place of one of this name. */
async function replace(name: string, by: Partial<LocalTable>): Promise<void> {
  const table = (await tablesOf(tree.directory)).find((one) => one.name === name);
  if (table) await bigquery.putTable({ ...table, ...by });
}

function deployWarm(sourceTables: ReadonlyMap<string, string>): void {
  warm = createTestWarm({ ...world.options, sourceTables });
}

function deployQuery(sourceTables: ReadonlyMap<string, string>): void {
  service = createTestService({ ...world.options, sourceTables });
}

/** The view shows the first of two tables, which is asked. */
async function deployView(): Promise<void> {
  await bigquery.appendRows('shop.orders', [order(1)]);
  await bigquery.appendRows('shop.others', [order(2)]);
  await view('shop.orders');
  deployWarm(FIRST);
  deployQuery(FIRST);
}

/** The result was computed and found unchanged. */
async function settledView(): Promise<void> {
  await deployView();
  expect(await total('totals.of-orders')).toBe(1);
  await run();
  expect(await run()).toMatchObject({ refreshed: 0, unchanged: 1 });
}

// `npm run deploy` applies `-target=google_cloudfunctions2_function.warm`, on whose way no view is, and runs it before the rest.
it('reads the new table at once after a deployment that moved the view after warm', async () => {
  await settledView();
  deployWarm(SECOND);
  // A result of the table before is that of another query.
  expect(await run()).toMatchObject({ refreshed: 0, unchanged: 0, skipped: 1 });
  await view('shop.others');
  deployQuery(SECOND);
  expect(await total('totals.of-orders')).toBe(2);
  expect(await run()).toMatchObject({ live: 1, failed: [] });
  expect(await total('totals.of-orders')).toBe(2);
});

it('refreshes the rows in the run after a change of the view without a deployment', async () => {
  await settledView();
  await view('shop.others');
  await run();
  expect(await total('totals.of-orders')).toBe(2);
});

it('refreshes the rows if the view was moved, a result missed, and the view moved back', async () => {
  await deployView();
  await total('totals.of-days');
  await run();
  await view('shop.others');
  expect(await total('totals.of-orders')).toBe(2);
  await view('shop.orders');
  await run();
  expect(await total('totals.of-orders')).toBe(1);
});

// A shard that was added and dropped leaves the state of the shards as it was; of a table, `lastModifiedTime` should tell.
it.each<[string, string, string, object, object]>([
  [
    ...(['a shard', 'totals.of-events', 'web.events'] as const),
    ...([{ _TABLE_SUFFIX: '20261118' }, { _TABLE_SUFFIX: '20261119' }] as const),
  ],
  ['a partition', 'totals.of-orders', 'orders', { day: '2026-11-18' }, { day: '2026-11-19' }],
])('refreshes the rows if %s was added, a result missed, and it was dropped', async (...what) => {
  const [, endpoint, table, before, added] = what;
  await bigquery.appendRows(table, [{ ...order(1), ...before }]);
  await total(endpoint, 'b');
  await run();
  await bigquery.appendRows(table, [{ ...order(2), ...added }]);
  expect(await total(endpoint)).toBe(3);
  deleteRows(bigquery, table, (_, row) => row === 1);
  await run();
  expect(await total(endpoint)).toBe(1);
});
