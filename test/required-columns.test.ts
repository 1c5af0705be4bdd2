// Tests, with the real client, engine and stores, of rows with NULL in a column that `row` calls REQUIRED: they are never answered.
import { startService } from './support/world.ts';
import { FakeSqlTree, parameter, rowOf } from './support/sql/fake-sql-tree.ts';
import { columns } from './support/sql/columns.ts';

it('NULL in a REQUIRED column is INTERNAL for the caller and named in the log; a batch fails for its key alone', async () => {
  /** Four are also words of the error, which must not contain values of parameters. */
  const SHOPS = ['amount', 'null', 'mode', 'd', 'b', 'fit'];
  const orders = (amounts: (number | null)[]) => ({
    name: 'orders',
    fields: columns('shop STRING, amount INT64'),
    rows: SHOPS.map((shop, index) => ({ shop, amount: amounts[index] })),
  });
  const tables = [orders([1, 1, 1, 1, 1, 1])];
  const tree = new FakeSqlTree();
  for (const mode of ['REQUIRED', 'NULLABLE']) {
    tree.endpoint(
      {
        name: `orders.${mode.toLowerCase()}`,
        row: rowOf(`shop STRING NULLABLE, amount INT64 ${mode}`),
        parameters: { shop: parameter({ required: true }) },
        warming: { batchOver: ['shop'], maxKeys: 10 },
      },
      'SELECT shop, amount FROM orders WHERE shop = @shop',
      'SELECT key, orders.shop, amount FROM UNNEST(@keys) JOIN orders USING (shop) ORDER BY key',
    );
  }
  const catalogue = tree.catalogue();
  const service = await startService({ tables, catalogue, memoryCacheSeconds: 0 });
  const ask = (mode: string, shop: string) => service.ask(`orders.${mode}?shop=${shop}`);
  for (const shop of SHOPS) expect((await ask('required', shop)).status).toBe(200);
  // At least one in each half of the batch.
  await service.bigquery.putTable(orders([null, null, null, null, 2, 5]));
  service.clock.advance(301_000);
  const { refreshed, failed } = await service.warm.run();
  expect(refreshed).toBe(2);
  expect(failed.map(({ reason }) => reason)).toEqual(Array(4).fill('INTERNAL'));
  const answers = await Promise.all(['b', 'fit'].map((shop) => ask('required', shop)));
  expect(answers.map(({ text }) => text)).toEqual([
    '{"result":[{"shop":"b","amount":2}]}',
    '{"result":[{"shop":"fit","amount":5}]}',
  ]);

  service.clock.advance(901_000);
  const refused = await ask('required', 'd');
  expect(refused.status).toBe(500);
  expect(refused.body).toMatchObject({ error: { details: [{ reason: 'INTERNAL' }] } });
  expect(JSON.stringify(service.log.lines.at(-1))).toContain(
    'The result of BigQuery does not fit: row 1, amount is null, but its mode is REQUIRED.',
  );
  expect((await ask('required', 'b')).text).toBe('{"result":[{"shop":"b","amount":2}]}');
  expect((await ask('nullable', 'd')).text).toBe('{"result":[{"shop":"d","amount":null}]}');
});
