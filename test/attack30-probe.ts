// Prints when warming runs each of many queries.
import { FakeSqlTree, endpointDefinition } from './support/fake-sql-tree.ts';

const C = 'SELECT COUNT(*) AS count FROM orders WHERE ';
const QUERIES: string[] = [
  C + "WITH(now AS CURRENT_TIMESTAMP, at > TIMESTAMP_SUB(now, INTERVAL 1 HOUR))",
  C + 'WITH(today AS CURRENT_DATE, day = today)',
  C + 'WITH(now AS CURRENT_TIMESTAMP(), at > now)',
  C + '-- x\r at > CURRENT_TIMESTAMP()',
  C + '# x\r at > CURRENT_TIMESTAMP()',
  C + 'note = @@ time_zone',
  C + 'note = @@/* x */project_id',
  C + 'note = @@`time_zone`',
  C + 'note = @@time_zone',
  'SELECT COUNT(*) AS count FROM orders FOR SYSTEM TIME AS OF TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), HOUR)',
  "SELECT COUNT(*) AS count FROM orders FOR SYSTEM TIME AS OF TIMESTAMP '2026-01-01 00:00:00+00'",
  'SELECT COUNT(*) AS count FROM orders WHERE extra_any(1) > 0',
  'SELECT COUNT(*) AS count FROM orders WHERE extra_typed(1) > 0',
  'SELECT COUNT(*) AS count FROM orders WHERE clock_with(1) > 0',
  'SELECT COUNT(*) AS count FROM orders WHERE EXISTS(SELECT 1 FROM prices)',
  'SELECT COUNT(*) AS count FROM UNNEST(ARRAY(SELECT day FROM prices)) AS d',
  'SELECT COUNT(*) AS count FROM orders |> WHERE TRUE |> UNION ALL (SELECT COUNT(*) AS count FROM prices)',
  'FROM orders |> JOIN prices USING (day) |> AGGREGATE COUNT(*) AS count',
  'FROM orders |> EXTEND CURRENT_TIMESTAMP AS now |> WHERE at > now |> AGGREGATE COUNT(*) AS count',
  'SELECT COUNT(*) AS count FROM orders LEFT JOIN prices USING (day)',
  "SELECT COUNT(*) AS count FROM EXTERNAL_QUERY('us.c', 'SELECT 1')",
  'SELECT COUNT(*) AS count FROM APPENDS(TABLE orders, NULL)',
  "SELECT COUNT(*) AS count FROM VECTOR_SEARCH(TABLE orders, 'at', TABLE prices)",
  C + 'note = `keys.new_keyset`("AEAD_AES_GCM_256")',
  C + 'at > SAFE.CURRENT_TIMESTAMP()',
  C + "day = CURRENT_DATE('+05:30')",
  C + "day = CURRENT_DATE('-08')",
  C + "day = CURRENT_DATE('EST')",
  C + "day = CURRENT_DATE('America/Los_Angeles') -- x",
  C + 'day = CURRENT_DATE("""UTC""")',
  C + 'day IN (SELECT CURRENT_DATE FROM prices)',
  'SELECT COUNT(*) AS count, FROM orders WHERE day = (SELECT AS VALUE CURRENT_DATE)',
  'SELECT COUNT(*) AS count FROM (SELECT CURRENT_TIMESTAMP AS `current_timestamp`, at FROM orders) WHERE at > `current_timestamp`',
  'SELECT COUNT(*) AS count FROM (SELECT at, CURRENT_TIMESTAMP current_timestamp2 FROM orders)',
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT COUNT(*) FROM prices)) SELECT COUNT(*) AS count FROM r, orders',
  'SELECT keys.n AS count FROM (SELECT COUNT(*) AS n FROM orders) AS keys',
  'SELECT COUNT(*) AS count FROM orders AS ai WHERE ai.day IS NULL',
  'SELECT COUNT(*) AS count FROM `analytics.events_*`',
  "SELECT COUNT(*) AS count FROM `analytics.events_2026*` WHERE _TABLE_SUFFIX > '0101'",
  'SELECT COUNT(*) AS count FROM analytics.events_20260101',
  'SELECT COUNT(*) AS count FROM orders WINDOW w AS (ORDER BY day)',
  'SELECT COUNT(*) AS count FROM orders WHERE day = (SELECT MAX(day) FROM orders, UNNEST([CURRENT_TIMESTAMP]) AS x)',
  'SELECT COUNT(*) AS count FROM orders AS o WHERE o.at > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), HOUR, note)',
  'SELECT COUNT(*) AS count FROM orders WHERE IF(EXTRACT(MINUTE FROM TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), HOUR)) = 0, TRUE, FALSE)',
  "SELECT COUNT(*) AS count FROM orders WHERE at > TIMESTAMP(CURRENT_DATETIME('UTC'))",
  "SELECT COUNT(*) AS count FROM orders WHERE FORMAT_TIMESTAMP('%H', CURRENT_TIMESTAMP()) = '1'",
  'SELECT COUNT(*) AS count FROM orders MATCH_RECOGNIZE (ORDER BY at MEASURES 1 AS m PATTERN (a) DEFINE a AS CURRENT_TIMESTAMP > at)',
  'SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, delta=0.1) COUNT(*) AS count FROM orders',
  "CREATE TEMP FUNCTION f() RETURNS FLOAT64 LANGUAGE js AS 'return Math.random()'; SELECT COUNT(*) AS count FROM orders WHERE f() > 0",
  'CREATE TEMP FUNCTION f() AS ((SELECT COUNT(*) FROM prices)); SELECT COUNT(*) AS count FROM orders WHERE f() > 0',
  'CREATE TEMP FUNCTION f(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM prices)); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0',
  'CREATE TEMP AGGREGATE FUNCTION f(x INT64) AS (SUM(x) + (SELECT COUNT(*) FROM prices)); SELECT f(1) AS count FROM orders',
];

const tree = new FakeSqlTree();
const schema = [
  { name: 'day', type: 'DATE', mode: 'NULLABLE', description: 'A day.' },
  { name: 'at', type: 'TIMESTAMP', mode: 'NULLABLE', description: 'A time.' },
  { name: 'note', type: 'STRING', mode: 'NULLABLE', description: 'A text.' },
];
for (const name of ['orders', 'prices', 'analytics.events', 'my-orders']) {
  tree.write(`sources/${name}/schema.json`, schema);
  tree.write(`sources/${name}/table.json`, {
    partitioning: null, requirePartitionFilter: false,
    ...(name.startsWith('analytics') && { shards: { prefix: 'events_', format: 'YYYYMMDD' } }),
    ...(name === 'my-orders' && { table: 'shop.my-orders' }),
  });
}
tree.write('routines/extra_any.sql', 'CREATE TEMP FUNCTION extra_any(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM prices));');
tree.write('routines/extra_typed.sql', 'CREATE TEMP FUNCTION extra_typed(x INT64) AS ((SELECT COUNT(*) + x FROM prices));');
tree.write('routines/clock_with.sql', 'CREATE TEMP FUNCTION clock_with(x INT64) AS (WITH(now AS CURRENT_TIMESTAMP, UNIX_SECONDS(now) + x));');
QUERIES.forEach((sql, index) => {
  const id = endpointDefinition().id.replace(/^1+/, String(10_000_000 + index));
  tree.endpoint({ id, name: `case.n${index}` }, sql);
});
import { inspectCatalogue } from '../scripts/compile/inspect-catalogue.ts';
import { checkSources } from '../scripts/check/check-sources.ts';
import { checkEndpoint } from '../scripts/check/check-endpoint.ts';
import { startGoogleSql } from '../scripts/local-bigquery/index.ts';
import { join } from 'node:path';

const catalogue = inspectCatalogue(tree.directory);
const tables = await checkSources(join(tree.directory, 'sources'), { withSamples: false });
console.log(tables.faults);
const engine = await startGoogleSql();
const byIndex = new Map(catalogue.endpoints.map((e) => [Number(e.folder.replace('case.n', '')), e]));
for (const [index, sql] of QUERIES.entries()) {
  const inspected = byIndex.get(index)!;
  const { endpoint, faults, runsAgain } = await checkEndpoint(engine, tables.sources, inspected);
  const verdict = faults.length ? `FAULT ${faults.map((f) => f.message).join('; ')}` :
    runsAgain ? `EACH RUN ${runsAgain.message}` : JSON.stringify(endpoint?.dependsOn);
  console.log(`${index} ${JSON.stringify(sql).slice(0, 150)}\n      ${verdict}`);
}
await engine.close();
tree.remove();
