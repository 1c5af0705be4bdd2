// Prevents Google's functions framework from parsing bodies, rewriting URLs and slowing down promises.
import domain from 'node:domain';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A message of the diagnostics channel `http.server.request.start`. */
export interface RequestStart {
  /** Express keeps an `originalUrl` that is there already. */
  request: IncomingMessage & { originalUrl?: string | undefined };
  response: ServerResponse;
  socket: Socket;
  server: Server;
}

/** After a longer body, or a body of unknown length, the connection is closed. */
const KEPT_BODY_BYTES_MAX = 64 * 1024;

/**
 * The framework buffers, inflates and parses the body that these headers announce, up to 1 GB, and answers some
 * addresses itself. Without them the body stays in the stream, where Node drops it. `originalUrl` keeps the address.
 */
export function stripRequest({ request, response, socket }: RequestStart): void {
  const { headers } = request;
  const { 'content-length': length, 'transfer-encoding': transfer, expect } = headers;
  // Only headers that are present are deleted: deleting slows down the object.
  if (length !== undefined) delete headers['content-length'];
  if (transfer !== undefined) delete headers['transfer-encoding'];
  // Otherwise Node would request the body (100), or answer with its own error (417).
  if (expect !== undefined) delete headers.expect;
  request.originalUrl = request.url;
  request.url = '/';
  // A client that waits for a 100 may or may not send its body, so the next request has no known start.
  const isShort = transfer === undefined && expect === undefined;
  if (isShort && Number(length ?? 0) <= KEPT_BODY_BYTES_MAX) return;
  response.shouldKeepAlive = false;
  // Node calls this after an answer with `Connection: close`.
  socket.destroySoon = () => lingeringClose(socket);
}

const LINGER_MS = 2000;
/** The pause after each read, so that the garbage collector keeps up with a flood. */
const READ_PAUSE_MS = 1;

/**
 * Ends our side, then reads and drops what still arrives, for a bounded time. Closing at once would reset the
 * connection, and the client would lose the answer (https://www.rfc-editor.org/rfc/rfc9112#section-9.6).
 */
function lingeringClose(socket: Socket): void {
  socket.end();
  // Without this listener the HTTP parser receives nothing more.
  socket.removeAllListeners('data');
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), READ_PAUSE_MS);
  });
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * The framework runs each request in a domain, for errors that a function does not catch. The first domain makes Node run
 * hooks for each promise, timer and emitter (https://nodejs.org/api/domain.html), which takes longer than a cache hit.
 */
export function withoutDomains(): void {
  const none = { on: () => none, run: (answer: () => void) => answer() };
  domain.create = () => none as unknown as domain.Domain;
}
