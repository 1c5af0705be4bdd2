// Attacks on "Unchanged tables cost nothing": each of these leaves rows that are not those of the tables, or ends a run.
import { Timestamp } from '@google-cloud/firestore';
import request from 'supertest';
import { parseConfig } from '../../functions/config.ts';
import type { QueryRunner } from '../../functions/core/query-runner.ts';
import { type Catalogue, createCatalogue } from '../../functions/endpoints/catalogue.ts';
import { queryConfiguration } from '../../functions/google/query-configuration.ts';
import { createAsk } from '../../functions/warming/question.ts';
import type { WarmReport } from '../../functions/warming/run.ts';
import { checkCatalogue } from '../../scripts/check/check-catalogue.ts';
import {
  type LocalBigQuery,
  createLocalBigQuery,
} from '../../scripts/local-bigquery/rest/server.ts';
import { readSources } from '../../scripts/sources/read-sources.ts';
import { describeRun } from '../../scripts/warm/wait-for-run.ts';
import { AdvancingClock } from '../support/advancing-clock.ts';
import { type BigQueryProxy, startBigQueryProxy } from '../support/bigquery-proxy.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeLog } from '../support/fake-log.ts';
import { FakeQueryRunner, queryResult } from '../support/fake-query-runner.ts';
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
import { testCatalogue } from '../support/test-sql.ts';
import { createWarmServer } from '../support/warm-server.ts';

const engine = await sharedEngine();
const SCHEMA = ['day DATE', 'shop STRING', 'amount INT64'].map((column) => {
  const [name = '', type = ''] = column.split(' ');
  return { name, type, mode: 'NULLABLE', description: `The ${name}.` };
});
const BY_DAY = { partitioning: { type: 'DAY', field: 'day' }, requirePartitionFilter: false };
const FROM: Record<string, string> = {
  'totals.of-orders': 'orders WHERE TRUE',
  'totals.of-days': "orders WHERE day >= DATE_SUB(CURRENT_DATE('Europe/Berlin'), INTERVAL 29 DAY)",
  'totals.of-events': "`web.events_*` WHERE _TABLE_SUFFIX >= '20260101'",
};
const FIRST = new Map([['orders', 'test-project.shop.orders']]);
const SECOND = new Map([['orders', 'test-project.shop.others']]);

const tree = new FakeSqlTree();
let catalogue: Catalogue;
let clock: AdvancingClock;
let bigquery: LocalBigQuery;
let proxy: BigQueryProxy;
let options: TestServiceOptions;
let service: ReturnType<typeof createTestService>;
let warm: ReturnType<typeof createTestWarm>;
let seen: readonly [endpoint: string, shop: string];

beforeAll(async () => {
  for (const name of ['orders', 'shop.orders', 'shop.others']) {
    tree.write(`sources/${name}/schema.json`, SCHEMA);
    tree.write(`sources/${name}/table.json`, BY_DAY);
  }
  tree.write('sources/web.events/schema.json', SCHEMA);
  tree.write('sources/web.events/table.json', {
    ...{ partitioning: null, requirePartitionFilter: false },
    shards: { prefix: 'events_', format: 'YYYYMMDD' },
  });
  for (const [index, [name, from]] of Object.entries(FROM).entries()) {
    const id = endpointDefinition().id.replace(/^1/, String(index));
    const parameters = { shop: parameter({ required: true, example: 'a' }) };
    const row = { total: { type: 'INT64', mode: 'NULLABLE', description: 'The sum.' } };
    tree.endpoint(
      { id, name, parameters, row },
      `SELECT SUM(amount) AS total FROM ${from} AND shop = @shop`,
    );
  }
  catalogue = await checkCatalogue(engine, tree.directory);
});

beforeEach(async () => {
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
  };
  await storeKey(options.firestore);
  service = createTestService(options);
  warm = createTestWarm(options);
});

afterEach(async () => {
  await proxy.close();
  await bigquery.close();
  await options.firestore.terminate();
});

afterAll(() => tree.remove());

const order = (amount: number) => ({ day: '2026-11-19', shop: 'a', amount });

async function total(endpoint: string, shop = 'a'): Promise<number> {
  seen = [endpoint, shop];
  const response = await request(service.server)
    .get(`/api/endpoints/query/${endpoint}?shop=${shop}`)
    .set('X-API-KEY', API_KEY);
  return (response.body as { result: { total: number }[] }).result[0]?.total ?? NaN;
}

async function run(): Promise<WarmReport> {
  clock.advance(300_000);
  await total(...seen);
  const response = await request(warm.server).post('/').send({});
  expect(response.status).toBe(200);
  return response.body as WarmReport;
}

async function view(viewOf: string): Promise<void> {
  const sources = await readSources(`${tree.directory}/sources`);
  const orders = sources.find(({ name }) => name === 'orders');
  if (orders) await bigquery.putTable({ ...orders, viewOf });
}

function deployWarm(sourceTables: ReadonlyMap<string, string>): void {
  warm = createTestWarm({ ...options, sourceTables });
}

function deployQuery(sourceTables: ReadonlyMap<string, string>): void {
  service = createTestService({ ...options, sourceTables });
}

/** The view shows the first of two tables, which is asked; the result was computed and found unchanged. */
async function settledView(): Promise<void> {
  await bigquery.appendRows('shop.orders', [order(1)]);
  await bigquery.appendRows('shop.others', [order(2)]);
  await view('shop.orders');
  deployWarm(FIRST);
  deployQuery(FIRST);
  expect(await total('totals.of-orders')).toBe(1);
  await run();
  expect(await run()).toMatchObject({ refreshed: 0, unchanged: 1 });
}

// `npm run deploy` applies `-target=google_cloudfunctions2_function.warm`, on whose way no view is, and runs it before the rest.
it('gives the rows of the new table in the run after a deployment that moved the view after warm', async () => {
  await settledView();
  deployWarm(SECOND);
  expect(await run()).toMatchObject({ refreshed: 1 });
  await view('shop.others');
  deployQuery(SECOND);
  await run();
  expect(await total('totals.of-orders')).toBe(2);
});

it('gives the rows of now in the run after the view was changed and the functions were not', async () => {
  await settledView();
  await view('shop.others');
  await run();
  expect(await total('totals.of-orders')).toBe(2);
});

it('gives the rows of now where the view was moved, a result missed, and the view moved back', async () => {
  await bigquery.appendRows('shop.orders', [order(1)]);
  await bigquery.appendRows('shop.others', [order(2)]);
  await view('shop.orders');
  deployWarm(FIRST);
  deployQuery(FIRST);
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
  [
    ...(['a partition', 'totals.of-orders', 'orders'] as const),
    ...([{ day: '2026-11-18' }, { day: '2026-11-19' }] as const),
  ],
])('gives the rows of now where %s was added, a result missed, and it dropped', async (...what) => {
  const [, endpoint, table, before, added] = what;
  await bigquery.appendRows(table, [{ ...order(1), ...before }]);
  await total(endpoint, 'b');
  await run();
  await bigquery.appendRows(table, [{ ...order(2), ...added }]);
  expect(await total(endpoint)).toBe(3);
  bigquery.deleteRows(table, (_, row) => row === 1);
  await run();
  expect(await total(endpoint)).toBe(1);
});

it.each(['totals.of-orders', 'totals.of-days'])(
  'computes %s where the answer with the time has no row',
  async (endpoint) => {
    const jobs = new Set<string>();
    proxy.fault = ({ kind, jobId, body }) => {
      if (kind === 'insert' && JSON.stringify(body).includes('asked_at')) jobs.add(jobId);
      return kind === 'results' && jobs.has(jobId)
        ? { edit: (answer) => ({ ...answer, rows: [], totalRows: '0' }) }
        : 'pass';
    };
    await bigquery.appendRows('orders', [order(1)]);
    await total(endpoint);
    await run();
    await bigquery.appendRows('orders', [order(2)]);
    expect(await run()).toMatchObject({ refreshed: 1, failed: [] });
    expect(await total(endpoint)).toBe(3);
  },
);

// Earlier versions withdraw rows without removing `sources`, which they do not know; `query` is deployed after `warm`.
it('does not confirm rows that a query of the version before has withdrawn', async () => {
  await bigquery.appendRows('orders', [order(1)]);
  await total('totals.of-orders');
  await run();
  await run();
  const { docs } = await options.firestore.collection('results').get();
  const before = Timestamp.fromMillis(clock.nowMs());
  for (const { ref } of docs) await ref.update({ computedAt: before, freshUntil: before });
  clock.advance(300_000);
  const answer = await request(warm.server).post('/').send({});
  expect(answer.body).toMatchObject({ refreshed: 1, unchanged: 0 });
});

it.each(['my-orders=p.shop.my-orders', 'bücher=p.shop.bücher', 'orders=p.shop.my orders'])(
  'starts with SOURCE_TABLES %s, for sources and tables that check and BigQuery take',
  (value) => {
    const env = { GOOGLE_CLOUD_PROJECT: 'p', SOURCE_TABLES: value };
    expect(parseConfig(env).sourceTables.size).toBe(1);
  },
);

// `npm run deploy` waits for such a run, and stops where its command fails.
it('takes a run for done that found results unchanged, although one failed', () => {
  const counts = { live: 1000, refreshed: 0, unchanged: 999, failed: 1, leftOver: 0, jobs: 1 };
  expect(describeRun(counts)).toContain('999 unchanged');
});

it('computes results where BigQuery does not answer the question', async () => {
  const fake = new FakeClock('2026-11-20T10:00:00Z');
  const { endpoints } = testCatalogue();
  const dependsOn = { sources: [{ table: 'web_visits' }], clocks: [] };
  const queryRunner = new FakeQueryRunner();
  const silent: QueryRunner = {
    run(query) {
      if (query.endpoint !== 'warm.question') return queryRunner.run(query);
      fake.advance(query.deadlineMs - fake.nowMs());
      return Promise.reject(new Error('timed out'));
    },
  };
  const describeTable = () => Promise.reject(new Error('timed out'));
  const server = createWarmServer({
    ...{ clock: fake, queryRunner: silent, warmBudgetSeconds: 30 },
    catalogue: createCatalogue(endpoints.map((endpoint) => ({ ...endpoint, dependsOn }))),
    ask: createAsk({ queryRunner: silent, describeTable, clock: fake, log: new FakeLog() }),
  });
  server.addEntry('web.visit-counts', { interval: 'daily', project: 'a' });
  queryRunner.answerWith(() => Promise.resolve(queryResult()));
  const answer = await request(server.server).post('/').send({});
  expect(answer.body).toMatchObject({ leftOver: 0 });
});

// A project or an organisation may have default_time_zone; ticks without a zone are counted in UTC.
it('runs queries in UTC, in which it counts the ticks of CURRENT_DATE()', () => {
  const query = { sql: 'SELECT CURRENT_DATE()', parameters: {} };
  expect(queryConfiguration(query, 'logs')).toMatchObject({
    connectionProperties: [{ key: 'time_zone', value: 'UTC' }],
  });
});
