// Tests over HTTP, with the local BigQuery behind it, of an endpoint with the most rows that an answer can have.
import { FakeClock } from './support/clock.ts';
import { FakeSqlTree, parameter } from './support/sql/fake-sql-tree.ts';
import { createLocalQueryRunner, startLocalBigQuery } from './support/bigquery/local-bigquery.ts';
import { createQueryServer } from './support/world.ts';

it.each([
  [10_000, undefined],
  [10_001, 'true'],
])('returns the first 10,000 of %i rows, and caches them', async (rows, truncated) => {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const bigquery = await startLocalBigQuery({ tables: [], clock });
  const tree = new FakeSqlTree().endpoint(
    {
      maxRows: 10_000,
      parameters: { rows: parameter({ type: 'INT64', required: true, example: '1' }) },
    },
    'SELECT count FROM UNNEST(GENERATE_ARRAY(1, @rows)) AS count ORDER BY count',
  );
  const service = createQueryServer({
    catalogue: tree.catalogue(),
    queryRunner: createLocalQueryRunner(bigquery.url, clock),
  });
  const TEN_THOUSAND = Array.from({ length: 10_000 }, (_, index) => index + 1);
  const answer = await service.ask(`group.example?rows=${rows}`);
  expect(answer.status).toBe(200);
  const { result } = answer.body as { result: { count: number }[] };
  expect(result.map(({ count }) => count)).toEqual(TEN_THOUSAND);
  expect(answer.headers['x-result-truncated']).toBe(truncated);
  expect(answer.headers['cache-status']).toBe('saved-queries; fwd=uri-miss; stored; ttl=900');
});
