// Tests that warming sees each way in which a table changes: both functions on Firestore's emulator and the local BigQuery.
import { Timestamp } from '@google-cloud/firestore';
import request from 'supertest';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { WarmReport } from '../../functions/warming/run.ts';
import { checkCatalogue } from '../../scripts/check/check-catalogue.ts';
import {
  type LocalBigQuery,
  createLocalBigQuery,
} from '../../scripts/local-bigquery/rest/server.ts';
import { readSources } from '../../scripts/sources/read-sources.ts';
import { AdvancingClock } from '../support/advancing-clock.ts';
import { type BigQueryProxy, startBigQueryProxy } from '../support/bigquery-proxy.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../support/fake-sql-tree.ts';
import { connectFirestore } from '../support/firestore-emulators.ts';
import {
  API_KEY,
  type TestServiceOptions,
  createTestService,
  createTestWarm,
  storeKey,
} from '../support/service.ts';
import { sharedEngine } from '../support/shared-engine.ts';

const engine = await sharedEngine();
const SCHEMA = ['day DATE', 'shop STRING', 'amount INT64'].map((column) => {
  const [name = '', type = ''] = column.split(' ');
  return { name, type, mode: 'NULLABLE', description: `The ${name}.` };
});
const unpartitioned = { partitioning: null, requirePartitionFilter: false };
const SOURCES = {
  orders: { ...unpartitioned, partitioning: { type: 'DAY', field: 'day' } },
  prices: unpartitioned,
  'web.events': { ...unpartitioned, shards: { prefix: 'events_', format: 'YYYYMMDD' } },
  'shop.orders': { ...unpartitioned, partitioning: { type: 'DAY', field: 'day' } },
};
const SINCE = "DATE '2026-01-01'";
const QUERIES: Record<string, string> = {
  'totals.of-orders': `FROM orders WHERE day >= ${SINCE} AND shop = @shop`,
  'totals.of-prices': 'FROM prices WHERE shop = @shop',
  'totals.of-events': "FROM `web.events_*` WHERE _TABLE_SUFFIX >= '20260101' AND shop = @shop",
  'totals.of-days': `FROM orders
    WHERE day >= DATE_SUB(CURRENT_DATE('America/New_York'), INTERVAL 29 DAY) AND shop = @shop`,
};

const tree = new FakeSqlTree();
let catalogue: Catalogue;
let clock: AdvancingClock;
let bigquery: LocalBigQuery;
let proxy: BigQueryProxy;
/** The endpoint that was read last. */
let seen: string;
let options: TestServiceOptions;
let service: ReturnType<typeof createTestService>;
let warm: ReturnType<typeof createTestWarm>;

beforeAll(async () => {
  for (const [name, definition] of Object.entries(SOURCES)) {
    tree.write(`sources/${name}/schema.json`, SCHEMA);
    tree.write(`sources/${name}/table.json`, definition);
  }
  for (const [index, [name, from]] of Object.entries(QUERIES).entries()) {
    const id = endpointDefinition().id.replace(/^1/, String(index));
    const parameters = { shop: parameter({ required: true, example: 'a' }) };
    const row = { total: { type: 'INT64', mode: 'NULLABLE', description: 'The sum.' } };
    tree.endpoint({ id, name, parameters, row }, `SELECT SUM(amount) AS total ${from}`);
  }
  catalogue = await checkCatalogue(engine, tree.directory);
});

beforeEach(async () => {
  await start();
});

async function start(settings: Partial<TestServiceOptions> = {}): Promise<void> {
  // At noon, so that no day ends during a test that does not say so.
  clock = new AdvancingClock(Date.parse('2026-11-20T12:00:00Z') - Date.now());
  const sources = await readSources(`${tree.directory}/sources`);
  bigquery = await createLocalBigQuery({
    engine,
    tables: sources.map((source) => ({ ...source, rows: [] })),
    freshMs: 0,
    clock,
  });
  proxy = await startBigQueryProxy(bigquery.url);
  options = {
    ...{ clock, catalogue, memoryCacheSeconds: 0, bigQueryUrl: proxy.url },
    firestore: connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? ''),
    ...settings,
  };
  await storeKey(options.firestore);
  service = createTestService(options);
  warm = createTestWarm(options);
}

afterEach(async () => {
  await proxy.close();
  await bigquery.close();
  await options.firestore.terminate();
});

afterAll(() => tree.remove());

const order = (amount: number, day = '2026-11-19') => ({ day, shop: 'a', amount });

async function total(endpoint: string): Promise<number> {
  seen = endpoint;
  const response = await request(service.server)
    .get(`/api/endpoints/query/${endpoint}?shop=a`)
    .set('X-API-KEY', API_KEY);
  return (response.body as { result: { total: number }[] }).result[0]?.total ?? NaN;
}

/** What a run five minutes later did; somebody looks at the result all the time. */
async function run(): Promise<WarmReport> {
  clock.advance(300_000);
  await total(seen);
  const response = await request(warm.server).post('/').send({});
  expect(response.status).toBe(200);
  return response.body as WarmReport;
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
    () => Promise.resolve(bigquery.deleteRows('orders', (_, row) => row === 1)),
  ],
  [
    'a partition expires',
    'totals.of-orders',
    () => bigquery.appendRows('orders', [order(1, '2026-11-18'), order(2)]),
    2,
    () => Promise.resolve(bigquery.deleteRows('orders', (id) => id === '20261118')),
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
    async () => {
      const [table] = (await readSources(`${tree.directory}/sources`)).filter(
        ({ name }) => name === 'prices',
      );
      if (table) await bigquery.putTable({ ...table, rows: [order(2)] });
    },
  ],
  [
    'a shard is added',
    'totals.of-events',
    () => bigquery.appendRows('web.events', [{ ...order(1), _TABLE_SUFFIX: '20261118' }]),
    3,
    () => bigquery.appendRows('web.events', [{ ...order(2), _TABLE_SUFFIX: '20261119' }]),
  ],
])('gives the rows of now in the run after %s', async (_, endpoint, before, expected, change) => {
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
])(
  'runs the query each time while rows are in the streaming buffer of %s',
  async (_, endpoint, table, suffix) => {
    await bigquery.appendRows(table, [{ ...order(1), ...suffix }]);
    await settled(endpoint);
    await bigquery.streamRows(table, [{ ...order(2), ...suffix }]);
    expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
    expect(await total(endpoint)).toBe(3);
    expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
    bigquery.flush(table);
    expect(await run()).toMatchObject({ refreshed: 1 });
    expect(await run()).toMatchObject({ refreshed: 0, unchanged: 1 });
  },
);

it('asks for the table behind a view of a source', async () => {
  await bigquery.close();
  await proxy.close();
  await start({ sourceTables: new Map([['orders', 'test-project.shop.orders']]) });
  const [orders] = (await readSources(`${tree.directory}/sources`)).filter(
    ({ name }) => name === 'orders',
  );
  if (orders) await bigquery.putTable({ ...orders, viewOf: 'shop.orders' });
  await bigquery.appendRows('shop.orders', [order(1)]);
  await settled('totals.of-orders');
  await bigquery.appendRows('shop.orders', [order(2)]);
  expect(await run()).toMatchObject({ refreshed: 1 });
  expect(await total('totals.of-orders')).toBe(3);
});

it('runs the query of a view that it cannot look behind each time, and says so once', async () => {
  const [orders] = (await readSources(`${tree.directory}/sources`)).filter(
    ({ name }) => name === 'orders',
  );
  if (orders) await bigquery.putTable({ ...orders, viewOf: 'shop.orders' });
  await bigquery.appendRows('shop.orders', [order(1)]);
  await total('totals.of-orders');
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  const said = warm.log.lines.filter(({ fields }) => fields.event === 'source_state_unknown');
  expect(said.map(({ fields }) => fields.table)).toEqual(['test-project.logs.orders']);
});

const asksPartitions = (body: unknown): boolean =>
  JSON.stringify(body ?? '').includes('PARTITIONS');

it('describes the tables where it may not ask for their partitions', async () => {
  proxy.fault = ({ body }) =>
    asksPartitions(body) ? { code: 403, reason: 'accessDenied' } : 'pass';
  await bigquery.appendRows('orders', [order(1)]);
  await settled('totals.of-orders');
  await bigquery.appendRows('orders', [order(2)]);
  expect(await run()).toMatchObject({ refreshed: 1 });
  expect(await total('totals.of-orders')).toBe(3);
});

it.each<[string, BigQueryProxy['fault']]>([
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
])('runs each query where the question %s', async (_, fault) => {
  proxy.fault = fault;
  await bigquery.appendRows('orders', [order(1)]);
  await total('totals.of-orders');
  expect(await run()).toMatchObject({ refreshed: 1 });
  await bigquery.appendRows('orders', [order(2)]);
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
  expect(await total('totals.of-orders')).toBe(3);
});

it.each<[string, object]>([
  ['other types', { askedAt: 'noon', states: 7 }],
  ['states of other types', { askedAt: Timestamp.fromMillis(0), states: [7, { table: 'a' }] }],
  ['no field', {}],
])('answers a miss where the document of the last run has %s', async (_, fields) => {
  await bigquery.appendRows('orders', [order(1)]);
  await options.firestore.doc('runs/sources').set(fields);
  expect(await total('totals.of-orders')).toBe(1);
  expect(await run()).toMatchObject({ refreshed: 1, unchanged: 0 });
});

it('runs the query in the first run after midnight in New York', async () => {
  clock.advance(Date.parse('2026-11-21T04:45:00Z') - clock.nowMs());
  await bigquery.appendRows('orders', [order(1, '2026-10-23'), order(2)]);
  await total('totals.of-days');
  expect(await run()).toMatchObject({ refreshed: 1 });
  expect(await run()).toMatchObject({ unchanged: 1, refreshed: 0 });
  expect(await run()).toMatchObject({ refreshed: 1 });
  expect(await run()).toMatchObject({ unchanged: 1, refreshed: 0 });
});
