// An HTTP proxy in front of the local BigQuery that fails as a test tells it to.
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BigQueryCall {
  /** What the call is for. */
  kind: 'insert' | 'results' | 'cancel' | 'other';
  jobId: string;
  url: string;
  body: unknown;
}

/**
 * What becomes of one call: it passes; is answered with an error of BigQuery's shape; is cut before
 * or after it reached BigQuery; is never answered; is late; or is answered "not complete yet", at once or late.
 */
export type BigQueryFault =
  | 'pass'
  | 'cut'
  | 'cut-after'
  | 'stall'
  | 'unfinished'
  | { delayMs: number }
  | { unfinishedAfterMs: number }
  | { code: number; reason: string; message?: string };

export interface BigQueryProxy {
  url: string;
  /** Every call since the start, in order. */
  readonly calls: BigQueryCall[];
  /** Decides about every call from now on. */
  fault: (call: BigQueryCall) => BigQueryFault;
  close(): Promise<void>;
}

export async function startBigQueryProxy(targetUrl: string): Promise<BigQueryProxy> {
  const server = createServer((req, res) => void handle(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: BigQueryProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    fault: () => 'pass',
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
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
    if (typeof fault === 'object') {
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
      if (res.destroyed) return;
    }
    const answer = await fetch(`${targetUrl}${req.url}`, {
      method: req.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await answer.text();
    if (fault === 'cut-after') return void res.destroy();
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }
}

function describeCall(req: IncomingMessage, bytes: Buffer): BigQueryCall {
  const url = req.url ?? '';
  const body: unknown = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
  const results = /\/queries\/([^/?]+)/.exec(url)?.[1];
  if (results !== undefined) return { kind: 'results', jobId: results, url, body };
  const cancelled = /\/jobs\/([^/?]+)\/cancel/.exec(url)?.[1];
  if (cancelled !== undefined) return { kind: 'cancel', jobId: cancelled, url, body };
  const jobId = (body as { jobReference?: { jobId?: string } } | undefined)?.jobReference?.jobId;
  return { kind: jobId === undefined ? 'other' : 'insert', jobId: jobId ?? '', url, body };
}

function respond(res: ServerResponse, code: number, body: unknown): void {
  res.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
