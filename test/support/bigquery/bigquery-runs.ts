// The queries of a BigQuery that a test makes up: it starts, repeats, pages, bills and cancels them as BigQuery does, for a server
// or for calls within this process.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { systemClock } from '../../../functions/clock.ts';
import type { Clock } from '../../../functions/core/clock.ts';
import type { RestCall } from '../../../functions/bigquery/rest.ts';
import type { ColumnSchema, WireRow } from '../../../functions/core/query-runner.ts';

export interface Failure {
  code: number;
  reason: string;
  message: string;
}

export const failure = (code: number, reason: string, message = reason): Failure => ({
  ...{ code, reason, message },
});

interface QueryBody {
  query: string;
  queryParameters: {
    name: string;
    parameterValue: {
      value?: string;
      arrayValues?: { structValues: Record<string, { value: string }> }[];
    };
  }[];
  requestId?: string;
  jobCreationMode?: string;
  jobTimeoutMs?: string;
  labels?: Record<string, string>;
}

interface InsertBody {
  jobReference: { jobId: string };
  configuration: Pick<QueryBody, 'jobTimeoutMs' | 'labels'> & {
    query: QueryBody;
    dryRun?: boolean;
  };
}

export interface Run {
  jobId: string;
  /** Other calls do not find a query without a job. */
  isJob: boolean;
  sql: string;
  /** Of the parameters that are no arrays. */
  parameters: Record<string, string>;
  /** Of a batch, each with its values; undefined for a single query. */
  keys: Record<string, string>[] | undefined;
  labels: Record<string, string>;
  /** Who has started it. */
  caller: string;
  startedMs: number;
  /** When a call to cancel it came first. */
  cancelledMs?: number;
  /** Whether an answer about it has reached a caller that is alive. */
  isNamed: boolean;
  endedMs?: number;
  /** Undefined while it runs; null for rows. */
  outcome?: Failure | null;
  done: Promise<void>;
  end: (outcome: Failure | null) => void;
}

/** What the queries give, and when. */
export interface Behaviour {
  /** That of the system by default. */
  clock?: Clock;
  /** Each way of a call. */
  callMs: (way: 'there' | 'back') => number;
  /** With what a job is refused. */
  refuse?: () => Failure | undefined;
  /** How long a query runs, null for ever, also beyond its jobTimeoutMs; and with what it ends, null for rows. */
  plan: (run: Run) => { ms: number | null; error: Failure | null };
  columnsOf: (run: Run) => readonly ColumnSchema[];
  rowCountOf: (run: Run) => number;
  rowOf: (run: Run, index: number) => WireRow;
  /** What each query processes, and bills once it has given rows, or also if it fails. */
  bytes: number;
  billsFailures?: boolean;
  /** How long the end of an answer comes after the rest of it. */
  tailMs?: (run: Run) => number;
  /** The oldest runs that have ended are forgotten, so that the process does not grow. */
  runsMax?: number;
}

export type BigQueryRuns = ReturnType<typeof createRuns>;

export const STOPPED = failure(499, 'stopped', 'Job execution was cancelled');
const PATH = /\/(jobs|queries)(?:\/([^/]+)(\/cancel)?)?$/;

export function createRuns(behaviour: Behaviour) {
  const { clock = systemClock, callMs } = behaviour;
  /** By job id, in the order of their starts. */
  const runs = new Map<string, Run>();
  /** The calls, those that insert a job, and the queries that have run. */
  const counts = { calls: 0, insert: 0, queries: 0 };
  return { runs, counts, running, serve, call };

  function running(): Run[] {
    return [...runs.values()].filter(({ outcome }) => outcome === undefined);
  }

  /** A server of these queries, and of what `own` answers. `caller` is who has its address. */
  function serve(caller: string, own: (url: string, body: unknown) => object | void = () => {}) {
    const server = createServer((req, res) => {
      void json(req)
        .catch(() => undefined)
        .then((body) => {
          const answer = own(req.url ?? '', body);
          return answer ? respond(res, answer) : handle(req, res, body, caller);
        });
    });
    server.keepAliveTimeout = 120_000;
    return server;
  }

  async function handle(
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    caller: string,
  ): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const search = Object.fromEntries(searchParams);
    const { run, answer } = await answerOf(pathname, search, body, caller);
    if (run) res.once('finish', () => (run.isNamed = true));
    const tailMs = run && behaviour.tailMs?.(run);
    if (tailMs) {
      const text = JSON.stringify(answer);
      res.setHeader('Content-Type', 'application/json').write(text.slice(0, -100));
      await clock.wait(tailMs);
      return void res.end(text.slice(-100));
    }
    if (!('reason' in answer)) return respond(res, answer);
    respond(res, { error: { ...answer, errors: [answer] } }, answer.code);
  }

  /** In place of the client of an instance. */
  async function call(...[, path, search, body]: Parameters<RestCall>): Promise<unknown> {
    const { answer } = await answerOf(path, search, body, '');
    if (!('reason' in answer)) return answer;
    throw Object.assign(new Error(answer.message), { code: answer.code, errors: [answer] });
  }

  async function answerOf(
    path: string,
    search: Readonly<Record<string, string>>,
    body: unknown,
    caller: string,
  ): Promise<Answered> {
    if (callMs('there') > 0) await clock.wait(callMs('there'));
    const answered = await answerTo(path, search, body, caller);
    if (callMs('back') > 0) await clock.wait(callMs('back'));
    return answered;
  }

  async function answerTo(...asked: Parameters<typeof answerOf>): Promise<Answered> {
    const [path, search, sent, caller] = asked;
    const [, collection, id, action] = PATH.exec(path) ?? [];
    if (collection === undefined) return { answer: {} };
    counts.calls += 1;
    const isOfQuery = collection === 'queries';
    if ((sent as InsertBody | undefined)?.configuration?.dryRun)
      return { answer: { statistics: { totalBytesProcessed: String(behaviour.bytes) } } };
    if (id === undefined && isOfQuery) return query(sent as QueryBody, caller);
    if (id === undefined) return insert(sent as InsertBody, caller);
    const found = runs.get(id);
    if (!found?.isJob) return { answer: failure(404, 'notFound', `Not found: Job ${id}`) };
    if (action) {
      if (found.outcome === undefined) found.cancelledMs ??= clock.nowMs();
      found.end(STOPPED);
    }
    return { run: found, answer: isOfQuery ? await results(found, search) : jobOf(found) };
  }

  /** A repeat gets the same job, unlike 409 of BigQuery, so that an answer that a proxy spoils can be repeated. */
  function insert({ jobReference, configuration }: InsertBody, caller: string): Answered {
    counts.insert += 1;
    const { jobId } = jobReference;
    const refused = runs.has(jobId) ? undefined : behaviour.refuse?.();
    if (refused) return { answer: refused };
    const given = { ...configuration, ...configuration.query };
    const run = runs.get(jobId) ?? start(jobId, given, caller);
    run.isJob = true;
    return { run, answer: jobOf(run) };
  }

  /** A repeat with the same requestId gets the same run. */
  async function query(body: QueryBody, caller: string): Promise<Answered> {
    const jobId = `job_${body.requestId ?? counts.queries}`;
    const run = runs.get(jobId) ?? start(jobId, body, caller);
    const answer = await results(run, { ...body });
    const isShort = run.outcome !== undefined && !('pageToken' in answer);
    run.isJob ||= !isShort || body.jobCreationMode !== 'JOB_CREATION_OPTIONAL';
    if ('reason' in answer) return { run, answer };
    const ofQuery = { queryId: jobId, totalBytesBilled: String(billedOf(run)) };
    return {
      run,
      answer: { ...answer, ...ofQuery, ...(run.isJob ? {} : { jobReference: undefined }) },
    };
  }

  function start(jobId: string, body: QueryBody, caller: string): Run {
    const { queryParameters: given, jobTimeoutMs, labels = {} } = body;
    const batch = given.find(({ name }) => name === 'keys')?.parameterValue.arrayValues;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const end: Run['end'] = (outcome) => {
      if (run.outcome === undefined) Object.assign(run, { outcome, endedMs: clock.nowMs() });
      resolve();
    };
    const run: Run = {
      ...{ jobId, isJob: false, sql: body.query, labels, caller, startedMs: clock.nowMs() },
      parameters: Object.fromEntries(
        given.map(({ name, parameterValue }) => [name, parameterValue.value ?? '']),
      ),
      keys: batch?.map(({ structValues }) =>
        Object.fromEntries(Object.entries(structValues).map(([name, { value }]) => [name, value])),
      ),
      ...{ isNamed: false, done, end },
    };
    runs.set(jobId, run);
    counts.queries += 1;
    for (const [old, { outcome }] of runs) {
      if (runs.size <= (behaviour.runsMax ?? Infinity)) break;
      if (outcome !== undefined) runs.delete(old);
    }
    const { ms, error } = behaviour.plan(run);
    const timeoutMs = Number(jobTimeoutMs ?? Infinity);
    if (ms === 0) end(error);
    else if (ms !== null)
      void clock.wait(Math.min(ms, timeoutMs)).then(() => end(ms <= timeoutMs ? error : STOPPED));
    return run;
  }

  function billedOf(run: Run): number {
    return run.outcome === null || behaviour.billsFailures ? behaviour.bytes : 0;
  }

  function jobOf(run: Run) {
    const { jobId, outcome, labels, startedMs, endedMs } = run;
    const isDone = outcome !== undefined;
    const bytes = String(billedOf(run));
    const query = { totalBytesBilled: bytes, totalBytesProcessed: bytes, cacheHit: false };
    const ended = isDone && { endTime: String(endedMs), totalBytesProcessed: bytes, query };
    return {
      jobReference: { jobId },
      configuration: { labels },
      status: { state: isDone ? 'DONE' : 'RUNNING', ...(outcome && { errorResult: outcome }) },
      statistics: { creationTime: String(startedMs), startTime: String(startedMs), ...ended },
    };
  }

  async function results(run: Run, asked: Record<string, unknown>): Promise<object | Failure> {
    const { jobId } = run;
    const waitMs = Number(asked.timeoutMs ?? 10_000);
    const over = new AbortController();
    const late = run.outcome === undefined ? [clock.wait(waitMs, over.signal)] : [];
    await Promise.race([run.done, ...late]);
    over.abort();
    if (run.outcome) return run.outcome;
    const jobReference = { jobId };
    if (run.outcome === undefined) return { jobReference, jobComplete: false };
    const first = Number(asked.pageToken ?? 0);
    const total = behaviour.rowCountOf(run);
    const last = Math.min(total, first + Number(asked.maxResults ?? total));
    return {
      jobReference,
      jobComplete: true,
      schema: { fields: behaviour.columnsOf(run) },
      totalRows: String(total),
      totalBytesProcessed: String(billedOf(run)),
      cacheHit: false,
      rows: Array.from({ length: last - first }, (_, index) => behaviour.rowOf(run, first + index)),
      ...(last < total ? { pageToken: String(last) } : {}),
    };
  }
}

interface Answered {
  run?: Run;
  answer: object | Failure;
}

function respond(res: ServerResponse, body: object, code = 200): void {
  res.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
