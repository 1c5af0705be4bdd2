// An HTTP proxy in front of the local BigQuery, with faults that a test sets.
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { ColumnSchema, WireRow } from '../../../functions/core/query-runner.ts';
import { undo } from '../undo.ts';

export interface BigQueryCall {
  /** What the call is for. */
  kind: 'insert' | 'results' | 'cancel' | 'other';
  jobId: string;
  url: string;
  body: unknown;
  /** The access token. */
  token: string | undefined;
}

/** BigQuery's answer with rows; the answer to an insert has only the first of these fields. */
export interface ResultsAnswer {
  jobReference: object;
  jobComplete: boolean;
  schema: { fields: ColumnSchema[] };
  rows: WireRow[];
  totalRows: string;
  pageToken?: string;
}

/** An answer that BigQuery would not give. */
export interface OddAnswer {
  status?: number;
  /** `application/json` by default. */
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/**
 * The outcome of one call: it passes; gets an error of BigQuery's shape; is cut before, after or during
 * BigQuery's answer; is never answered; is late, by a time or until a promise resolves; gets "not complete yet", at once or late; gets endless
 * headers or an endless body, or any other answer; or the body or headers of BigQuery's answer are changed.
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
  | { answer: OddAnswer }
  /** A Buffer is sent unchanged, any other value as JSON. */
  | { edit: (answer: ResultsAnswer) => unknown; headers?: Record<string, string> }
  | { delayMs: number }
  | { until: Promise<unknown> }
  | { unfinishedAfterMs: number }
  | { code: number; reason: string; message?: string };

export interface BigQueryProxy {
  url: string;
  /** Every call since the start, in order. */
  readonly calls: BigQueryCall[];
  /** Decides about every call from now on. */
  fault: (call: BigQueryCall) => BigQueryFault;
  /** Told how long BigQuery itself took for a call. */
  onAnswer: (tookMs: number) => void;
  /** The most rows of a page, instead of the number that the caller requests. */
  pageRows: number | undefined;
  close(): Promise<void>;
}

/** In a test it ends with it. */
export async function startBigQueryProxy(targetUrl: string): Promise<BigQueryProxy> {
  const server = createServer((req, res) => void handle(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  let closed: Promise<void> | undefined;
  const proxy: BigQueryProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    fault: () => 'pass',
    onAnswer: () => undefined,
    pageRows: undefined,
    close: () => (closed ??= close()),
  };
  undo(() => proxy.close());
  return proxy;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
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
      res.writeHead(200, { 'content-type': 'application/json' });
      return void writeForever(res, ' '.repeat(65_536));
    }
    if (typeof fault === 'object' && 'answer' in fault) {
      const { status = 200, headers, body: odd = '' } = fault.answer;
      res.writeHead(status, { 'content-type': 'application/json', ...headers });
      return void res.end(odd);
    }
    if (typeof fault === 'object' && 'unfinishedAfterMs' in fault) {
      await new Promise((resolve) => setTimeout(resolve, fault.unfinishedAfterMs));
      if (res.destroyed) return;
    }
    if (fault === 'unfinished' || (typeof fault === 'object' && 'unfinishedAfterMs' in fault)) {
      return respond(res, 200, {
        jobComplete: false,
        jobReference: { projectId: 'test-project', jobId: call.jobId, location: 'US' },
      });
    }
    if (typeof fault === 'object' && 'reason' in fault) {
      const { code, reason, message = reason } = fault;
      return respond(res, code, { error: { code, message, errors: [{ reason, message }] } });
    }
    if (typeof fault === 'object' && 'delayMs' in fault) {
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
      if (res.destroyed) return;
    }
    if (typeof fault === 'object' && 'until' in fault) {
      await fault.until;
      if (res.destroyed) return;
    }
    const path =
      proxy.pageRows === undefined
        ? req.url
        : req.url?.replace(/maxResults=\d+/, `maxResults=${proxy.pageRows}`);
    const startedMs = Date.now();
    const answer = await fetch(`${targetUrl}${path}`, {
      method: req.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await answer.text();
    proxy.onAnswer(Date.now() - startedMs);
    if (fault === 'cut-after') return void res.destroy();
    if (fault === 'cut-half') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      return void res.write(text.slice(0, text.length / 2), () => res.destroy());
    }
    const edit = typeof fault === 'object' && 'edit' in fault ? fault : undefined;
    const headers = { 'content-type': 'application/json', ...edit?.headers };
    const edited = edit === undefined ? text : edit.edit(JSON.parse(text) as ResultsAnswer);
    const isBytes = typeof edited === 'string' || Buffer.isBuffer(edited);
    res.writeHead(answer.status, headers).end(isBytes ? edited : JSON.stringify(edited));
  }
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
  const jobId = (body as { jobReference?: { jobId?: string } } | undefined)?.jobReference?.jobId;
  return { kind: jobId === undefined ? 'other' : 'insert', jobId: jobId ?? '', ...given };
}

function respond(res: ServerResponse, code: number, body: unknown): void {
  res.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
