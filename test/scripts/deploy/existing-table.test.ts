// Where the table of a source is, by the name of its folder and its table.json.
import { existingTable } from '../../../scripts/deploy/table-steps.ts';
import type { TableDefinition } from '../../../scripts/local-bigquery/values/table-definition.ts';
import { PLAIN_TABLE } from '../../../scripts/sources/read-definition.ts';

it.each<[string, Partial<TableDefinition>, ReturnType<typeof existingTable>]>([
  ['orders', {}, undefined],
  [
    'orders',
    { table: 'shop.sales' },
    { project: 'own', dataset: 'shop', table: 'sales', access: 'view' },
  ],
  [
    'orders',
    { table: 'example.com:acme.shop.sales' },
    { project: 'example.com:acme', dataset: 'shop', table: 'sales', access: 'view' },
  ],
  ['crm.customers', {}, { project: 'own', dataset: 'crm', table: 'customers', access: 'granted' }],
  [
    'crm.customers',
    { table: 'acme-crm.crm.customers' },
    { project: 'acme-crm', dataset: 'crm', table: 'customers', access: 'granted' },
  ],
  [
    'analytics_1.events',
    { shards: { prefix: 'events_', format: 'YYYYMMDD' } },
    { project: 'own', dataset: 'analytics_1', table: 'events_*', access: 'granted' },
  ],
])('locates %s with %j', (name, definition, place) => {
  const source = { name, fields: [], definition: { ...PLAIN_TABLE, ...definition } };
  const deployed = { project: 'own', dataset: 'home', logTables: {} };
  expect(existingTable(source, deployed)).toEqual(place);
});
