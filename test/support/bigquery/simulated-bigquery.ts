// A BigQuery in memory, on a controlled clock: its queries take as long as the test says, and can be cancelled, fail or hang.
import type { RestCall } from '../../../functions/bigquery/rest.ts';
import { columnsOf } from '../../../functions/endpoints/endpoint.ts';
import { KEY_COLUMN } from '../../../functions/warming/compute-batch.ts';
import type { FakeClock } from '../clock.ts';
import { testCatalogue } from '../sql/test-sql.ts';

export interface SimulatedQuery {
  id: string;
  sql: string;
  /** The results that it computes, by their `project`; the key of a single one is empty. */
  results: { key: string; project: string }[];
  labels: unknown;
  startedMs: number;
  endsMs: number;
  timeoutMs: number;
  error?: string;
}

type Body = Record<string, unknown>;

/** Of each query. */
const BYTES = String(10 * 1024 * 1024);

/** The rows of tasks.run-stats: one for each key, with the time at which the query was started, its project's first character, and its length. */
export function createSimulatedBigQuery(clock: FakeClock) {
  const queries = new Map<string, SimulatedQuery>();
  const columns = columnsOf(testCatalogue().resolve('tasks.run-stats')!);
  let queryMs = 300;
  let answerMs = 0;
  let isFull = false;
  let hasSentRows = false;

  const isOver = (query: SimulatedQuery): boolean =>
    query.error !== undefined || clock.nowMs() >= Math.min(query.endsMs, query.timeoutMs);
  const running = (): SimulatedQuery[] => [...queries.values()].filter((one) => !isOver(one));

  const call: RestCall = async (...asked) => {
    const answered = await answerTo(...asked);
    if (answerMs > 0) await clock.wait(answerMs);
    return answered;
  };

  const answerTo: RestCall = async (method, path, search, given = {}) => {
    const [, collection, id = '', action] = path.split('/');
    const body = given as Body;
    if ((body.configuration as Body | undefined)?.dryRun)
      return { statistics: { totalBytesProcessed: BYTES } };
    if (method === 'POST' && collection === 'queries') {
      const requestId = body.requestId as string;
      const jobId = `job_${requestId}`;
      const query = queries.get(jobId) ?? start(jobId, body, body);
      await untilOver(query, Number(body.timeoutMs));
      return isOver(query)
        ? answer(query, {})
        : answer(query, { jobReference: { jobId: query.id } });
    }
    if (action === 'cancel') {
      const query = queries.get(id);
      if (query !== undefined && !isOver(query)) query.error = 'stopped';
      return {};
    }
    if (method === 'POST') {
      const { jobId } = body.jobReference as { jobId: string };
      const { query, ...settings } = body.configuration as Body & { query: Body };
      if (queries.has(jobId)) throw apiError(409, 'duplicate');
      if (isFull) throw apiError(403, 'quotaExceeded');
      start(jobId, settings, query);
      return { jobReference: { jobId } };
    }
    const query = queries.get(id);
    if (query === undefined) throw apiError(404, 'notFound', `Not found: Job ${id}`);
    if (collection === 'jobs') {
      const statistics = { query: { totalBytesBilled: BYTES } };
      return { status: { state: isOver(query) ? 'DONE' : 'RUNNING' }, statistics };
    }
    await untilOver(query, Number(search.timeoutMs));
    return answer(query, { jobReference: { jobId: id } });
  };

  return {
    call,
    queries,
    running,
    /** Whether rows were sent since the last call. */
    takeRowsSent(): boolean {
      const had = hasSentRows;
      hasSentRows = false;
      return had;
    },
    /** How long the queries take that are started from now on. */
    takeMs: (ms: number): void => void (queryMs = ms),
    /** How long each answer is on its way. */
    answerAfterMs: (ms: number): void => void (answerMs = ms),
    /** Whether each job is refused. */
    refuseJobs: (isRefused: boolean): void => void (isFull = isRefused),
  };

  function start(id: string, { jobTimeoutMs, labels }: Body, query: Body): SimulatedQuery {
    type Value = { value: string; arrayValues?: { structValues: Record<string, Value> }[] };
    const parameters = query.queryParameters as { name: string; parameterValue: Value }[];
    const valueOf = (name: string) => parameters.find((one) => one.name === name)?.parameterValue;
    const batch = valueOf('keys')?.arrayValues?.map(({ structValues: { key, project } }) => {
      return { key: key!.value, project: project!.value };
    });
    const results = batch ?? [{ key: '', project: valueOf('project')!.value }];
    const startedMs = clock.nowMs();
    const times = { endsMs: startedMs + queryMs, timeoutMs: startedMs + Number(jobTimeoutMs) };
    const started = { id, sql: String(query.query), results, labels, startedMs, ...times };
    queries.set(id, started);
    return started;
  }

  async function untilOver(query: SimulatedQuery, withinMs: number): Promise<void> {
    const untilMs = clock.nowMs() + withinMs;
    while (!isOver(query) && clock.nowMs() < untilMs) await clock.wait(1);
  }

  function answer(query: SimulatedQuery, job: object): object {
    const hasTimedOut = isOver(query) && clock.nowMs() < query.endsMs;
    const reason = query.error ?? (hasTimedOut ? 'stopped' : undefined);
    if (reason !== undefined) throw apiError(reason === 'stopped' ? 499 : 400, reason);
    if (!isOver(query)) return { ...job, jobComplete: false };
    hasSentRows = true;
    const isBatch = query.results[0]?.key !== '';
    const rows = query.results.map(({ key, project }) => {
      const cells = [query.startedMs * 1000, project.charCodeAt(0), 1, query.sql.length];
      return { f: [...(isBatch ? [key] : []), ...cells].map((v) => ({ v: String(v) })) };
    });
    const fields = isBatch ? [KEY_COLUMN, ...columns] : columns;
    const totals = { totalRows: String(rows.length), totalBytesProcessed: BYTES };
    return { ...job, queryId: query.id, jobComplete: true, schema: { fields }, rows, ...totals };
  }
}

function apiError(code: number, reason: string, message = reason): Error {
  return Object.assign(new Error(message), { code, errors: [{ reason, message }] });
}
