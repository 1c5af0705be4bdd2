// A BigQuery for the endpoints of `test/sql`, which returns generated rows as late as its settings say.
// Usage: node bigquery-stub.ts SETTINGS, as JSON. It prints its URL. `POST /control` takes a change and returns the counts.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ColumnSchema } from '../../../functions/core/query-runner.ts';
import { columnsOf } from '../../../functions/endpoints/endpoint.ts';
import { KEY_COLUMN } from '../../../functions/results/split-batch.ts';
import { listen } from '../service/listen.ts';
import { testCatalogue } from '../sql/test-sql.ts';

export interface StubSettings {
  /** The time on the way to BigQuery, and again on the way back, of each call. */
  callMs: number;
  /** The time to create a job, before its insert is answered and it runs. */
  createMs: number;
  /** How long a query runs; null for ever, also beyond its jobTimeoutMs. */
  queryMs: number | null;
  /** With what queries end; null for rows. */
  error: Failure | null;
}

/** For later calls and queries. `end` ends the queries that run, or one job: with rows, or as by hand. */
export type StubChange = Partial<StubSettings> & { end?: { jobId?: string; error?: Failure } };

interface Failure {
  code: number;
  reason: string;
  message: string;
}

interface QueryBody {
  query: string;
  queryParameters: {
    name: string;
    parameterValue: { arrayValues?: { structValues: Record<string, { value: string }> }[] };
  }[];
  requestId?: string;
  jobCreationMode?: string;
  jobTimeoutMs?: string;
}

interface InsertBody {
  jobReference: { jobId: string };
  configuration: { query: QueryBody; jobTimeoutMs?: string };
}

interface Run {
  jobId: string;
  /** Other calls do not find a query without a job. */
  isJob: boolean;
  columns: readonly ColumnSchema[];
  /** Undefined for a single query. */
  keys: string[] | undefined;
  /** Undefined while it runs; null for rows. */
  outcome?: Failure | null;
  done: Promise<void>;
  end: (outcome: Failure | null) => void;
}

/** The body of such a result of tasks.run-stats has 6.7 kB, 1.2 kB with gzip. */
const ROWS_PER_RESULT = 57;
/** The oldest that have ended are forgotten, so that this process does not grow. */
const RUNS_MAX = 1000;
const STOPPED: Failure = { code: 499, reason: 'stopped', message: 'Job execution was cancelled' };
const PATH = /\/(jobs|queries)(?:\/([^/]+)(\/cancel)?)?$/;

/** The columns of a query, by its text. */
const columnsOfSql = new Map<string, readonly ColumnSchema[]>();
for (const endpoint of testCatalogue().endpoints) {
  const columns = columnsOf(endpoint);
  columnsOfSql.set(endpoint.sql, columns);
  if (endpoint.warming) columnsOfSql.set(endpoint.warming.sql, [KEY_COLUMN, ...columns]);
}

const settings: StubSettings = { callMs: 0, createMs: 0, queryMs: 0, error: null };
Object.assign(settings, JSON.parse(process.argv[2] ?? '{}'));
/** By job id. */
const runs = new Map<string, Run>();
/** The calls of each kind, the queries that have run, and those of them that are jobs. */
const counts = { insert: 0, query: 0, results: 0, cancel: 0, get: 0, queries: 0, jobs: 0 };
export type StubCounts = typeof counts & { running: string[] };

const server = createServer((req, res) => void handle(req, res));
server.keepAliveTimeout = 120_000;
// Ends with the process that has started it.
process.stdin.on('end', () => process.exit()).resume();
process.stdout.write(`${await listen(server)}\n`);

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://localhost');
  const body: unknown = req.method === 'POST' ? await json(req).catch(() => undefined) : undefined;
  if (url.pathname === '/control') return respond(res, control(body as StubChange));
  const { callMs } = settings;
  if (callMs > 0) await delay(callMs);
  const answer = await answerOf(url, body);
  if (callMs > 0) await delay(callMs);
  if (!('reason' in answer)) return respond(res, answer);
  respond(res, { error: { ...answer, errors: [answer] } }, answer.code);
}

function control({ end, ...changed }: StubChange): StubCounts {
  Object.assign(settings, changed);
  const isEnded = ({ jobId }: Run): boolean => end !== undefined && (end.jobId ?? jobId) === jobId;
  for (const run of [...runs.values()].filter(isEnded)) run.end(end?.error ?? null);
  const running = [...runs.values()].filter(({ outcome }) => outcome === undefined);
  return { ...counts, running: running.map(({ jobId }) => jobId) };
}

async function answerOf(url: URL, body: unknown): Promise<object | Failure> {
  const [, collection, id, action] = PATH.exec(url.pathname) ?? [];
  if (collection === undefined) return {};
  const isOfQuery = collection === 'queries';
  if (id === undefined) return isOfQuery ? query(body as QueryBody) : insert(body as InsertBody);
  counts[isOfQuery ? 'results' : action ? 'cancel' : 'get'] += 1;
  const run = runs.get(id);
  if (!run?.isJob) return { code: 404, reason: 'notFound', message: `Not found: Job ${id}` };
  if (action) run.end(STOPPED);
  return isOfQuery ? results(run, Object.fromEntries(url.searchParams)) : jobOf(run);
}

/** A repeat gets the same job, unlike 409 of BigQuery, so that an answer that a proxy spoils can be repeated. */
async function insert({ jobReference, configuration }: InsertBody): Promise<object | Failure> {
  counts.insert += 1;
  const { jobId } = jobReference;
  if (settings.createMs > 0) await delay(settings.createMs);
  const given = { ...configuration, ...configuration.query };
  return jobOf(asJob(runs.get(jobId) ?? start(jobId, given)));
}

/** A repeat with the same requestId gets the same run. */
async function query(body: QueryBody): Promise<object | Failure> {
  counts.query += 1;
  const jobId = `job_${body.requestId ?? counts.query}`;
  const run = runs.get(jobId) ?? start(jobId, body);
  const answer = await results(run, { ...body });
  const isShort = run.outcome !== undefined && !('pageToken' in answer);
  if (!isShort || body.jobCreationMode !== 'JOB_CREATION_OPTIONAL') asJob(run);
  if ('reason' in answer) return answer;
  const ofQuery = { queryId: jobId, totalBytesBilled: '10485760' };
  return { ...answer, ...ofQuery, ...(run.isJob ? {} : { jobReference: undefined }) };
}

function start(jobId: string, { query: sql, queryParameters, jobTimeoutMs }: QueryBody): Run {
  const columns = columnsOfSql.get(sql);
  if (columns === undefined) throw new Error(`This is no query of test/sql: ${sql}`);
  const batch = queryParameters.find(({ name }) => name === 'keys')?.parameterValue.arrayValues;
  const keys = batch?.map(({ structValues }) => structValues.key?.value ?? '');
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const end: Run['end'] = (outcome) => {
    if (run.outcome === undefined) run.outcome = outcome;
    resolve();
  };
  const run: Run = { jobId, isJob: false, columns, keys, done, end };
  runs.set(jobId, run);
  counts.queries += 1;
  for (const [old, { outcome }] of runs) {
    if (runs.size <= RUNS_MAX) break;
    if (outcome !== undefined) runs.delete(old);
  }
  const { queryMs, error } = settings;
  const timeoutMs = Number(jobTimeoutMs ?? Infinity);
  if (queryMs === 0) end(error);
  else if (queryMs !== null && queryMs <= timeoutMs) setTimeout(end, queryMs, error);
  else if (queryMs !== null) setTimeout(end, timeoutMs, STOPPED);
  return run;
}

function asJob(run: Run): Run {
  if (!run.isJob) counts.jobs += 1;
  run.isJob = true;
  return run;
}

function jobOf({ jobId, outcome }: Run) {
  const status = {
    state: outcome === undefined ? 'RUNNING' : 'DONE',
    ...(outcome ? { errorResult: outcome } : {}),
  };
  return { jobReference: { jobId }, status };
}

async function results(run: Run, asked: Record<string, unknown>): Promise<object | Failure> {
  const { jobId, columns, keys, done } = run;
  const waitMs = Number(asked.timeoutMs ?? 10_000);
  await Promise.race([done, ...(run.outcome === undefined ? [delay(waitMs)] : [])]);
  if (run.outcome) return run.outcome;
  const jobReference = { jobId };
  if (run.outcome === undefined) return { jobReference, jobComplete: false };
  const first = Number(asked.pageToken ?? 0);
  const total = ROWS_PER_RESULT * (keys?.length ?? 1);
  const last = Math.min(total, first + Number(asked.maxResults ?? total));
  return {
    jobReference,
    jobComplete: true,
    schema: { fields: columns },
    totalRows: String(total),
    totalBytesProcessed: '10485760',
    cacheHit: false,
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
