// Tests that warming sees each way in which a table changes: both functions on Firestore's emulator and the local BigQuery.
import type { WarmReport } from '../../functions/warming/terms.ts';
import { checkCatalogue } from '../../scripts/check/check-endpoint.ts';
import type { LocalTable } from '../../scripts/local-bigquery/rest/server.ts';
import { ControlledClock } from '../support/clock.ts';
import type { BigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { tablesOf } from '../support/bigquery/local-bigquery.ts';
import { createTestService, createTestWarm, startService } from '../support/world.ts';
import { sharedEngine } from '../support/bigquery/shared-engine.ts';
import { type Acts, type Fields, runSteps, stepsBeside } from '../support/steps.ts';
import { deleteRows, flush, streamRows } from '../support/bigquery/changed-rows.ts';

const unpartitioned = { partitioning: null, requirePartitionFilter: false };
const byDay = { ...unpartitioned, partitioning: { type: 'DAY', field: 'day' } };
const shards = { prefix: 'events_', format: 'YYYYMMDD' };
const tree = new FakeSqlTree();
for (const [name, definition] of Object.entries({
  ...{ orders: byDay, prices: unpartitioned, 'web.events': { ...unpartitioned, shards } },
  ...{ 'shop.orders': byDay, 'shop.others': byDay },
})) {
  tree.source(name, 'day DATE, shop STRING, amount INT64', definition);
}
for (const [name, from] of [
  ['of-orders', "orders WHERE day >= DATE '2026-01-01'"],
  ['of-prices', 'prices WHERE TRUE'],
  ['of-events', "`web.events_*` WHERE _TABLE_SUFFIX >= '20260101'"],
  ['of-days', "orders WHERE day >= DATE_SUB(CURRENT_DATE('America/New_York'), INTERVAL 29 DAY)"],
] as const) {
  const definition = {
    name: `totals.${name}`,
    parameters: { shop: parameter({ required: true, example: 'a' }) },
    row: rowOf('total INT64'),
  };
  tree.endpoint(definition, `SELECT SUM(amount) AS total FROM ${from} AND shop = @shop`);
}
const catalogue = await checkCatalogue(await sharedEngine(), tree.directory);

it.each(stepsBeside(import.meta.filename))('%s', async (_, steps) => {
  const world = await startService({
    ...{ tables: await tablesOf(tree.directory), catalogue },
    // At noon, so that no day ends during a test that does not say so.
    clock: new ControlledClock('2026-11-20T12:00:00Z'),
    ...{ project: 'test-project', memoryCacheSeconds: 0 },
  });
  const { bigquery } = world;
  let service: ReturnType<typeof createTestService> = world;
  let { warm } = world;
  /** The endpoint and the shop that were read last. */
  let seen: [endpoint: string, shop: string] = ['', ''];

  const order = (amount: number, day = '2026-11-19') => ({ day, shop: 'a', amount });

  async function total(endpoint: string, shop = 'a'): Promise<number | null | undefined> {
    seen = [endpoint, shop];
    const response = await service.ask(`${endpoint}?shop=${shop}`);
    return (response.body as { result: { total: number | null }[] }).result[0]?.total;
  }

  /** What a run five minutes later did; somebody looks at the result all the time. */
  async function run(): Promise<WarmReport> {
    world.clock.advance(300_000);
    await total(...seen);
    return warm.run();
  }

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

  /** How the check for changes fails. */
  const CHECKS: Record<string, () => BigQueryProxy['fault']> = {
    'no time': answersNoTime,
    refused:
      () =>
      ({ url, body }) =>
        asksPartitions(body) || url.includes('/tables/')
          ? { code: 403, reason: 'accessDenied' }
          : 'pass',
    nonsense:
      () =>
      ({ url }) =>
        url.includes('/tables/') ? { answer: { body: '{"type":7}' } } : 'pass',
  };

  /** A table, or view, in the place of one of this name. */
  async function replace(name: string, by: Partial<LocalTable>): Promise<void> {
    const table = (await tablesOf(tree.directory)).find((one) => one.name === name);
    if (table) await bigquery.putTable({ ...table, ...by });
  }

  /** Orders of shop a. */
  function ordersOf({ amounts, append: _, stream: _stream, ...fields }: Fields): object[] {
    return (amounts as number[]).map((amount) => ({ ...order(amount), ...fields }));
  }

  const acts: Acts = {
    append: (name: string, step: Fields) => bigquery.appendRows(name, ordersOf(step)),
    stream: (name: string, step: Fields) => streamRows(bigquery, name, ordersOf(step)),
    flush: (name: string) => flush(bigquery, name),
    /** A row, or the rows of a partition, without a time. */
    delete: (name: string, { row, partition }: Fields) =>
      deleteRows(bigquery, name, (id, index) => id === partition || index === row),
    /** By a table with one row. */
    replace: (name: string, { amount }: Fields) => replace(name, { rows: [order(Number(amount))] }),
    /** The table that the view `orders` shows. */
    view: (viewOf: string) => replace('orders', { viewOf }),
    deploy: (what: string, { to }: Fields) => {
      const sourceTables = new Map([['orders', `test-project.${String(to)}`]]);
      const options = { ...world.options, sourceTables };
      if (what === 'warm') warm = createTestWarm(options);
      else service = createTestService(options);
    },
    check: (fault: string) => void (world.proxy.fault = CHECKS[fault]?.() ?? world.proxy.fault),
    /** Damages what the last run has recorded. */
    sources: ({ packed }: Fields) => {
      const bytes = typeof packed === 'string' ? Buffer.from(packed) : packed;
      return world.firestore.doc('runs/sources').set(packed === undefined ? {} : { packed: bytes });
    },
    total: async (endpoint: string, { shop, is }: Fields) =>
      expect(await total(endpoint, shop as string)).toBe(is),
    run: async (expected: object) => expect(await run()).toMatchObject(expected),
    /** A result that a run has computed and another has left alone. */
    settle: async (endpoint: string) => {
      await total(endpoint);
      expect(await run()).toMatchObject({ refreshed: 1 });
      expect(await run()).toMatchObject({ refreshed: 0, unchanged: 1, jobs: 0 });
    },
    /** The tables whose state the log says is not known. */
    unknown: (tables: string[]) => {
      const said = warm.log.lines.filter(({ fields }) => fields.event === 'source_state_unknown');
      expect(said.map(({ fields }) => fields.table)).toEqual(tables);
    },
  };

  await runSteps(acts, steps);
});
