// An answer over more rows than the local BigQuery reads says so, wherever it is read, until all rows are read again.
import request from 'supertest';
import { API_KEY, startService } from './support/world.ts';
import { FakeSqlTree, parameter, rowOf } from './support/sql/fake-sql-tree.ts';
import { columns } from './support/sql/columns.ts';

it('a cut is in the header of a miss, of a hit and of a warmed result, and in the log', async () => {
  const orders = (count: number) => ({
    name: 'orders',
    fields: columns('id INT64'),
    rows: Array.from({ length: count }, (_, id) => ({ id })),
  });
  const tree = new FakeSqlTree()
    .endpoint(
      {
        name: 'orders.pairs',
        row: rowOf('n INT64 NULLABLE'),
        parameters: { until: parameter({ type: 'INT64', required: true, example: '9' }) },
        warming: { batchOver: ['until'], maxKeys: 10 },
      },
      'SELECT COUNT(*) AS n FROM orders AS a JOIN orders AS b USING (id) WHERE a.id < b.id + @until',
    )
    .write(
      'endpoints/orders.pairs/warm.sql',
      'SELECT key, COUNT(a.id) AS n FROM UNNEST(@keys) LEFT JOIN orders AS a ON a.id < a.id + until LEFT JOIN orders AS b USING (id) GROUP BY key ORDER BY key',
    );
  const service = await startService({
    ...{ tables: [orders(500)], bytesMax: 2000, catalogue: tree.catalogue() },
    ...{ memoryCacheSeconds: 0, corsOrigins: ['*'] },
  });
  const get = (until = 9) =>
    request(service.server)
      .get(`/api/endpoints/query/orders.pairs?until=${until}`)
      .set({ 'X-API-KEY': API_KEY, Origin: 'https://example.com' });
  const cut = /^logs\.orders; read=(?!500)\d+; of=500$/;
  const [miss, hit] = [await get(), await get()];
  await get(10);
  expect(miss.headers['cache-status']).toContain('stored');
  expect(hit.headers['cache-status']).toContain('; hit; ');
  for (const { headers } of [miss, hit]) {
    expect(headers['x-local-rows-cut']).toMatch(cut);
    expect(headers['access-control-expose-headers']).toContain('X-Local-Rows-Cut');
  }
  expect(service.log.lines[0]?.fields).toMatchObject({
    localRowsCut: expect.stringMatching(cut) as string,
  });
  const unchanged = await get().set('If-None-Match', hit.headers['etag'] ?? '');
  expect(unchanged.status).toBe(304);
  expect(unchanged.headers['x-local-rows-cut']).toMatch(cut);

  service.clock.advance(301_000);
  expect(await service.warm.run()).toMatchObject({ refreshed: 2, jobs: 1 });
  expect((await get()).headers['x-local-rows-cut']).toMatch(cut);

  await service.bigquery.putTable(orders(100));
  service.clock.advance(301_000);
  await service.warm.run();
  const whole = await get();
  expect(whole.text).toBe('{"result":[{"n":100}]}');
  expect(whole.headers).not.toHaveProperty('x-local-rows-cut');
});
