// Computes one cache entry by `query.sql`. Warming computes many in one job: warming/compute-batch.ts.
import { ServiceError } from '../core/errors.ts';
import { isAbsent } from '../core/parameter-type.ts';
import {
  type QueryCause,
  QueryDataError,
  type QueryOutcome,
  type QueryRequest,
  isTextOf,
} from '../core/query-runner.ts';
import type { Entry, Reader, SourceState } from '../core/result-store.ts';
import type { Uses } from '../core/services.ts';
import { type Endpoint, columnsOf, isWarmed, typesOf } from '../endpoints/endpoint.ts';
import { type CanonicalParameters, valuesIn } from '../endpoints/parameters.ts';
import { type ResultBody, createResultBody } from './result-body.ts';

export interface EntryOrigin extends QueryCause {
  endpoint: Endpoint;
  parameters: CanonicalParameters;
  readers: readonly Reader[];
  /** The state of the tables, asked for before the query starts and never after. */
  tableState?: SourceState | undefined;
}

export type QueryTerms = Pick<
  QueryRequest,
  'key' | 'deadlineMs' | 'asJob' | 'lasting' | 'reserve' | 'onBilled'
> & {
  /** When a query that lasts was started. */
  startedAtMs?: number | undefined;
};

export type ComputeDeps = Uses<'queryRunner' | 'clock' | 'maxResultMib'>;

/** Rows that are there within this time of joining a query were there before: nothing is known of its duration. */
const JOINED_MS = 1000;
const MIB = 1024 * 1024;

/** Runs the query of an endpoint; rejects with the errors of the query runner, for a request with what its caller is told. */
export async function computeEntry(
  { queryRunner, clock, maxResultMib }: ComputeDeps,
  request: EntryOrigin & QueryTerms,
): Promise<Entry> {
  const { endpoint, parameters } = request;
  // Taken before the query starts, so the rows are at least as new.
  const beganMs = clock.nowMs();
  const { startedAtMs: computedAtMs = beganMs } = request;
  const body = createResultBody(bodyBytesMax(maxResultMib));
  const run = queryRunner.run({
    ...request,
    endpoint: endpoint.name,
    sql: endpoint.sql,
    types: typesOf(endpoint),
    columns: columnsOf(endpoint),
    rowCountMax: endpoint.maxRows,
    maxBytesBilled: endpoint.maxBytesBilled,
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
  const runMs = isOfEarlier ? undefined : Math.max(0, Math.round(endedMs - computedAtMs));
  return toEntry(request, body, { ...outcome, runMs }, { computedAtMs, lastReadAtMs });
}

/**
 * INVALID_PARAMETERS with the names of the parameters that the call sent; the error itself if it is about something else, or
 * if the call sent none. BigQuery's message is not for callers, because it may quote a row.
 */
function asToldToCaller(
  error: unknown,
  endpoint: Endpoint,
  parameters: CanonicalParameters,
): unknown {
  if (!(error instanceof QueryDataError)) return error;
  const { message: text } = error;
  const isOwn = isTextOf(endpoint.sql, text);
  const defaults = valuesIn(endpoint, 'default');
  const isSent = (name: string): boolean => {
    const value = parameters[name] ?? null;
    return !isAbsent(value) && JSON.stringify(value) !== JSON.stringify(defaults[name]);
  };
  const sent = [...endpoint.rules.keys()].filter(isSent).join(', ');
  if (sent === '' || !(isOwn || error.isOfValues)) return error;
  const message = isOwn
    ? `The query refuses this call, which sent ${sent}: ${text.replace(/\.$/, '')}.`
    : `The query fails on a value. This call sent ${sent}: change these values, or add a parameter that is missing. If it fails with all values, a row of the tables is the cause.`;
  return new ServiceError('INVALID_PARAMETERS', message, { cause: error });
}

/** Twice the bound on a result as BigQuery sends it, because of the names of its columns. */
export function bodyBytesMax(maxResultMib: number): number {
  return 2 * maxResultMib * MIB;
}

/** The same rows give the same entry, byte for byte, whether missed or warmed. */
export async function toEntry(
  { endpoint, parameters, readers, tableState }: Omit<EntryOrigin, 'cause'>,
  body: ResultBody,
  outcome: QueryOutcome & Pick<Entry, 'runMs'>,
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
    sources: isCut && tableState ? { ...tableState, restDigest: undefined } : tableState,
    freshUntilMs: computedAtMs + endpoint.cachingSeconds * 1000,
    lastReadAtMs,
    readers: [...readers],
  };
}
