// A BigQuery for the endpoints of `test/sql`, which returns generated rows as late as its settings say.
// Usage: node bigquery-stub.ts SETTINGS, as JSON. It prints its URL. `POST /control` takes a change and returns the counts.
import type { ColumnSchema } from '../../../functions/core/query-runner.ts';
import { columnsOf } from '../../../functions/endpoints/endpoint.ts';
import { KEY_COLUMN } from '../../../functions/warming/compute-batch.ts';
import { listen } from '../service/listen.ts';
import { testCatalogue } from '../sql/test-sql.ts';
import { type Failure, type Run, createRuns } from './bigquery-runs.ts';

export interface StubSettings {
  /** The time on the way to BigQuery, and again on the way back, of each call. */
  callMs: number;
  /** How long a query runs; null for ever, also beyond its jobTimeoutMs. */
  queryMs: number | null;
  /** With what queries end; null for rows. */
  error: Failure | null;
}

/** For later calls and queries. `end` ends the queries that run, or one job: with rows, or as by hand. */
export type StubChange = Partial<StubSettings> & { end?: { jobId?: string; error?: Failure } };

/** The body of such a result of tasks.run-stats has 6.7 kB, 1.2 kB with gzip. */
const ROWS_PER_RESULT = 57;
const BYTES = 10_485_760;

/** The columns of a query, by its text. */
const columnsOfSql = new Map<string, readonly ColumnSchema[]>();
for (const endpoint of testCatalogue().endpoints) {
  const columns = columnsOf(endpoint);
  columnsOfSql.set(endpoint.sql, columns);
  if (endpoint.warming) columnsOfSql.set(endpoint.warming.sql, [KEY_COLUMN, ...columns]);
}

const settings: StubSettings = { callMs: 0, queryMs: 0, error: null };
Object.assign(settings, JSON.parse(process.argv[2] ?? '{}'));
const { runs, counts, running, serve } = createRuns({
  callMs: () => settings.callMs,
  plan: () => ({ ms: settings.queryMs, error: settings.error }),
  columnsOf: columnsOfRun,
  rowCountOf: ({ keys }) => ROWS_PER_RESULT * (keys?.length ?? 1),
  rowOf: (run, row) => {
    const key = run.keys?.[Math.floor(row / ROWS_PER_RESULT)]?.key;
    return { f: columnsOfRun(run).map((column, at) => ({ v: valueOf(column, at, row, key) })) };
  },
  bytes: BYTES,
  runsMax: 1000,
});
export type StubCounts = typeof counts & { running: string[] };

const server = serve('', (url, body) =>
  url === '/control' ? control(body as StubChange) : undefined,
);
// Ends with the process that has started it.
process.stdin.on('end', () => process.exit()).resume();
process.stdout.write(`${await listen(server)}\n`);

function control({ end, ...changed }: StubChange): StubCounts {
  Object.assign(settings, changed);
  const isEnded = ({ jobId }: Run): boolean => end !== undefined && (end.jobId ?? jobId) === jobId;
  for (const run of [...runs.values()].filter(isEnded)) run.end(end?.error ?? null);
  return { ...counts, running: running().map(({ jobId }) => jobId) };
}

function columnsOfRun({ sql }: Run): readonly ColumnSchema[] {
  const columns = columnsOfSql.get(sql);
  if (columns === undefined) throw new Error(`This is no query of test/sql: ${sql}`);
  return columns;
}

/** Figures that differ for each key, and that gzip compresses no better than real ones. */
function valueOf({ name, type }: ColumnSchema, column: number, row: number, key = ''): string {
  if (name === KEY_COLUMN.name) return key;
  const atMs = Date.UTC(2026, 10, 20, row % ROWS_PER_RESULT);
  if (type === 'TIMESTAMP') return String(atMs * 1000);
  if (type === 'DATETIME') return new Date(atMs).toISOString().slice(0, 19);
  const figure = ((row + 1) * 7919 * (column + 3)) % 100_003;
  return type === 'FLOAT64' ? String(figure / 97) : String(figure);
}
