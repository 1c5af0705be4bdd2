// Tests over HTTP, with the local BigQuery behind it, of an endpoint with the most rows that an answer can have.
import type { Response, Test } from 'supertest';
import { FakeClock } from './support/fakes/fake-clock.ts';
import { FakeSqlTree, parameter } from './support/sql/fake-sql-tree.ts';
import { startLocalBigQuery } from './support/bigquery/local-bigquery.ts';
import { createLocalQueryRunner } from './support/bigquery/local-query-runner.ts';
import { createQueryServer } from './support/bigquery/query-server.ts';

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

const get = (rows: number): Test => service.get(`/api/endpoints/query/group.example?rows=${rows}`);

function counts({ body }: Response): number[] {
  return (body as { result: { count: number }[] }).result.map(({ count }) => count);
}

const TEN_THOUSAND = Array.from({ length: 10_000 }, (_, index) => index + 1);

it('returns 10,000 rows, and caches them', async () => {
  const answer = await get(10_000);
  expect(answer.status).toBe(200);
  expect(counts(answer)).toEqual(TEN_THOUSAND);
  expect(answer.headers).not.toHaveProperty('x-result-truncated');
  expect(answer.headers['cache-status']).toBe('saved-queries; fwd=uri-miss; stored; ttl=900');
});

it('returns the first 10,000 of 10,001 rows, marked as truncated', async () => {
  const answer = await get(10_001);
  expect(answer.status).toBe(200);
  expect(counts(answer)).toEqual(TEN_THOUSAND);
  expect(answer.headers['x-result-truncated']).toBe('true');
});
