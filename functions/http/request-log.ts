// Collects the fields of a request's log line and writes it once the request is answered.
import { randomUUID } from 'node:crypto';
import type { Request } from '@google-cloud/functions-framework';
import { describeError, REASONS, type Reason, type ServiceError } from '../core/errors.ts';
import type { Log } from '../core/services.ts';
import { QueryDataError } from '../core/query-runner.ts';
import type { Entry } from '../core/result-store.ts';
import type { Served } from '../cache/reading.ts';
import { ageSeconds } from '../cache/freshness.ts';
import { traceOf } from './request-headers.ts';

type Texts =
  | 'logging.googleapis.com/trace'
  // `keyId` tells keys of one name apart; `subject`, of a token, is the hash of its `sub`.
  | ('keyName' | 'keyId' | 'subject' | 'endpoint' | 'format' | 'error')
  // Only for a message of `POST /mcp`.
  | 'rpcMethod'
  // Names alone, without those that can be a key (endpoints/parameter-reader.ts).
  | 'unknownParameters'
  // The id in the answer of an INTERNAL error, to find its log line.
  | 'errorId';
type Numbers = 'authenticateMs' | 'ageSeconds' | 'status' | 'durationMs';
/** Of the query that this request ran; `localRowsCut` of any. */
type OfRun = 'jobId' | 'bytesProcessed' | 'bytesBilled' | 'isCacheHit' | 'localRowsCut';

/** The fields contain no parameter values and no keys. A type and not an interface, so that it is a record too. */
export type RequestLine = {
  event: 'request';
  method: string;
  outcome?: Served['outcome'] | 'collapsed';
  reason?: Reason;
} & Partial<Record<Texts, string> & Record<Numbers, number> & Pick<Entry, OfRun>> &
  Served['stepsMs'];

export function startRequestLine(project: string, req: Request): RequestLine {
  const line: RequestLine = { event: 'request', method: req.method };
  const trace = traceOf(project, req.headers);
  if (trace !== undefined) line['logging.googleapis.com/trace'] = trace;
  return line;
}

export function describeServed(line: RequestLine, served: Served, nowMs: number): void {
  line.outcome = served.isCollapsed ? 'collapsed' : served.outcome;
  line.ageSeconds = ageSeconds(served.entry, nowMs);
  if (served.entry.localRowsCut !== undefined) line.localRowsCut = served.entry.localRowsCut;
  Object.assign(line, served.stepsMs);
  if (line.outcome === 'miss' || line.outcome === 'expired') {
    const { jobId, bytesProcessed, bytesBilled, isCacheHit } = served.entry;
    Object.assign(line, { jobId, bytesProcessed, bytesBilled, isCacheHit });
  }
}

/** Adds the error to the line. Returns what callers may see: the id of an INTERNAL error, whose details are only logged. */
export function noteError(line: RequestLine, error: ServiceError): Record<string, string> {
  const { reason } = error;
  const { code } = REASONS[reason];
  line.reason = reason;
  // For an error of the caller the log has only the reason: the message may quote a parameter. A row may be the cause of a
  // failed query, and BigQuery's message comes without the values of parameters.
  if (code >= 500 || code === 429 || error.cause instanceof QueryDataError)
    line.error = describeError(error.cause ?? error);
  if (reason !== 'INTERNAL') return {};
  line.errorId = randomUUID();
  return { errorId: line.errorId };
}

export function writeRequestLine(log: Log, line: RequestLine, status: number, ms: number): void {
  line.status = status;
  line.durationMs = ms;
  const { reason } = line;
  const isRunning = reason === 'QUERY_RUNNING';
  // An error of a tool is part of a 200. A query that goes on is no fault of the service: the caller asks again.
  const code = reason === undefined || isRunning ? status : Math.max(status, REASONS[reason].code);
  const severity = code >= 500 && !isRunning ? 'ERROR' : code >= 400 ? 'WARNING' : 'INFO';
  // Not copied: a copy would take longer than writing the line.
  log.write(severity, `${line.method} ${status}`, line);
}
