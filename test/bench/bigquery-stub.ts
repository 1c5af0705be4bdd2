// A BigQuery that takes a fixed time and answers made-up rows; a process of its own.
// Usage: node bigquery-stub.ts LATENCY_MS; prints its URL. `GET /jobs` is how many jobs there were.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

interface InsertBody {
  jobReference: { jobId: string; projectId: string };
  configuration: {
    labels: { endpoint: string };
    query: { queryParameters: { name: string; parameterValue: ParameterValue }[] };
  };
}

interface ParameterValue {
  arrayValues?: { structValues: Record<string, { value: string }> }[];
}

interface StubJob {
  fields: string[];
  /** Undefined for a single query. */
  keys: string[] | undefined;
  doneAtMs: number;
}

/** A day in hours, as both endpoints have it. */
const ROWS_PER_RESULT = 25;
/** The columns of an endpoint, by the label of its jobs. */
const FIELDS: Record<string, string[]> = {
  'functions_invocation-stats': [
    'timestamp TIMESTAMP',
    'min_execution_time FLOAT64',
    'max_execution_time FLOAT64',
    'avg_execution_time FLOAT64',
    'p95_execution_time FLOAT64',
    'p99_execution_time FLOAT64',
    'count INT64',
    'error_count INT64',
  ],
  'usage_api-counts': [
    'timestamp DATETIME',
    'total_rest_requests INT64',
    'total_storage_requests INT64',
    'total_auth_requests INT64',
    'total_realtime_requests INT64',
  ],
};

const latencyMs = Number(process.argv[2]);
const jobs = new Map<string, StubJob>();
let jobCount = 0;

const server = createServer((req, res) => void handle(req, res));
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

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
  const { jobId = randomUUID() } = jobReference;
  const keys = configuration.query.queryParameters.find(({ name }) => name === 'keys');
  const fields = FIELDS[configuration.labels.endpoint];
  if (fields === undefined) throw new Error(`no columns for ${configuration.labels.endpoint}`);
  jobCount += 1;
  jobs.set(jobId, {
    fields,
    keys: keys?.parameterValue.arrayValues?.map(
      ({ structValues }) => structValues.key?.value ?? '',
    ),
    doneAtMs: performance.now() + latencyMs,
  });
  return { jobReference, configuration, status: { state: 'RUNNING' } };
}

function page(jobId: string, { fields, keys }: StubJob, search: URLSearchParams): object {
  const first = Number(search.get('pageToken') ?? 0);
  const total = ROWS_PER_RESULT * (keys?.length ?? 1);
  const last = Math.min(total, first + Number(search.get('maxResults')));
  // What is read is forgotten: it would be this program's own leak.
  if (last === total) jobs.delete(jobId);
  const columns = [...(keys === undefined ? [] : ['key STRING']), ...fields];
  return {
    jobReference: { jobId },
    jobComplete: true,
    schema: {
      fields: columns.map((column) => {
        const [name, type] = column.split(' ');
        return { name, type, mode: 'REQUIRED' };
      }),
    },
    totalRows: String(total),
    totalBytesProcessed: '10485760',
    rows: Array.from({ length: last - first }, (_, index) => ({
      f: valuesOf(first + index, fields, keys).map((v) => ({ v })),
    })),
    ...(last < total ? { pageToken: String(last) } : {}),
  };
}

/** Different for each key, and as hard to compress as real figures. */
function valuesOf(row: number, fields: string[], keys: string[] | undefined): string[] {
  const hour = row % ROWS_PER_RESULT;
  const key = keys?.[Math.floor(row / ROWS_PER_RESULT)];
  const values = fields.map((field, column) => {
    const figure = ((row + 1) * 7919 * (column + 3)) % 100_003;
    const atMs = Date.UTC(2026, 10, 20, hour);
    if (field.endsWith('TIMESTAMP')) return String(atMs * 1000);
    if (field.endsWith('DATETIME')) return new Date(atMs).toISOString().slice(0, 19);
    return field.endsWith('FLOAT64') ? String(figure / 97) : String(figure);
  });
  return key === undefined ? values : [key, ...values];
}

function respond(res: ServerResponse, body: object, code = 200): void {
  res.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
