// An HTTP proxy in front of the local BigQuery, with faults that a test sets.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ColumnSchema, WireRow } from '../../../functions/core/query-runner.ts';
import { listen } from '../service/listen.ts';

export interface BigQueryCall {
  /** What the call is for. */
  kind: 'insert' | 'query' | 'results' | 'cancel' | 'other';
  /** Of a jobs.query, which has none, the request id. */
  jobId: string;
  url: string;
  body: unknown;
  /** The access token. */
  token: string | undefined;
}

/** BigQuery's answer with rows; the answer to an insert has only the first of these fields, one without a job lacks it. */
export interface ResultsAnswer {
  jobReference: object;
  jobComplete: boolean;
  schema: { fields: ColumnSchema[] };
  rows: WireRow[];
  totalRows: string;
  pageToken?: string;
}

/** What a fault does, one or two of these; each call may have another one. */
interface FaultDetails {
  /** An answer that BigQuery would not give, `application/json` by default. */
  answer?: { status?: number; headers?: Record<string, string>; body?: string | Buffer };
  /** Changes BigQuery's answer, and its headers. A Buffer is sent unchanged, any other value as JSON. */
  edit?: (answer: ResultsAnswer) => unknown;
  headers?: Record<string, string>;
  /** The address of another BigQuery, which gets the call. */
  target?: string;
  /** The call is late, by a time or until a promise resolves. */
  delayMs?: number;
  until?: Promise<unknown>;
  /** "Not complete yet", late. */
  unfinishedAfterMs?: number;
  /** An error of BigQuery's shape; the message is the reason by default. */
  code?: number;
  reason?: string;
  message?: string;
}

/**
 * The outcome of one call: it passes; is cut before, after or during BigQuery's answer; is never answered; gets
 * "not complete yet", endless headers or an endless body; or what the details say.
 */
export type BigQueryFault =
  | 'pass'
  | 'cut'
  | 'cut-after'
  | 'stall'
  | 'unfinished'
  | 'cut-half'
  | 'endless'
  | 'endless-headers'
  | FaultDetails;

export type BigQueryProxy = Awaited<ReturnType<typeof startBigQueryProxy>>;

const JSON_TYPE = { 'content-type': 'application/json' };

/** In a test it ends with it. */
export async function startBigQueryProxy(targetUrl: string) {
  const server = createServer((req, res) => void handle(req, res));
  const proxy = {
    url: await listen(server),
    /** Every call since the start, in order. */
    calls: [] as BigQueryCall[],
    callsOf: (kind: string) => proxy.calls.filter((call) => call.kind === kind),
    /** Decides about every call from now on. */
    fault: (_: BigQueryCall): BigQueryFault => 'pass',
    /** Told how long BigQuery itself took for a call. */
    onAnswer: (_: number): void => undefined,
    /** The most rows of a page, instead of the number that the caller requests. */
    pageRows: undefined as number | undefined,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req);
    const call = describeCall(req, body);
    proxy.calls.push(call);
    const fault = proxy.fault(call);
    if (fault === 'cut') return void res.destroy();
    if (fault === 'stall') return;
    if (fault === 'endless-headers') {
      res.socket?.write('HTTP/1.1 200 OK\r\n');
      return void writeForever(res.socket as Socket, `x-more: ${'y'.repeat(1000)}\r\n`);
    }
    if (fault === 'endless') {
      res.writeHead(200, JSON_TYPE);
      return void writeForever(res, ' '.repeat(65_536));
    }
    const respond = (answered: string | Buffer, status = 200, headers = {}): void =>
      void res.writeHead(status, { ...JSON_TYPE, ...headers }).end(answered);
    const details = typeof fault === 'object' ? fault : {};
    const { answer: odd, edit, headers, unfinishedAfterMs, code, reason } = details;
    if (odd !== undefined) return respond(odd.body ?? '', odd.status, odd.headers);
    const lateMs = details.delayMs ?? unfinishedAfterMs;
    if (lateMs !== undefined) await delay(lateMs);
    await details.until;
    if (res.destroyed) return;
    const isUnfinished = fault === 'unfinished' || unfinishedAfterMs !== undefined;
    if (isUnfinished && call.kind !== 'query') {
      const jobReference = { projectId: 'test-project', jobId: call.jobId, location: 'US' };
      return respond(JSON.stringify({ jobComplete: false, jobReference }));
    }
    if (reason !== undefined) {
      const { message = reason } = details;
      const error = { code, message, errors: [{ reason, message }] };
      return respond(JSON.stringify({ error }), code);
    }
    const { url = '', method = 'GET' } = req;
    const { pageRows } = proxy;
    const path =
      pageRows === undefined ? url : url.replace(/maxResults=\d+/, `maxResults=${pageRows}`);
    const startedMs = Date.now();
    const sent = call.kind === 'query' ? changedQuery(call.body, pageRows, isUnfinished) : body;
    const answer = await fetch(`${details.target ?? targetUrl}${path}`, {
      method,
      headers: JSON_TYPE,
      ...(body.length > 0 ? { body: sent } : {}),
    });
    const text = await answer.text();
    proxy.onAnswer(Date.now() - startedMs);
    if (fault === 'cut-after') return void res.destroy();
    if (fault === 'cut-half') {
      res.writeHead(200, { ...JSON_TYPE, 'content-length': text.length });
      return void res.write(text.slice(0, text.length / 2), () => res.destroy());
    }
    if (isUnfinished && answer.ok) {
      const { jobReference } = JSON.parse(text) as ResultsAnswer;
      return respond(JSON.stringify({ jobComplete: false, jobReference }));
    }
    const edited = edit === undefined ? text : edit(JSON.parse(text) as ResultsAnswer);
    const isBytes = typeof edited === 'string' || Buffer.isBuffer(edited);
    respond(isBytes ? edited : JSON.stringify(edited), answer.status, headers);
  }
}

/** The body of a jobs.query; BigQuery has a job to go on with if the answer will be "not complete yet". */
function changedQuery(body: unknown, maxResults: number | undefined, isUnfinished: boolean) {
  const asJob = isUnfinished ? { jobCreationMode: 'JOB_CREATION_REQUIRED' } : {};
  return JSON.stringify({ ...(body as object), ...(maxResults ? { maxResults } : {}), ...asJob });
}

/** Resolves when the other side has closed the connection. */
function writeForever(to: Writable, part: string): void {
  to.on('error', () => undefined);
  const next = (): void => {
    if (to.destroyed) return;
    if (to.write(part)) setImmediate(next);
    else to.once('drain', next);
  };
  next();
}

function describeCall(req: IncomingMessage, bytes: Buffer): BigQueryCall {
  const url = req.url ?? '';
  const body: unknown = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
  const [, token] = /^Bearer (.+)$/.exec(req.headers.authorization ?? '') ?? [];
  const given = { url, body, token };
  const results = /\/queries\/([^/?]+)/.exec(url)?.[1];
  if (results !== undefined) return { kind: 'results', jobId: results, ...given };
  const cancelled = /\/jobs\/([^/?]+)\/cancel/.exec(url)?.[1];
  if (cancelled !== undefined) return { kind: 'cancel', jobId: cancelled, ...given };
  const { jobReference, requestId } = (body ?? {}) as {
    jobReference?: { jobId?: string };
    requestId?: string;
  };
  if (/\/queries\/?(\?|$)/.test(url)) return { kind: 'query', jobId: requestId ?? '', ...given };
  const jobId = jobReference?.jobId;
  return { kind: jobId === undefined ? 'other' : 'insert', jobId: jobId ?? '', ...given };
}
