// Warming of the shipped endpoints over logs that get rows all the time, on the local BigQuery with results in memory.
import request from 'supertest';
import { createBigQueryRest } from '../../../functions/google/bigquery-rest.ts';
import { createDescribeTable } from '../../../functions/google/table-metadata.ts';
import { cacheKey } from '../../../functions/results/cache-key.ts';
import { sourceState } from '../../../functions/results/source-state.ts';
import { createAsk } from '../../../functions/warming/question.ts';
import type { WarmReport } from '../../../functions/warming/run.ts';
import { checkCatalogue } from '../../../scripts/check/check-endpoint.ts';
import { type GoogleSql, createLocalBigQuery } from '../../../scripts/local-bigquery/index.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { AdvancingClock } from '../fakes/advancing-clock.ts';
import { FakeLog } from '../fakes/fake-log.ts';
import { TEST_CONFIG } from '../service/config.ts';
import { createWarmServer, liveEntry } from '../world.ts';
import { FakeSqlTree } from '../sql/fake-sql-tree.ts';
import { parseParameters } from '../sql/parse-parameters.ts';
import { createLocalBigQueryClient, createLocalQueryRunner } from './local-query-runner.ts';

interface Options {
  /** Of both tables. */
  partition: 'DAY' | 'HOUR';
  /** When run 0 is. */
  fromMs: number;
  /** From one run to the next, and from one row of a table to the next. */
  intervalMs: number;
  /** The rows of a table before the first run. */
  rowCount: number;
  /** How many results are kept warm, spread evenly over all groups: the intervals of both endpoints. */
  results: number;
  /** How many of them are new in each run, in place of others of this part; the rest is always read. */
  new: number;
  visited: number;
}

/** The columns that the queries read have the same size in both tables. */
const METADATA: Record<string, (project: string) => object> = {
  edge_logs: (project) => ({ request: [{ url: `https://${project}/`, path: '/rest/v1' }] }),
  function_relay_logs: (project) => ({
    ...{ project_ref: project, function_id: 'f', execution_time_ms: 5 },
    response: [{ status_code: 200 }],
  }),
};
const PROJECTS_WITH_ROWS = 20;

/** `engine` is not closed with it. */
export async function startWarmedLogs(engine: GoogleSql, options: Options) {
  const { fromMs, intervalMs, results } = options;
  const names = Object.keys(METADATA);
  const tree = new FakeSqlTree('sql');
  for (const name of names) {
    const path = `sources/${name}/table.json`;
    tree.write(path, tree.read(path).replace(/"type": "\w+"/, `"type": "${options.partition}"`));
  }
  const catalogue = await checkCatalogue(engine, tree.directory);
  const sources = await readSources(`${tree.directory}/sources`);
  tree.remove();
  const clock = new AdvancingClock(fromMs - Date.now());
  const rowsBefore = [...Array(options.rowCount).keys()].map((index) => index - options.rowCount);
  const tables = sources.map((source) => ({
    ...source,
    rows: names.includes(source.name) ? rowsBefore.map((run) => rowOf(source.name, run)) : [],
  }));
  const bigquery = await createLocalBigQuery({ engine, tables, clock });
  const client = createLocalBigQueryClient(bigquery.url);
  const queryRunner = createLocalQueryRunner(bigquery.url, clock);
  const describeTable = createDescribeTable(createBigQueryRest(client), clock);
  const ask = createAsk({ queryRunner, describeTable, clock, log: new FakeLog() });
  const warm = createWarmServer({ catalogue, clock, queryRunner, ask });
  const { entries } = warm.resultStore;
  const incremental = catalogue.endpoints.filter((endpoint) => endpoint.incremental !== undefined);
  const groups = incremental.flatMap((endpoint) =>
    (endpoint.parameters.interval?.enum ?? []).map((interval) => ({ endpoint, interval })),
  );
  const keys: string[] = [];

  /** Shortly before run `run`, a miss stores a result, here with the rows of the one that it takes the place of. */
  function miss(index: number, run: number): void {
    const nowMs = clock.nowMs();
    const { endpoint, interval } = groups[index % groups.length] as (typeof groups)[number];
    const project = projectOf(index, run);
    const parameters = parseParameters(endpoint, `project=${project}&interval=${interval}`);
    const before = entries.get(keys[index] ?? '');
    entries.delete(keys[index] ?? '');
    keys[index] = cacheKey(TEST_CONFIG, endpoint, parameters);
    entries.set(keys[index], {
      ...(before ?? liveEntry(endpoint, parameters, 'dashboard', nowMs)),
      parameters,
      computedAtMs: nowMs - (before ? Math.random() : 1) * intervalMs,
      sources: sourceState(endpoint, warm.refreshStore.states, TEST_CONFIG),
    });
  }

  /** As many rows as there are runs: one in the middle of each interval. */
  function rowOf(table: string, run: number): object {
    const timestamp = new Date(fromMs + (run - 0.5) * intervalMs).toISOString();
    const project = projectOf(results - 1 - (Math.abs(run) % PROJECTS_WITH_ROWS), 0);
    return { id: 'a', timestamp, metadata: [METADATA[table]?.(project)] };
  }

  async function dryRun(query: string, params: object = {}): Promise<number> {
    const defaultDataset = { datasetId: TEST_CONFIG.dataset };
    const job = await client.createQueryJob({ query, params, defaultDataset, dryRun: true });
    return Number(job[1].statistics?.totalBytesProcessed);
  }

  return {
    /** All results were read shortly before; run 0 knows nothing of them. Each run finds rows that have left the streaming buffer, and new ones in it. */
    async run(run: number): Promise<WarmReport> {
      clock.advance(fromMs + run * intervalMs - clock.nowMs());
      for (const name of names) {
        bigquery.flush(name);
        await bigquery.streamRows(name, [rowOf(name, run)]);
      }
      const [count, of] = run === 0 ? [results, results] : [options.new, options.visited];
      for (let each = 0; each < count; each += 1) miss((run * count + each) % of, run);
      for (const entry of entries.values()) entry.lastReadAtMs = clock.nowMs() - 1000;
      const answer = await request(warm.server).post('/').send({});
      const report = answer.body as WarmReport;
      if (report.refreshed + report.skipped !== results) throw new Error(answer.text);
      return report;
    },
    /** What `query.sql` would read now for all groups together. */
    async bytesOfGroups(): Promise<number> {
      const bytes = await Promise.all(
        groups.map(({ endpoint, interval }) =>
          dryRun(endpoint.sql, { project: 'a', function_id: '', interval }),
        ),
      );
      return bytes.reduce((sum, one) => sum + one);
    },
    /** What all queries together read of the rows of this day, which is over: the same for both tables. */
    async bytesOfDay(day: string): Promise<number> {
      const where = `timestamp >= '${day}' AND timestamp < TIMESTAMP_ADD('${day}', INTERVAL 1 DAY)`;
      const [first = 0, ...others] = await Promise.all(
        names.map((name) => dryRun(`SELECT timestamp, metadata FROM ${name} WHERE ${where}`)),
      );
      if (first === 0 || others.some((bytes) => bytes !== first)) throw new Error('Rows differ.');
      return first;
    },
    close: () => bigquery.close(),
  };
}

function projectOf(index: number, run: number): string {
  return `project-${index}-${run}`.padEnd(20, '-');
}
