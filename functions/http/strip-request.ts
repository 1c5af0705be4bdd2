// Hides a request's body and URL from Google's functions framework, which would parse one and route by the other.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingeringClose } from './lingering-close.ts';

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
 * The framework buffers, inflates and parses the body that these headers announce, up to 1 GB, and
 * answers some addresses itself. Without them it does neither: the body stays in the stream, where
 * Node drops it after the answer. `originalUrl` keeps the address.
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
