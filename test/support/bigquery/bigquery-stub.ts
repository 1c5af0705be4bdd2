// A BigQuery for the endpoints of `test/sql`: every job takes the same time and returns generated rows.
// Usage: node bigquery-stub.ts LATENCY_MS. It prints its URL. `GET /jobs` returns the number of jobs.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ColumnSchema } from '../../../functions/core/query-runner.ts';
import { columnsOf } from '../../../functions/endpoints/endpoint.ts';
import { KEY_COLUMN } from '../../../functions/results/split-batch.ts';
import { listen } from '../service/listen.ts';
import { testCatalogue } from '../sql/test-sql.ts';

interface InsertBody {
  jobReference: { jobId: string; projectId: string };
  configuration: {
    query: {
      query: string;
      queryParameters: {
        name: string;
        parameterValue: { arrayValues?: { structValues: Record<string, { value: string }> }[] };
      }[];
    };
  };
}

interface StubJob {
  columns: readonly ColumnSchema[];
  /** Undefined for a single query. */
  keys: string[] | undefined;
  doneAtMs: number;
}

/** The body of such a result of tasks.run-stats has 6.7 kB, 1.2 kB with gzip. */
const ROWS_PER_RESULT = 57;

/** The columns of a query, by its text. */
const columnsOfSql = new Map<string, readonly ColumnSchema[]>();
for (const endpoint of testCatalogue().endpoints) {
  const columns = columnsOf(endpoint);
  columnsOfSql.set(endpoint.sql, columns);
  if (endpoint.warming) columnsOfSql.set(endpoint.warming.sql, [KEY_COLUMN, ...columns]);
}

const latencyMs = Number(process.argv[2]);
const jobs = new Map<string, StubJob>();
let jobCount = 0;

const server = createServer((req, res) => void handle(req, res));
server.keepAliveTimeout = 120_000;
// Ends with the process that has started it.
process.stdin.on('end', () => process.exit()).resume();
process.stdout.write(`${await listen(server)}\n`);

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://localhost');
  const jobId = url.pathname.split('/').at(-1) ?? '';
  if (url.pathname === '/jobs') return respond(res, { jobCount });
  if (req.method === 'POST' && jobId === 'jobs') return respond(res, insert(await json(req)));
  if (url.pathname.includes('/queries/')) {
    const job = jobs.get(jobId);
    if (job === undefined) return respond(res, { error: { code: 404, message: jobId } }, 404);
    await delay(Math.max(0, job.doneAtMs - performance.now()));
    return respond(res, page(jobId, job, url.searchParams));
  }
  respond(res, {});
}

function insert(body: unknown): object {
  const { jobReference, configuration } = body as InsertBody;
  const { query, queryParameters } = configuration.query;
  const columns = columnsOfSql.get(query);
  if (columns === undefined) throw new Error(`This is no query of test/sql: ${query}`);
  const batch = queryParameters.find(({ name }) => name === 'keys')?.parameterValue.arrayValues;
  const keys = batch?.map(({ structValues }) => structValues.key?.value ?? '');
  jobCount += 1;
  jobs.set(jobReference.jobId, { columns, keys, doneAtMs: performance.now() + latencyMs });
  return { jobReference, configuration, status: { state: 'RUNNING' } };
}

function page(jobId: string, { columns, keys }: StubJob, search: URLSearchParams): object {
  const first = Number(search.get('pageToken') ?? 0);
  const total = ROWS_PER_RESULT * (keys?.length ?? 1);
  const last = Math.min(total, first + Number(search.get('maxResults')));
  // A job whose last page was read is removed, so that this process does not grow.
  if (last === total) jobs.delete(jobId);
  return {
    jobReference: { jobId },
    jobComplete: true,
    schema: { fields: columns },
    totalRows: String(total),
    totalBytesProcessed: '10485760',
    rows: Array.from({ length: last - first }, (_, index) => {
      const row = first + index;
      const key = keys?.[Math.floor(row / ROWS_PER_RESULT)];
      return { f: columns.map((column, at) => ({ v: valueOf(column, at, row, key) })) };
    }),
    ...(last < total ? { pageToken: String(last) } : {}),
  };
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

function respond(res: ServerResponse, body: object, code = 200): void {
  res.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
