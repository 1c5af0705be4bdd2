// A gRPC proxy in front of a Firestore emulator, with faults that a test sets.
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  connect,
  createServer,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { undo } from '../undo.ts';

/**
 * The outcome of one call: it passes, is answered UNAVAILABLE or another status of gRPC, is never answered,
 * or is late.
 */
export type FirestoreFault =
  'pass' | 'unavailable' | 'stall' | { status: number } | { delayMs: number };

/** One call: the gRPC method, such as `Commit` or `BatchGetDocuments`, and what it names. */
export interface FirestoreCall {
  method: string;
  database: string;
  collection: 'apiKeys' | 'results' | 'leases' | 'refreshes' | 'other';
  /** Messages of the answer so far; a query answers one for each document. */
  messages: number;
}

/** A status of gRPC. */
const UNAVAILABLE = 14;

export type FirestoreProxy = Awaited<ReturnType<typeof startFirestoreProxy>>;

/** In a test it ends with it. */
export async function startFirestoreProxy(target = process.env.FIRESTORE_EMULATOR_HOST ?? '') {
  const sessions = new Set<ServerHttp2Session>();
  const stalled = new Set<ServerHttp2Stream>();
  let upstream: ClientHttp2Session | undefined;
  let openCount = 0;
  let lastCloseMs = 0;
  const server = createServer();
  const proxy = {
    host: '',
    /** Every call since the start, in order. */
    calls: [] as FirestoreCall[],
    /** Decides about every call from now on. */
    fault: (_: FirestoreCall): FirestoreFault => 'pass',
    /** Told how long the emulator itself took for a call. */
    onAnswer: (_: number): void => undefined,
    /** Answers UNAVAILABLE to every call that is stalled by now; clients repeat such calls. */
    endStalls: (): void => {
      for (const stream of stalled) respondStatus(stream, UNAVAILABLE);
      stalled.clear();
    },
    /** Resolves once there has been no open call for this time. */
    untilIdle: async (ms: number): Promise<void> => {
      while (openCount > 0 || Date.now() - lastCloseMs < ms) await delay(50);
    },
    close: async (): Promise<void> => {
      if (!server.listening) return;
      // Closed first, so that a client that reconnects does not keep it open.
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      upstream?.destroy();
      await closed;
    },
  };
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => void handle(stream, headers));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  undo(proxy.close);
  return proxy;

  async function handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    openCount += 1;
    stream.on('close', () => {
      openCount -= 1;
      lastCloseMs = Date.now();
    });
    stream.on('error', () => undefined);
    const body = await buffer(stream);
    const call: FirestoreCall = {
      method: String(headers[':path']).split('/').at(-1) ?? '',
      // `projects/PROJECT/databases/DATABASE`
      database: String(headers['google-cloud-resource-prefix']).split('/')[3] ?? '',
      collection: collectionOf(body),
      messages: 0,
    };
    proxy.calls.push(call);
    const fault = proxy.fault(call);
    if (fault === 'stall') {
      stalled.add(stream);
      stream.on('close', () => stalled.delete(stream));
      return;
    }
    if (fault === 'unavailable') return respondStatus(stream, UNAVAILABLE);
    if (typeof fault === 'object' && 'status' in fault) return respondStatus(stream, fault.status);
    if (typeof fault === 'object') await delay(fault.delayMs);
    if (!stream.destroyed) forward(stream, headers, body, call);
  }

  function forward(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    body: Buffer,
    call: FirestoreCall,
  ): void {
    if (upstream === undefined || upstream.destroyed || upstream.closed) {
      upstream = connect(`http://${target}`);
      upstream.on('error', () => undefined);
    }
    const startedMs = Date.now();
    const request = upstream.request({ ...headers, ':authority': target });
    request.on('error', () => stream.destroy());
    request.on('close', () => proxy.onAnswer(Date.now() - startedMs));
    request.on('response', (answer) => {
      if (stream.destroyed) return;
      // An error without a message body is one block of headers (Trailers-Only).
      if (answer['grpc-status'] !== undefined) {
        stream.respond(answer, { endStream: true });
        return;
      }
      let trailers: IncomingHttpHeaders = {};
      request.on('trailers', (sent: IncomingHttpHeaders) => (trailers = sent));
      stream.respond(answer, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      request.on('data', createMessageCounter(call));
      request.pipe(stream);
    });
    request.end(body);
  }
}

/** Each message has a byte of flags and its length in four before it (gRPC over HTTP/2). */
function createMessageCounter(call: FirestoreCall): (chunk: Buffer) => void {
  let rest = Buffer.of();
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      rest = rest.subarray(5 + rest.readUInt32BE(1));
      call.messages += 1;
    }
  };
}

/** A gRPC answer that is an error only is one header block (gRPC over HTTP/2, Trailers-Only). */
function respondStatus(stream: ServerHttp2Stream, status: number): void {
  if (stream.destroyed) return;
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(status),
      'grpc-message': 'injected',
    },
    { endStream: true },
  );
}

/** Document names are plain text in a request. */
function collectionOf(body: Buffer): FirestoreCall['collection'] {
  for (const collection of ['apiKeys', 'results', 'leases', 'refreshes'] as const) {
    if (body.includes(`/documents/${collection}/`)) return collection;
  }
  return 'other';
}
