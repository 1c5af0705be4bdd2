// Tests of the check for queries over tables of other datasets, shards, and tables without a source.
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { reasonNotRunLocally } from '../../../scripts/check/analysed-query.ts';
import { formatFault } from '../../../scripts/faults/definition-fault.ts';
import { formatWindows, scanWindows } from '../../../scripts/check/scan-windows.ts';
import { source } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { FakeSqlTree, parameter } from '../../support/sql/fake-sql-tree.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const { rejected = [], shown = [] } = readExpectations('test/scripts/check/existing-tables.sql');
const engine = await sharedEngine();
const COUNT = 'count INT64 REQUIRED';
const shards = { prefix: 'events_', format: 'YYYYMMDD' } as const;
const SOURCES = [
  source('orders', COUNT, { table: 'acme-shop.shop.orders' }),
  source('crm.customers', COUNT),
  source('billing.invoices', COUNT, { table: 'acme-billing.billing.invoices' }),
  source('analytics_1.events', COUNT, { shards, requirePartitionFilter: true }),
  source('analytics_1.events_intraday', COUNT, {
    shards: { ...shards, prefix: 'events_intraday_' },
  }),
  source('web.events', COUNT, { shards, table: 'acme-web.web.events_*' }),
  source('visits', COUNT, { partitioning: { type: 'DAY' }, requirePartitionFilter: true }),
];

/** An endpoint with this query, each parameter of which is a day, and what is found in it. */
async function checked(query: string) {
  const day = { ...parameter(), type: 'DATE', required: true, example: '2026-11-19' };
  const used = [...query.matchAll(/@(\w+)/g)].map(([, name]) => [name, day]);
  const tree = new FakeSqlTree().endpoint({ parameters: Object.fromEntries(used) }, query);
  const [inspected] = inspectCatalogue(tree.directory).endpoints;
  if (inspected?.endpoint === undefined) throw new Error('There is no endpoint.');
  return { ...(await checkEndpoint(engine, SOURCES, inspected)), endpoint: inspected.endpoint };
}

it.each(rejected)('rejects %s', async (from, fault) => {
  const { faults } = await checked(`SELECT count FROM ${from}`);
  expect(faults.map((found) => formatFault(found).replace(/^.*\/(?=query\.sql)/, ''))).toEqual([
    `query.sql:1:19: ${fault}`,
  ]);
});

it.each(shown)('passes, and shows the scan window of %s', async (from, shown) => {
  const NOW_MS = Date.parse('2026-11-20T10:00:00Z');
  const { endpoint, queries, faults } = await checked(`SELECT count FROM ${from}`);
  expect(faults).toEqual([]);
  const { shown: windows } = await scanWindows(engine, { endpoint, queries }, NOW_MS);
  const [, line = ''] = formatWindows(windows, NOW_MS).split('\n');
  const said = line.trim().replaceAll(/\s+/g, ' ');
  expect(said.replace(/^\S+ (for example: \S+ )?/, '')).toBe(shown);
});

it('explains why a wildcard without an upper bound reads more tables in BigQuery', async () => {
  const query =
    "SELECT count FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX >= FORMAT_DATE('%Y%m%d', @a)";
  const { endpoint, queries } = await checked(query);
  expect(await reasonNotRunLocally(engine, endpoint, queries)).toBe(
    'analytics_1.events_* also matches the table analytics_1.events_intraday, which is not read here (give _TABLE_SUFFIX an upper bound)',
  );
});
