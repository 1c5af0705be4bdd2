// The bucket that `npm run new` finds in a query: by a truncation, or by the day of a group.
import { columnOrigins } from '../../../scripts/new/column-origins.ts';
import { inferBucket } from '../../../scripts/new/infer-bucket.ts';
import { inferParameters } from '../../../scripts/new/infer-parameters.ts';
import { columns } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const engine = await sharedEngine();
const TABLES = [
  {
    name: 'logs',
    fields: columns('ts TIMESTAMP, local DATETIME, day DATE, name STRING, size INT64'),
  },
];

async function bucketOf(sql: string): Promise<unknown> {
  const { analysis, sourceOf } = await inferParameters(engine, sql, TABLES);
  return inferBucket(analysis, columnOrigins(analysis.resolved, sourceOf));
}

const { steps = [], none = [] } = readExpectations('test/scripts/new/infer-bucket.sql');

const each = (expression: string): string =>
  `SELECT name, ${expression} AS bucket, COUNT(*) AS n FROM logs GROUP BY name, bucket ORDER BY bucket`;

it.each(steps)('the bucket of %s has a step of %s', async (expression, step) => {
  expect(await bucketOf(each(expression))).toEqual({ column: 'bucket', step });
});

it.each(none)('no bucket is inferred from %s: %s', async (sql) => {
  expect(await bucketOf(sql.startsWith('SELECT') ? sql : each(sql))).toBeUndefined();
});

it('a bucket is found through a WITH query, and without GROUP BY', async () => {
  const sql = `WITH hours AS (SELECT TIMESTAMP_TRUNC(ts, HOUR) AS h, size FROM logs)
    SELECT size, h FROM hours`;
  expect(await bucketOf(sql)).toEqual({ column: 'h', step: 'PT1H' });
});
