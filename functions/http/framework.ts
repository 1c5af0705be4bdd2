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

/**
 * The framework buffers, inflates and parses the body that these headers announce, up to 1 GB, and answers some
 * addresses itself. Without them the body stays in the stream, where Node drops it. `originalUrl` keeps the address.
 */
export function stripRequest({ request, response }: RequestStart): void {
  const { headers } = request;
  const { 'content-length': length, 'transfer-encoding': transfer, expect } = headers;
  // Only headers that are present are deleted: deleting slows down the object.
  if (length !== undefined) delete headers['content-length'];
  if (transfer !== undefined) delete headers['transfer-encoding'];
  request.originalUrl = request.url;
  request.url = '/';
  // Otherwise Node would request the body (100), or answer with its own error (417).
  if (expect !== undefined) delete headers.expect;
  // A body without a length may never end. A client that waits for a 100 may or may not send its body.
  if (transfer !== undefined || expect !== undefined) response.shouldKeepAlive = false;
}

/**
 * The framework runs each request in a domain, for errors that a function does not catch. The first domain makes Node run
 * hooks for each promise, timer and emitter (https://nodejs.org/api/domain.html), which takes longer than a cache hit.
 */
export function withoutDomains(): void {
  const none = { on: () => none, run: (answer: () => void) => answer() };
  domain.create = () => none as unknown as domain.Domain;
}
