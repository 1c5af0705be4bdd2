// Hours of warming in seconds: the real question and real jobs on the local BigQuery, over results that are read all the time.
import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { createBigQueryRest } from '../../../functions/google/bigquery-rest.ts';
import { createDescribeTable } from '../../../functions/google/table-metadata.ts';
import { createAsk } from '../../../functions/warming/question.ts';
import type { WarmReport } from '../../../functions/warming/run.ts';
import { checkCatalogue } from '../../../scripts/check/check-endpoint.ts';
import { type GoogleSql, createLocalBigQuery } from '../../../scripts/local-bigquery/index.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { AdvancingClock } from '../fakes/advancing-clock.ts';
import { FakeLog } from '../fakes/fake-log.ts';
import { FakeSqlTree, endpointDefinition, parameter, rowOf } from '../sql/fake-sql-tree.ts';
import { createLocalBigQueryClient, createLocalQueryRunner } from './local-query-runner.ts';
import { createWarmServer } from '../service/warm-server.ts';

const BY_DAY = { partitioning: { type: 'DAY', field: 'day' }, requirePartitionFilter: false };
const SHOP = { shop: parameter({ required: true, example: 'a' }) };
const ROW = rowOf('total INT64');

interface Options {
  from: string;
  /** From one run to the next. */
  intervalMs: number;
  /** The filter of the query on each table, by the name of the table; an endpoint each. */
  filters: Record<string, string>;
  /** Results of each endpoint, one for each shop. */
  shops: readonly string[];
  warmUnchanged?: 'on' | 'off';
  warmFullSeconds?: number;
  /** A table in which the rows are, behind the one that the query names. */
  behind?: Record<string, string>;
}

/** `engine` is not closed with it. */
export async function simulateWarming(engine: GoogleSql, options: Options) {
  const { filters, shops, behind = {} } = options;
  const tree = new FakeSqlTree();
  for (const table of [...Object.keys(filters), ...Object.values(behind)]) {
    tree.source(table, 'day DATE, shop STRING, amount INT64', BY_DAY);
  }
  for (const [index, [table, filter]] of Object.entries(filters).entries()) {
    const id = endpointDefinition().id.replace(/^1/, String(index));
    const warming = { batchOver: ['shop'], maxKeys: 1000 };
    const name = `totals.${table}`;
    tree.endpoint(
      { id, name, parameters: SHOP, row: ROW, warming },
      `SELECT SUM(amount) AS total FROM ${table} WHERE ${filter} AND shop = @shop`,
      `SELECT keys.key, SUM(sold.amount) AS total
       FROM (SELECT shop, amount FROM ${table} WHERE ${filter}) AS sold
       INNER JOIN (SELECT key, shop FROM UNNEST(@keys)) AS keys ON keys.shop = sold.shop
       GROUP BY keys.key ORDER BY keys.key`,
    );
  }
  const catalogue = await checkCatalogue(engine, tree.directory);
  const sources = await readSources(`${tree.directory}/sources`);
  tree.remove();
  const clock = new AdvancingClock(Date.parse(options.from) - Date.now());
  const tables = sources.map((source) => {
    const viewOf = behind[source.name];
    return { ...source, rows: [], ...(viewOf === undefined ? {} : { viewOf }) };
  });
  const bigquery = await createLocalBigQuery({ engine, tables, clock });
  const queryRunner = createLocalQueryRunner(bigquery.url, clock);
  const call = createBigQueryRest(createLocalBigQueryClient(bigquery.url));
  const describeTable = createDescribeTable(call, clock);
  const places = Object.entries(behind).map(
    ([view, table]) => [view, `test-project.${table}`] as const,
  );
  const warm = createWarmServer({
    ...{ catalogue, clock, queryRunner, ...options },
    sourceTables: new Map(places),
    ask: createAsk({ queryRunner, describeTable, clock, log: new FakeLog() }),
  });
  const { entries } = warm.resultStore;
  for (const table of Object.keys(filters)) {
    for (const shop of shops) warm.addEntry(`totals.${table}`, { shop });
  }

  return {
    bigquery,
    nowMs: () => clock.nowMs(),
    /** The next run; all results were read shortly before. */
    async run(): Promise<WarmReport> {
      clock.advance(options.intervalMs);
      for (const [key, entry] of entries) {
        entries.set(key, { ...entry, lastReadAtMs: clock.nowMs() - 1000 });
      }
      const answer = await request(warm.server).post('/').send({});
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body as WarmReport;
    },
    /** How many results have which total. */
    totals(): Record<string, number> {
      const found: Record<string, number> = {};
      for (const { body } of entries.values()) {
        const text = gunzipSync(body).toString();
        found[text] = (found[text] ?? 0) + 1;
      }
      return found;
    },
    close: () => bigquery.close(),
  };
}

/** A row of each shop. */
export function aRowEach(shops: readonly string[], amount: number, day: string): object[] {
  return shops.map((shop) => ({ day, shop, amount }));
}
