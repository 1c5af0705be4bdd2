// Takes body and address out of each request before Google's functions framework looks at it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingeringClose } from './lingering-close.ts';

/** A message of the diagnostics channel `http.server.request.start`. */
export interface RequestStart {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  server: Server;
}

/** After a longer body, or one of unknown length, the connection is closed. */
const KEPT_BODY_BYTES_MAX = 64 * 1024;

/**
 * The framework buffers, inflates and parses what these headers announce, up to 1 GB, and answers
 * some addresses itself. Without them it does neither: the body stays in the stream, where Node
 * drops it after the answer, and `originalUrl` holds the address, which Express leaves as it is.
 */
export function stripRequest({ request, response, socket }: RequestStart): void {
  const { headers } = request;
  const { 'content-length': length, 'transfer-encoding': transfer, expect } = headers;
  // Each only where it is there: an object that has lost a property is slower.
  if (length !== undefined) delete headers['content-length'];
  if (transfer !== undefined) delete headers['transfer-encoding'];
  // Node would invite the body (100), or answer in its own words (417).
  if (expect !== undefined) delete headers.expect;
  (request as { originalUrl?: string | undefined }).originalUrl = request.url;
  request.url = '/';
  // A client that waits for a 100 may or may not send its body: nobody knows where the next request begins.
  const isShort = transfer === undefined && expect === undefined;
  if (isShort && Number(length ?? 0) <= KEPT_BODY_BYTES_MAX) return;
  response.shouldKeepAlive = false;
  // What Node calls after an answer with `Connection: close`.
  socket.destroySoon = () => lingeringClose(socket);
}
