// The local BigQuery: a server for the part of the v2 REST API that the Node client uses.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject, membersOf } from '../../../functions/core/json.ts';
import { BigQueryError } from './error.ts';
import { type Job, type Jobs, type JobsOptions, createJobs } from './jobs.ts';
import { jobResource, queryResource } from './resources.ts';
import { type EncodedRow, type RowTable, createTableRowEncoder } from '../values/row-encoder.ts';
import { refusalOf } from '../../cli/refuse-pages.ts';
import { statedTables, tableResource } from './table-state.ts';
import { type StoredTable, createTableStore } from './table-store.ts';

export interface LocalTable extends StoredTable {
  /** Rows as `bq extract` writes them, or encoded already. */
  rows?: Iterable<object> | AsyncIterable<EncodedRow>;
}

export interface LocalBigQueryOptions extends Omit<JobsOptions, 'store' | 'dataset'> {
  tables: readonly LocalTable[];
  /** The dataset of the tables without a dataset in their name; like the others it is in the project of each job. */
  dataset?: string;
  /** The most bytes of rows that the engine is given at once; by default what it takes. */
  bytesMax?: number;
}

export type LocalBigQuery = Awaited<ReturnType<typeof createLocalBigQuery>>;

/** Starts the server, which runs until `close`; the caller closes the engine. */
export async function createLocalBigQuery(options: LocalBigQueryOptions) {
  const { engine, tables, dataset = 'logs', bytesMax } = options;
  const nowMs = () => options.clock?.nowMs() ?? Date.now();
  const store = createTableStore(engine, tables, { dataset, nowMs, bytesMax });
  for (const table of tables) {
    if (table.rows !== undefined) await store.append(table.name, encodedRows(table));
  }
  const jobs = createJobs({ ...options, store, dataset });
  const api = createApi(jobs, (project) =>
    statedTables(store.tables, { project, dataset }, store.statesOf),
  );
  const server = createServer((req, res) => {
    const answer = (code: number, body: object): void => {
      res.writeHead(code, { 'content-type': 'application/json; charset=UTF-8' });
      res.end(JSON.stringify(body));
    };
    const refuse = (error: BigQueryError): void => answer(error.code, error.toBody());
    api(req)
      .then((body) => answer(200, body))
      .catch((err: unknown) => refuse(BigQueryError.from(err)))
      .catch(() => res.destroy());
  });
  // Longer than any client keeps an idle connection, so that none is closed during a request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  const encodedFor = (name: string, rows: Iterable<object>) =>
    encoded(rows, store.tables.find((stored) => stored.name === name) ?? { fields: [] });
  return {
    /** For `apiEndpoint` and for BIGQUERY_EMULATOR_HOST: `http://127.0.0.1:<port>`. */
    url: `http://127.0.0.1:${address.port}`,
    /** Adds a table or replaces it; throws what its rows throw, and then nothing has changed. */
    putTable: (table: LocalTable) => store.put(table, encodedRows(table)),
    removeTable: (name: string) => store.remove(name),
    /** Throws `InvalidValueError`, with the path of the field, and then appends nothing. */
    appendRows: (name: string, rows: Iterable<object>) =>
      store.append(name, encodedFor(name, rows)),
    store,
    /** Replaces the rows of all tables, by the names of the tables; those that are not named are empty. */
    async replaceRows(rows: ReadonlyMap<string, readonly EncodedRow[]>): Promise<void> {
      store.clear();
      for (const [name, given] of rows) await store.append(name, given);
    },
    async close(): Promise<void> {
      jobs.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function encodedRows(table: LocalTable) {
  const { rows = [] } = table;
  return Symbol.asyncIterator in rows ? rows : encoded(rows, table);
}

function* encoded(rows: Iterable<object>, table: RowTable): Generator<EncodedRow> {
  const encode = createTableRowEncoder(table);
  for (const row of rows) yield encode(row);
}

/** `/projects/P/jobs/J/cancel`, `/projects/P/datasets/D/tables/T` and what is above them. */
const PATH =
  /^(?:\/bigquery\/v2)?\/projects\/([^/]+)\/(jobs|queries|datasets)(?:\/([^/]+)(?:\/(cancel|tables)(?:\/([^/]+))?)?)?\/?$/;
const LOCATION = 'US';

interface JobReference {
  jobId?: string;
  location?: string;
}
const newId = () => `job_${randomUUID()}`;
const waitMsDefault = 10_000;
const waitMsMax = 200_000;

function createApi(
  jobs: Jobs,
  tablesOf: (project: string) => ReturnType<typeof statedTables>,
): (req: IncomingMessage) => Promise<object> {
  return async (req) => {
    const refusal = refusalOf(req.headers);
    if (refusal !== undefined) throw new BigQueryError('accessDenied', refusal.message);
    const url = new URL(req.url ?? '/', 'http://localhost');
    const [, projectId = '', collection, id = '', action = '', table = ''] = (
      PATH.exec(url.pathname) ?? []
    ).map((part) => part && decodeURIComponent(part));
    const method = `${req.method} ${collection}${id && '/id'}${action && `/${action}`}${table && '/id'}`;
    const location = url.searchParams.get('location') ?? undefined;
    switch (method) {
      case 'POST jobs':
        return await insert(projectId, await jsonBody(req));
      case 'POST queries':
        return await query(projectId, await jsonBody(req));
      case 'GET jobs/id':
        return jobResource(jobs.get(projectId, id, location));
      case 'GET queries/id':
        return await results(jobs.get(projectId, id, location), url.searchParams);
      case 'POST jobs/id/cancel': {
        const job = jobs.get(projectId, id, location);
        const message = 'Job execution was cancelled: User requested cancellation';
        job.stop(new BigQueryError('stopped', message));
        await job.done;
        return { kind: 'bigquery#jobCancelResponse', job: jobResource(job) };
      }
      case 'GET datasets/id/tables/id': {
        const found = tablesOf(projectId).find(
          (one) => one.project === projectId && one.dataset === id && one.table === table,
        );
        if (found) return tableResource(found);
        throw new BigQueryError('notFound', `Not found: Table ${projectId}:${id}.${table}`);
      }
      default:
        throw new BigQueryError('notFound', `Not found: ${req.method} ${url.pathname}`);
    }
  };

  async function insert(projectId: string, body: Record<string, unknown>): Promise<object> {
    const configuration = membersOf(body['configuration']);
    const { jobId = newId(), location = LOCATION }: JobReference = membersOf(body['jobReference']);
    const job = await jobs.insert({
      ...settings(configuration, membersOf(configuration['query'])),
      projectId,
      ...{ jobId, location },
      isJob: true,
      configuration,
    });
    return jobResource(job);
  }

  async function query(projectId: string, body: Record<string, unknown>): Promise<object> {
    const { location = LOCATION }: JobReference = body;
    const maxResults = number(body['maxResults']);
    // A repeat with the same requestId runs again, as it may in BigQuery.
    const job = await jobs.insert({
      ...settings(body, body),
      projectId,
      ...{ jobId: newId(), location },
      isJob: body['jobCreationMode'] !== 'JOB_CREATION_OPTIONAL',
      configuration: { query: body },
    });
    await within(job.done, number(body['timeoutMs']));
    const { rows } = job.outcome && 'rows' in job.outcome ? job.outcome.rows : { rows: [] };
    job.isJob ||= job.outcome === undefined || rows.length > (maxResults ?? Infinity);
    return queryResource('queryResponse', job, { maxResults, startIndex: 0 });
  }
}

async function results(job: Job, search: URLSearchParams): Promise<object> {
  const parameter = (name: string) => search.get(name) ?? undefined;
  const token = parameter('pageToken');
  // A token of this server is the index of the first row of a page.
  const startIndex = Number(token ?? 0);
  if (token !== undefined && !/^\d{1,9}$/.test(token)) {
    throw new BigQueryError('invalid', `Invalid page token "${token}".`);
  }
  const maxResults = number(parameter('maxResults'));
  await within(job.done, number(parameter('timeoutMs')));
  return queryResource('getQueryResultsResponse', job, { maxResults, startIndex });
}

/** Waits for a job for a bounded time; an unfinished job is not an error. */
async function within(done: Promise<void>, waitMs = waitMsDefault): Promise<void> {
  await Promise.race([done, delay(Math.min(waitMs, waitMsMax), undefined, { ref: false })]);
}

async function jsonBody(req: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await json(req).catch(() => undefined);
  if (isObject(body)) return body;
  throw new BigQueryError('parseError', 'Parse Error: the body must be a JSON object');
}

function settings(job: Record<string, unknown>, query: Record<string, unknown>) {
  return {
    dryRun: job['dryRun'] === true,
    timeoutMs: number(job['jobTimeoutMs']) || undefined,
    labels: membersOf(job['labels']),
    query: { ...query, defaultDataset: membersOf(query['defaultDataset']) },
  };
}

/** REST writes int64 as text. */
const number = (value: unknown) => (value === undefined ? undefined : Number(value));
