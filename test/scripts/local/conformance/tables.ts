// The stored tables of the conformance cases; most cases need none.
import type { LocalTable } from '../../../../scripts/local/bigquery/server.ts';

export const tables: LocalTable[] = [
  {
    name: 'produce',
    fields: [
      { name: 'item', type: 'STRING' },
      { name: 'sales', type: 'INTEGER' },
      { name: 'category', type: 'STRING' },
    ],
    rows: [
      { item: 'apples', sales: 2, category: 'fruit' },
      { item: 'carrots', sales: 8, category: 'vegetable' },
      { item: 'apples', sales: 7, category: 'fruit' },
      { item: 'bananas', sales: 5, category: 'fruit' },
    ],
  },
];
