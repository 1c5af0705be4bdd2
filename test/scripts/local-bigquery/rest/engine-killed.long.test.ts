// Tests that requests are answered while the engine of the local BigQuery is killed again and again.
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../functions/clock.ts';
import { createLocalBigQuery } from '../../../../scripts/local-bigquery/rest/server.ts';
import { startGoogleSql } from '../../../../scripts/local-bigquery/dialect/google-sql.ts';
import { collectRows } from '../../../support/bigquery/collect-rows.ts';
import { createEnginePackage } from '../../../support/bigquery/engine-package.ts';
import { createLocalQueryRunner } from '../../../support/bigquery/local-query-runner.ts';
import { columns } from '../../../support/sql/columns.ts';

const KILLS = 7;
const BETWEEN_KILLS_MS = 1000;
const LOOPS = 4;
const ANSWER_MS_MAX = 10_000;

it('every query is answered with all rows while the engine is killed', async () => {
  const installed = createEnginePackage();
  const engine = await startGoogleSql(installed);
  const stored = Array.from({ length: 2000 }, (_, n) => ({ n }));
  const numbers = { name: 'numbers', fields: columns('n INTEGER'), rows: stored };
  const bigquery = await createLocalBigQuery({ engine, tables: [numbers] });
  const runner = createLocalQueryRunner(bigquery.url, systemClock);
  let isOver = false;
  let slowestMs = 0;
  const sums: string[] = [];
  /** The loops that have had an answer since the last kill, and who waits for all of them. */
  const answered = new Set<number>();
  let allAnswered = () => {};
  const loop = async (number: number) => {
    for (let index = 0; !isOver; index++) {
      const startedMs = Date.now();
      const { rows } = await collectRows(runner, {
        endpoint: 'test.sum',
        // Another text each time, so that it is analysed too.
        sql: `CREATE TEMP FUNCTION twice(x INT64) AS (2 * x); SELECT SUM(twice(n)) + ${number} * 0 AS n, ${index} AS i FROM numbers`,
        parameters: {},
        columns: columns('n INT64, i INT64'),
        rowCountMax: 10,
        deadlineMs: Date.now() + ANSWER_MS_MAX,
      });
      slowestMs = Math.max(slowestMs, Date.now() - startedMs);
      sums.push(JSON.stringify(rows[0]?.f[0]?.v));
      answered.add(number);
      if (answered.size === LOOPS) allAnswered();
    }
  };
  const loops = Array.from({ length: LOOPS }, (_, number) => loop(number));
  const failure = Promise.all(loops).then(() => undefined);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      // On a busy machine a query would otherwise be hit by a kill in each of its four attempts.
      const everyLoop = new Promise<void>((resolve) => (allAnswered = resolve));
      answered.clear();
      await Promise.race([Promise.all([delay(BETWEEN_KILLS_MS), everyLoop]), failure]);
      installed.kill();
    }
    isOver = true;
    await failure;
  } finally {
    isOver = true;
    await Promise.allSettled(loops);
    await bigquery.close();
    await engine.close();
  }
  expect(new Set(sums)).toEqual(new Set(['"3998000"']));
  expect(sums.length).toBeGreaterThan(KILLS * LOOPS);
  expect(slowestMs).toBeLessThan(ANSWER_MS_MAX);
  // After the last kill no query may need it any more.
  expect(installed.starts().length).toBeGreaterThanOrEqual(KILLS);
});
