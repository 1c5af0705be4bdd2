// The stored tables of the conformance cases; most cases need none.
import type { LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import { columns } from '../../../support/sql/columns.ts';

export const tables: LocalTable[] = [
  {
    name: 'produce',
    fields: columns('item STRING, sales INTEGER, category STRING'),
    rows: [
      { item: 'apples', sales: 2, category: 'fruit' },
      { item: 'carrots', sales: 8, category: 'vegetable' },
      { item: 'apples', sales: 7, category: 'fruit' },
      { item: 'bananas', sales: 5, category: 'fruit' },
    ],
  },
  {
    name: 'orders',
    fields: columns(
      `id INTEGER REQUIRED, at TIMESTAMP, price NUMERIC, tags STRING REPEATED,
      buyer RECORD (name STRING, age INTEGER), lines RECORD REPEATED (item STRING, count INTEGER)`,
    ),
    rows: [
      {
        id: 1,
        at: '2026-01-01 10:00:00 UTC',
        price: '1.50',
        tags: ['new', 'gift'],
        buyer: { name: 'Ada', age: 36 },
        lines: [
          { item: 'apples', count: 2 },
          { item: 'bananas', count: 1 },
        ],
      },
      {
        id: 2,
        at: '2026-01-02 11:00:00 UTC',
        price: '20',
        tags: [],
        buyer: { name: 'Bob' },
        lines: [],
      },
      { id: 3, tags: ['new'], lines: [{ item: 'apples', count: 5 }] },
    ],
  },
];
