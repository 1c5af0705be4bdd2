// Measures what a day of warming reads of logs that get rows all the time, if each run asks only for what has changed.
import { createBigQueryRest } from '../../functions/google/bigquery-rest.ts';
import { createDescribeTable } from '../../functions/google/table-metadata.ts';
import request from 'supertest';
import { createCatalogue } from '../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { cacheKey } from '../../functions/results/cache-key.ts';
import { sourceState } from '../../functions/results/source-state.ts';
import { createAsk } from '../../functions/warming/question.ts';
import type { WarmReport } from '../../functions/warming/run.ts';
import { checkCatalogue } from '../../scripts/check/check-catalogue.ts';
import {
  type GoogleSql,
  createLocalBigQuery,
  startGoogleSql,
} from '../../scripts/local-bigquery/index.ts';
import { readSources } from '../../scripts/sources/read-sources.ts';
import {
  createLocalBigQueryClient,
  createLocalQueryRunner,
} from '../support/bigquery/local-query-runner.ts';
import { AdvancingClock } from '../support/fakes/advancing-clock.ts';
import { FakeLog } from '../support/fakes/fake-log.ts';
import { TEST_CONFIG } from '../support/service/config.ts';
import { createWarmServer, liveEntry } from '../support/service/warm-server.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import type { Bench } from './bench-setup.ts';
import { type Findings, round } from './table.ts';

type Partition = 'DAY' | 'HOUR';
type Group = { endpoint: Endpoint; interval: string };

const FROM_MS = Date.parse('2026-11-20T00:00:00Z');
const DAY_MS = 86_400_000;
const INTERVAL_MS = 300_000;
const RUNS = DAY_MS / INTERVAL_MS;
const RESULTS = 1000;
/** In each run so many results are new, in place of others of this part; the rest is read all day. */
const NEW = 50;
const VISITED = 500;
/** What a table is taken to hold of each day; what the local BigQuery counts is scaled to it. */
const TABLE_BYTES = 1e9;
const USD_PER_TIB = 6.25;

/** A row of each table. The columns that the queries read have the same size in both. */
const ROWS: Record<string, (project: string) => object> = {
  edge_logs: (project) => ({ request: [{ url: `https://${project}/`, path: '/rest/v1' }] }),
  function_relay_logs: (project) => ({
    ...{ project_ref: project, function_id: 'f', execution_time_ms: 5 },
    response: [{ status_code: 200 }],
  }),
};

export async function measureIncremental(bench: Bench): Promise<Findings> {
  const columns = ['partitions', 'jobs', 'GB of changes', 'GB in full', 'GB of the question'];
  const findings: Findings = {
    title: `A day of warming ${RESULTS} results of tables that get 1 GB a day each`,
    columns: [...columns, 'US$', 'GB of a full job for each group', 'US$', 'for each endpoint'],
    rows: [],
    figures: {},
  };
  for (const partition of ['DAY', 'HOUR'] as const) {
    const { jobs, ...bytes } = await bytesOfADay(bench, partition);
    const { changes, full, question, ofGroups, ofEndpoints } = bytes;
    const sum = changes + full + question;
    findings.rows.push([
      ...[partition, jobs, ...[changes, full, question].map(gb), usd(sum)],
      ...[gb(ofGroups), usd(ofGroups), gb(ofEndpoints)],
    ]);
    findings.figures[`incremental.${partition.toLowerCase()}.ratio`] = ofGroups / sum;
  }
  return findings;
}

const gb = (bytes: number) => round(bytes / 1e9);
const usd = (bytes: number) => round((bytes / 2 ** 40) * USD_PER_TIB);

async function bytesOfADay(bench: Bench, partition: Partition) {
  const engine = await startGoogleSql();
  const warming = await startWarming(engine, partition);
  const total = { jobs: 0, changes: 0, full: 0, question: 0, ofGroups: 0, ofEndpoints: 0 };
  try {
    const scale = TABLE_BYTES / (await warming.bytesOfTable());
    // Nothing is known yet of the tables: this run reads everything.
    await warming.run(0);
    for (let run = 1; run <= RUNS; run += 1) {
      const report = await warming.run(run);
      total.jobs += report.jobs;
      total.changes += report.incrementalBytes * scale;
      total.full += report.fullBytes * scale;
      total.question += report.questionBytes;
      for (const groups of await warming.bytesOfGroups()) {
        total.ofGroups += groups.reduce((sum, bytes) => sum + bytes) * scale;
        total.ofEndpoints += Math.max(...groups) * scale;
      }
      if (run % 48 === 0) bench.say(`  Partitions by ${partition}: ${run / 12} h`);
    }
    return total;
  } finally {
    await warming.close();
    await engine.close();
  }
}

/** The shipped endpoints on the local BigQuery, with results in memory. */
async function startWarming(engine: GoogleSql, partition: Partition) {
  const tree = new FakeSqlTree('sql');
  for (const table of Object.keys(ROWS)) {
    const path = `sources/${table}/table.json`;
    tree.write(path, tree.read(path).replace('"DAY"', `"${partition}"`));
  }
  const { endpoints } = await checkCatalogue(engine, tree.directory);
  const sources = await readSources(`${tree.directory}/sources`);
  tree.remove();
  const clock = new AdvancingClock(FROM_MS - Date.now());
  const tables = sources.map((source) => ({ ...source, rows: rowsOf(source.name) }));
  const bigquery = await createLocalBigQuery({ engine, tables, freshMs: 0, clock });
  const client = createLocalBigQueryClient(bigquery.url);
  const queryRunner = createLocalQueryRunner(bigquery.url, clock);
  const describeTable = createDescribeTable(createBigQueryRest(client), clock);
  const ask = createAsk({ queryRunner, describeTable, clock, log: new FakeLog() });
  const catalogue = createCatalogue(endpoints);
  const warm = createWarmServer({ catalogue, clock, queryRunner, ask });
  const { entries } = warm.resultStore;
  const groups = endpoints.map((endpoint) =>
    (endpoint.parameters.interval?.enum ?? []).map((interval) => ({ endpoint, interval })),
  );
  const keys: string[] = [];

  /** A result as a miss has stored it, with the rows of another one of its group. */
  function put(index: number, project: string): void {
    const nowMs = clock.nowMs();
    const { endpoint, interval } = groups.flat()[index % groups.flat().length] as Group;
    const parameters = parseParameters(endpoint, `project=${project}&interval=${interval}`);
    const before = entries.get(keys[index] ?? '');
    entries.delete(keys[index] ?? '');
    keys[index] = cacheKey(TEST_CONFIG, endpoint, parameters);
    entries.set(keys[index], {
      ...(before ?? liveEntry(endpoint, parameters, 'dashboard', nowMs)),
      ...{ parameters, computedAtMs: nowMs - INTERVAL_MS * Math.random() },
      sources: sourceState(endpoint, warm.refreshStore.states, TEST_CONFIG),
    });
  }

  async function dryRun(query: string, params: object = {}): Promise<number> {
    const [, job] = await client.createQueryJob({ query, params, dryRun: true });
    return Number(job.statistics?.totalBytesProcessed);
  }

  return {
    /** All results were read shortly before it. */
    async run(run: number): Promise<WarmReport> {
      clock.advance(FROM_MS + run * INTERVAL_MS - clock.nowMs());
      for (const table of Object.keys(ROWS)) {
        bigquery.flush(table);
        await bigquery.streamRows(table, [rowOf(table, run)]);
      }
      for (let index = 0; index < (run === 0 ? RESULTS : NEW); index += 1) {
        put((run * NEW + index) % (run === 0 ? RESULTS : VISITED), projectOf(index, run));
      }
      for (const entry of entries.values()) entry.lastReadAtMs = clock.nowMs() - 1000;
      const answer = await request(warm.server).post('/').send({});
      const report = answer.body as WarmReport;
      if (report.refreshed + report.skipped !== RESULTS) throw new Error(answer.text);
      return report;
    },
    /** What a full job for each group would read now: as much as the query of one result. */
    bytesOfGroups: () =>
      Promise.all(
        groups.map((ofEndpoint) =>
          Promise.all(
            ofEndpoint.map(({ endpoint, interval }) =>
              dryRun(endpoint.sql, { project: 'a', function_id: '', interval }),
            ),
          ),
        ),
      ),
    /** Of one day; the same for both tables. */
    async bytesOfTable(): Promise<number> {
      const day = "timestamp >= '2026-11-15' AND timestamp < '2026-11-16'";
      const [first = 0, second] = await Promise.all(
        Object.keys(ROWS).map((table) =>
          dryRun(`SELECT timestamp, metadata FROM logs.${table} WHERE ${day}`),
        ),
      );
      if (first === 0 || first !== second) throw new Error(`${first} and ${second} bytes`);
      return first;
    },
    close: () => bigquery.close(),
  };
}

/** One for each interval of ten days. */
function rowsOf(table: string): object[] {
  return Array.from({ length: 10 * RUNS }, (_, index) => rowOf(table, index - 10 * RUNS));
}

function rowOf(table: string, run: number): object {
  const timestamp = new Date(FROM_MS + (run - 0.5) * INTERVAL_MS).toISOString();
  const metadata = ROWS[table]?.(projectOf(Math.abs(run) % RESULTS, 0));
  return { id: 'a', timestamp, metadata: [metadata] };
}

function projectOf(index: number, run: number): string {
  return `project-${index}-${run}`.padEnd(20, '-');
}
