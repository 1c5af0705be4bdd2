// Measures what a day of warming reads of logs that get rows all the time, if each run asks only for what has changed.
import { SETTINGS } from '../../functions/config.ts';
import { costUsd } from '../../functions/core/query-runner.ts';
import { createBigQueryRest, createDescribeTable } from '../../functions/bigquery/rest.ts';
import { sourceState } from '../../functions/cache/source-state.ts';
import { createAsk } from '../../functions/warming/ask-tables.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import { checkCatalogue } from '../../scripts/check/check-endpoint.ts';
import { createLocalBigQuery, startGoogleSql } from '../../scripts/local-bigquery/index.ts';
import {
  createLocalBigQueryClient,
  createLocalQueryRunner,
  tablesOf,
} from '../support/bigquery/local-bigquery.ts';
import { ControlledClock } from '../support/clock.ts';
import { FakeLog } from '../support/fakes/fake-log.ts';
import { TEST_CONFIG } from '../support/service/config.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { type Own, owning } from '../support/program.ts';
import { createWarmServer } from '../support/world.ts';
import { type Bench, expectDone } from './bench-setup.ts';
import { type Findings, round } from './table.ts';
import { flush, streamRows } from '../support/bigquery/changed-rows.ts';

type Partition = 'DAY' | 'HOUR';

const FROM_MS = Date.parse('2026-11-20');
const INTERVAL_MS = 300_000;
const RUNS_OF_A_DAY = 86_400_000 / INTERVAL_MS;
/** How many results are kept warm. They stand for 1,000, since a job reads the same for up to 1,000 of them. */
const RESULTS = 180;
/** In each run a twentieth is new, in place of others of this half; the rest is always read. */
const [NEW, VISITED] = [9, 90];
const PROJECTS_WITH_ROWS = 20;
/** What a table is taken to hold of each day; what the local BigQuery counts is scaled to it. */
const TABLE_BYTES = 1e9;

/** Both tables; the columns that the queries read have the same size in them. */
const METADATA: Record<string, (project: string) => object> = {
  edge_logs: (project) => ({ request: [{ url: `https://${project}/`, path: '/rest/v1' }] }),
  function_relay_logs: (project) => ({
    ...{ project_ref: project, function_id: 'f', execution_time_ms: 5 },
    response: [{ status_code: 200 }],
  }),
};
const NAMES = Object.keys(METADATA);

export async function measureIncremental(bench: Bench): Promise<Findings> {
  const partitions: readonly Partition[] = bench.isSmall ? ['HOUR'] : ['DAY', 'HOUR'];
  // Only bytes are measured, so both may run at once.
  const days = await owning((own) =>
    Promise.all(partitions.map((partition) => bytesOfADay(bench, partition, own))),
  );
  const figures: Findings['figures'] = {};
  const rows = days.map(({ partition, jobs, changes, full, question, ofGroups }) => {
    const sum = changes + full + question;
    figures[`incremental.${partition.toLowerCase()}.ratio`] = ofGroups / sum;
    const bytes = [changes, full, question].map(gb);
    return [partition, jobs, ...bytes, usd(sum), gb(ofGroups), usd(ofGroups)];
  });
  return {
    title: 'A day of warming up to 1,000 results of two tables that get 1 GB a day each',
    columns: [
      ...['partitions', 'jobs', 'GB of changes', 'in full', 'question', 'US$'],
      ...['GB of a job for each group', 'US$'],
    ],
    ...{ rows, figures },
  };
}

const gb = (bytes: number) => round(bytes / 1e9);
const usd = (bytes: number) => round(costUsd(bytes, Number(SETTINGS.pricePerTib.default)));

async function bytesOfADay(bench: Bench, partition: Partition, own: Own) {
  const runs = bench.isSmall ? 3 : RUNS_OF_A_DAY;
  const warming = await startWarmedLogs(partition, own);
  const total = { jobs: 0, live: 0, changes: 0, full: 0, question: 0, ofGroups: 0 };
  const scale = TABLE_BYTES / (await warming.bytesOfDay('2026-11-15'));
  // Reads everything, and is not counted.
  await warming.run(0);
  for (let run = 1; run <= runs; run += 1) {
    const report = await warming.run(run);
    total.jobs += report.jobs;
    total.live += report.refreshed + report.skipped;
    total.changes += report.incrementalBytes * scale;
    total.full += (report.bytesProcessed - report.incrementalBytes) * scale;
    total.question += report.questionBytes;
    total.ofGroups += (await warming.bytesOfGroups()) * scale;
    if (run % 48 === 0) bench.say(`  Partitions by ${partition}: ${run / 12} h`);
  }
  expectDone({
    'jobs of warming': [total.jobs, 2 * runs],
    'results that are live': [total.live, RESULTS * runs],
  });
  if (!(total.changes > 0 && total.question > 0)) throw new Error('No run has read changes.');
  return { partition, ...total };
}

/** Both shipped endpoints over logs that get rows all the time, on the local BigQuery with results in memory. */
async function startWarmedLogs(partition: Partition, own: Own) {
  const tree = new FakeSqlTree('sql');
  for (const name of NAMES) {
    const path = `sources/${name}/table.json`;
    tree.write(path, tree.read(path).replace(/"type": "\w+"/, `"type": "${partition}"`));
  }
  const close = (thing: { close: () => unknown }) => thing.close();
  const engine = own(await startGoogleSql(), close);
  const catalogue = await checkCatalogue(engine, tree.directory);
  const before = Array.from({ length: 10 * RUNS_OF_A_DAY }, (_, index) => -1 - index).reverse();
  const rows = Object.fromEntries(
    NAMES.map((name) => [name, before.map((run) => rowOf(name, run))]),
  );
  const tables = await tablesOf(tree.directory, rows);
  tree.remove();
  const clock = new ControlledClock(new Date(FROM_MS).toISOString());
  const bigquery = own(await createLocalBigQuery({ engine, tables, clock }), close);
  const client = createLocalBigQueryClient(bigquery.url);
  const queryRunner = createLocalQueryRunner(bigquery.url, clock);
  const describeTable = createDescribeTable(createBigQueryRest(client), clock);
  const ask = createAsk({ queryRunner, describeTable, clock, log: new FakeLog() });
  const warm = createWarmServer({ catalogue, clock, queryRunner, ask });
  const { entries } = warm.resultStore;
  const groups = catalogue.endpoints
    .filter((endpoint) => endpoint.incremental !== undefined)
    .flatMap((endpoint) =>
      (endpoint.parameters.interval?.enum ?? []).map((interval) => ({ endpoint, interval })),
    );
  const keys: string[] = [];

  /** Shortly before a run, a miss stores a result, here with the rows of the one that it takes the place of. */
  function miss(index: number, run: number): void {
    const { endpoint, interval } = groups[index % groups.length] as (typeof groups)[number];
    const query = `project=${projectOf(index, run)}&interval=${interval}`;
    const parameters = parseParameters(endpoint, query) as Record<string, string>;
    const replaced = entries.get(keys[index] ?? '');
    entries.delete(keys[index] ?? '');
    keys[index] = warm.addEntry(endpoint.name, parameters, {
      ...{ ...replaced, parameters },
      computedAtMs: clock.nowMs() - (replaced ? Math.random() : 1) * INTERVAL_MS,
      sources: sourceState(endpoint, warm.refreshStore.findings.sources, TEST_CONFIG),
    });
  }

  async function dryRun(query: string, params: object = {}): Promise<number> {
    const defaultDataset = { datasetId: TEST_CONFIG.dataset };
    const job = await client.createQueryJob({ query, params, defaultDataset, dryRun: true });
    return Number(job[1].statistics?.totalBytesProcessed);
  }

  return {
    /** All results were read shortly before; run 0 knows nothing of them. Each run finds rows that have left the streaming buffer, and new ones in it. */
    async run(run: number): Promise<WarmReport> {
      clock.advance(FROM_MS + run * INTERVAL_MS - clock.nowMs());
      for (const name of NAMES) {
        flush(bigquery, name);
        await streamRows(bigquery, name, [rowOf(name, run)]);
      }
      const [count, of] = run === 0 ? [RESULTS, RESULTS] : [NEW, VISITED];
      for (let each = 0; each < count; each += 1) miss((run * count + each) % of, run);
      for (const entry of entries.values()) entry.lastReadAtMs = clock.nowMs() - 1000;
      return warm.run();
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
    /** What all queries together read of the rows of this day of one table, which is over. */
    bytesOfDay: (day: string): Promise<number> =>
      dryRun(
        `SELECT timestamp, metadata FROM edge_logs WHERE timestamp >= '${day}' AND timestamp < TIMESTAMP_ADD('${day}', INTERVAL 1 DAY)`,
      ),
  };
}

/** As many rows as there are runs: one in the middle of each interval. */
function rowOf(table: string, run: number): object {
  const timestamp = new Date(FROM_MS + (run - 0.5) * INTERVAL_MS).toISOString();
  const project = projectOf(RESULTS - 1 - (Math.abs(run) % PROJECTS_WITH_ROWS), 0);
  return { id: 'a', timestamp, metadata: [METADATA[table]?.(project)] };
}

function projectOf(index: number, run: number): string {
  return `project-${index}-${run}`.padEnd(20, '-');
}
