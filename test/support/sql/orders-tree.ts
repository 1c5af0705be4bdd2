// Saved queries with one endpoint, `group.example`, which counts the orders of a shop.
import { columns } from './columns.ts';
import { FakeSqlTree, parameter } from './fake-sql-tree.ts';

export const ORDERS = {
  name: 'orders',
  fields: columns('id INTEGER REQUIRED, shop STRING'),
  rows: [
    { id: 1, shop: 'a' },
    { id: 2, shop: 'b' },
    { id: 3, shop: 'b' },
  ],
};
export const COUNT = 'SELECT COUNT(*) AS count FROM orders WHERE shop = @shop';

/** Its sample rows are those of `ORDERS`. */
export function ordersTree(): FakeSqlTree {
  return new FakeSqlTree()
    .endpoint({ parameters: { shop: parameter({ required: true, example: 'b' }) } }, COUNT)
    .write('sources/orders/schema.json', ORDERS.fields)
    .write(
      'sources/orders/sample.ndjson',
      ORDERS.rows.map((row) => JSON.stringify(row)).join('\n'),
    );
}
