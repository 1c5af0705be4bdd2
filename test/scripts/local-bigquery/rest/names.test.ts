// Each way of writing the name of a table finds the table that BigQuery finds, or the error that it gives.
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { failureOf, testBigQuery } from './local-bigquery.ts';
import { columns } from '../../../support/sql/columns.ts';

const table = (name: string, place?: string): LocalTable => ({
  name,
  fields: columns('source STRING, tags STRING REPEATED'),
  definition: { ...PLAIN_TABLE, ...(place === undefined ? {} : { table: place }) },
  rows: [{ source: name, tags: ['a'] }],
});
const bigquery = await testBigQuery({
  tables: [
    ...[table('orders'), table('Orders'), table('sales', 'acme-shop.shop.sales')],
    ...[table('crm.orders'), table('crm.customers'), table('crm.order list')],
    ...[table('billing.orders', 'acme-billing.billing.orders')],
    {
      name: 'shop.age',
      fields: columns('id INTEGER, age INTEGER'),
      rows: [
        { id: 1, age: 40 },
        { id: 2, age: 60 },
      ],
    },
  ],
});

const {
  reads = [],
  rejected = [],
  gives = [],
} = readExpectations('test/scripts/local-bigquery/rest/names.sql');
import { readExpectations } from '../../../support/sql/read-expectations.ts';

it.each(reads)('%s reads %s', async (query, source) => {
  expect(await bigquery.first(query)).toEqual([source]);
});

it.each(rejected)('%s is rejected: %s', async (query, message) => {
  expect(await failureOf(bigquery.raw(query))).toBe(
    `404 notFound: ${message} was not found in location US at [1:20]`,
  );
});

it.each(gives)('%s gives %s', async (query, ...row) => {
  expect(await bigquery.first(query)).toEqual(row);
});

it('refuses a name that is a column in one place and its table in another', async () => {
  expect(await failureOf(bigquery.raw('SELECT age.id, age FROM `shop.age`'))).toBe(
    '400 invalidQuery: Cannot access field id on a value with type INT64 at [1:12]',
  );
});

it('requires a dataset in the name if the job has no default dataset', async () => {
  const query = (sql: string) => bigquery.client.query({ query: sql });
  expect(await failureOf(query('SELECT source FROM orders'))).toBe(
    '400 invalid: Table "orders" must be qualified with a dataset (e.g. dataset.table).',
  );
  const [rows] = (await query('SELECT source FROM crm.orders')) as unknown as [object[]];
  expect(rows).toEqual([{ source: 'crm.orders' }]);
});

it('resolves bare names in the default dataset of the job', async () => {
  const query = { query: 'SELECT source FROM orders', defaultDataset: { datasetId: 'crm' } };
  expect(await bigquery.first(query)).toEqual(['crm.orders']);
});

it('reports the right position of an error after quoted names', async () => {
  const query = 'SELECT `orders`.source FROM `crm.orders`, `crm.customers` WHERE missing';
  expect(await failureOf(bigquery.raw(query))).toContain('Unrecognized name: missing at [1:65]');
});
