// Computes one cache entry by `query.sql`. Warming computes many in one job: warming/compute-batch.ts.
import type { QueryCause, QueryOutcome, QueryRequest } from '../core/query-runner.ts';
import type { Entry, Reader, SourceState } from '../core/result-store.ts';
import type { Uses } from '../core/services.ts';
import { type Endpoint, columnsOf, isWarmed, typesOf } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import { asToldToCaller } from './failed-query.ts';
import { type ResultBody, createResultBody } from './result-body.ts';

export interface EntryOrigin extends QueryCause {
  endpoint: Endpoint;
  parameters: CanonicalParameters;
  readers: readonly Reader[];
  /** The state of the tables, asked for before the query starts and never after. */
  asked?: SourceState | undefined;
}

export interface QueryTerms extends Pick<
  QueryRequest,
  'deadlineMs' | 'asJob' | 'lasting' | 'reserve' | 'onBilled'
> {
  /** When a query that lasts was started. */
  startedAtMs?: number | undefined;
}

export type ComputeDeps = Uses<'queryRunner' | 'clock' | 'maxResultMib'>;

interface EntryRequest extends ComputeDeps, EntryOrigin, QueryTerms {}

/** Rows that are there within this time of joining a query were there before: nothing is known of its duration. */
const JOINED_MS = 1000;
const MIB = 1024 * 1024;

/** Runs the query of an endpoint; rejects with the errors of the query runner, for a request with what its caller is told. */
export async function computeEntry(request: EntryRequest): Promise<Entry> {
  const { queryRunner, clock, endpoint, parameters } = request;
  // Taken before the query starts, so the rows are at least as new.
  const beganMs = clock.nowMs();
  const { startedAtMs: computedAtMs = beganMs } = request;
  const body = createResultBody(bodyBytesMax(request.maxResultMib));
  const run = queryRunner.run({
    ...termsOf(request),
    sql: endpoint.sql,
    parameters,
    types: typesOf(endpoint),
    columns: columnsOf(endpoint),
    rowCountMax: endpoint.maxRows,
    onPage: ({ schema, rows }) => {
      body.add(schema, rows);
      return body.flush();
    },
  });
  const outcome = await run.catch((error: unknown) => {
    // Its rows may still be compressed, and no budget counts them any more.
    body.abandon();
    throw request.cause === 'miss' ? asToldToCaller(error, endpoint, parameters) : error;
  });
  const endedMs = clock.nowMs();
  const isOfEarlier = endedMs - beganMs <= JOINED_MS && beganMs - computedAtMs > JOINED_MS;
  // Warming lists entries by their last read, so it never finds one of an endpoint that is not warmed.
  const lastReadAtMs = isWarmed(endpoint) ? endedMs : 0;
  const entry = await toEntry(request, body, outcome, { computedAtMs, lastReadAtMs });
  return {
    ...entry,
    runMs: isOfEarlier ? undefined : Math.max(0, Math.round(endedMs - computedAtMs)),
  };
}

/** What a query has of the request for it, whether it computes one entry or many. */
export function termsOf(request: QueryTerms & QueryCause & Pick<EntryOrigin, 'endpoint'>) {
  const { endpoint, cause, key, lasting, reserve, onBilled, deadlineMs, asJob } = request;
  const { name, maxBytesBilled } = endpoint;
  return {
    endpoint: name,
    maxBytesBilled,
    cause,
    key,
    lasting,
    reserve,
    onBilled,
    deadlineMs,
    asJob,
  };
}

/** Twice the bound on a result as BigQuery sends it, because of the names of its columns. */
export function bodyBytesMax(maxResultMib: number): number {
  return 2 * maxResultMib * MIB;
}

/** The same rows give the same entry, byte for byte, whether missed or warmed. */
export async function toEntry(
  { endpoint, parameters, readers, asked }: Omit<EntryOrigin, 'cause'>,
  body: ResultBody,
  outcome: QueryOutcome,
  { computedAtMs, lastReadAtMs }: Pick<Entry, 'computedAtMs' | 'lastReadAtMs'>,
): Promise<Entry> {
  // Rows of a cut result are not kept: those that were cut off may be missing.
  const isCut = outcome.truncated || outcome.localRowsCut !== undefined;
  return {
    ...(await body.end()),
    ...outcome,
    endpointId: endpoint.id,
    endpoint: endpoint.name,
    resultDigest: endpoint.resultDigest,
    parameters,
    computedAtMs,
    sources: isCut && asked ? { ...asked, restDigest: undefined } : asked,
    freshUntilMs: computedAtMs + endpoint.cachingSeconds * 1000,
    lastReadAtMs,
    readers: [...readers],
  };
}
