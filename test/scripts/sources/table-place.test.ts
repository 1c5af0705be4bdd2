// Where the table of a source is, by the name of its folder and its table.json.
import { PLAIN_TABLE } from '../../../scripts/sources/read-definition.ts';
import type { TableDefinition } from '../../../scripts/sources/source.ts';
import { type TablePlace, tablePlace } from '../../../scripts/sources/table-place.ts';

it.each<[string, Partial<TableDefinition>, TablePlace]>([
  ['orders', {}, { table: 'orders', access: 'made' }],
  ['orders', { table: 'shop.sales' }, { dataset: 'shop', table: 'sales', access: 'view' }],
  [
    'orders',
    { table: 'example.com:acme.shop.sales' },
    { project: 'example.com:acme', dataset: 'shop', table: 'sales', access: 'view' },
  ],
  ['crm.customers', {}, { dataset: 'crm', table: 'customers', access: 'granted' }],
  [
    'crm.customers',
    { table: 'acme-crm.crm.customers' },
    { project: 'acme-crm', dataset: 'crm', table: 'customers', access: 'granted' },
  ],
  [
    'analytics_1.events',
    { shards: { prefix: 'events_', format: 'YYYYMMDD' } },
    { dataset: 'analytics_1', table: 'events_*', access: 'granted' },
  ],
])('places %s with %j', (name, definition, place) => {
  expect(tablePlace({ name, definition: { ...PLAIN_TABLE, ...definition } })).toEqual(place);
});
