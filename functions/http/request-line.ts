// The log line of a request: what is known of it when it has been answered.
import type { Request } from '@google-cloud/functions-framework';
import type { Log } from '../core/log.ts';
import type { Served } from '../results/read-through.ts';
import { ageSeconds } from '../results/freshness.ts';
import { traceOf } from './trace.ts';

/** No value of a parameter, and no key. */
export interface RequestLine {
  event: 'request';
  method: string;
  'logging.googleapis.com/trace'?: string;
  keyName?: string;
  authenticateMs?: number;
  endpoint?: string;
  format?: string;
  /** Where the rows came from. */
  outcome?: Served['outcome'] | 'collapsed';
  ageSeconds?: number;
  storeReadMs?: number;
  queryMs?: number;
  storeWriteMs?: number;
  /** Of the job that this request has run. */
  jobId?: string;
  bytesProcessed?: number;
  reason?: string;
  error?: string;
  /** Leads from the answer of an INTERNAL error to its line. */
  errorId?: string;
  status?: number;
  durationMs?: number;
}

export function startRequestLine(project: string, req: Request): RequestLine {
  const line: RequestLine = { event: 'request', method: req.method };
  const trace = traceOf(project, req.headers);
  if (trace !== undefined) line['logging.googleapis.com/trace'] = trace;
  return line;
}

export function describeServed(line: RequestLine, served: Served, nowMs: number): void {
  line.outcome = served.isCollapsed ? 'collapsed' : served.outcome;
  line.ageSeconds = ageSeconds(served.entry, nowMs);
  Object.assign(line, served.stepsMs);
  if (line.outcome === 'miss' || line.outcome === 'expired') {
    line.jobId = served.entry.jobId;
    line.bytesProcessed = served.entry.bytesProcessed;
  }
}

export function writeRequestLine(
  log: Log,
  line: RequestLine,
  status: number,
  durationMs: number,
): void {
  line.status = status;
  line.durationMs = durationMs;
  const severity = status >= 500 ? 'ERROR' : status >= 400 ? 'WARNING' : 'INFO';
  // A copy would cost a hit more than the line.
  log.write(severity, `${line.method} ${status}`, line as unknown as Record<string, unknown>);
}
