// Answers `POST /mcp` with the official SDK: the only file that uses it, loaded with the first call.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isLegacyRequest,
} from '@modelcontextprotocol/server';
import type { Clock } from '../core/clock.ts';
import { usualError } from '../core/errors.ts';
import { isObject, membersOf } from '../core/json.ts';
import { type Arguments, argumentsOf } from './read-arguments.ts';
import { describeEndpoints } from '../http/describe-endpoints.ts';
import { type Caller, callTool } from './call-tool.ts';
import { parseExact } from '../http/row-formats.ts';
import { toolsOf } from './endpoint-tool.ts';

export interface Call extends Omit<Caller, 'maxBytesBilled'> {
  req: IncomingMessage;
}

export type AnswerMessage = ReturnType<typeof createAnswerMessage>;

const SERVER = { name: 'saved-query-endpoints', title: 'Saved queries', version: '0.2.0' };

const INSTRUCTIONS =
  "Each tool answers a saved question about this team's own data. Answers are cached: the same arguments cost nothing again, " +
  'new ones may run a BigQuery query that is billed. Ask for what you need: fewer rows with "limit", fewer columns with "columns".';

/** A client asks again after this time; what a key may use can change. */
const LIST_SECONDS = 60;
const CACHE_HINT = { ttlMs: LIST_SECONDS * 1000, cacheScope: 'private' as const };

/** Values of a message without the arguments of a tool: far more than clients send. */
const VALUES_MAX = 500;

/** Far more than a message of a client: its arguments are bounded by `QUERY_STRING_LENGTH_MAX`. */
const BODY_BYTES_MAX = 256 * 1024;
/** A body that arrives slowly would occupy one of the concurrent requests of an instance. */
const BODY_SECONDS = 10;

const METHODS = [
  ...['initialize', 'notifications/initialized', 'ping', 'server/discover'],
  ...['tools/list', 'tools/call'],
];

/** `body` is JSON, or empty for a notification. Rejects with BODY_TOO_LARGE, and with other errors where the protocol itself fails. */
export function createAnswerMessage(deps: Pick<Caller, 'maxBytesBilled'> & { clock: Clock }) {
  const { clock } = deps;
  return async (call: Call): Promise<{ status: number; body: string }> => {
    if (!isUtf8Json(call.req.headers)) {
      const message = 'The Content-Type must be application/json, in UTF-8 and not compressed.';
      return refusal(415, -32_000, message);
    }
    const read = new AbortController();
    const late = clock.wait(BODY_SECONDS * 1000, read.signal).then(() => null);
    const body = await Promise.race([readBody(call.req), late]).finally(() => read.abort());
    if (body === null) {
      return refusal(408, -32_600, `The body did not arrive within ${BODY_SECONDS} seconds.`);
    }
    const { message, given } = readMessage(body);
    if (message === undefined || given === undefined) {
      return refusal(400, -32_700, 'The body is not JSON in UTF-8, or it is nested too deeply.');
    }
    if (Array.isArray(message)) {
      return refusal(400, -32_600, 'Batches are not supported: send one message in each request.');
    }
    // The SDK names each value that is wrong, which takes seconds and answers megabytes.
    if (isOverValues(message)) {
      return refusal(400, -32_600, `The message has more than ${VALUES_MAX} values.`);
    }
    const { id, method } = membersOf(message);
    call.line.rpcMethod = METHODS.find((known) => known === method) ?? 'other';
    // The SDK would answer with a stream that stays open, and would never send anything on it.
    if (method === 'subscriptions/listen') {
      return refusal(404, -32_601, 'Method not found', typeof id === 'object' ? null : id);
    }
    const maxBytesBilled = call.key.token === undefined ? deps.maxBytesBilled : undefined;
    return serve(message, given, { ...call, maxBytesBilled });
  };
}

/** No state is kept: each message has a server of its own. */
async function serve(message: unknown, given: Arguments, caller: Call & Caller) {
  // The headers of the protocol: nothing else of the request, such as its key, is passed on.
  const headers = Object.entries(caller.req.headers).filter(([name]) =>
    /^(?:accept|content-type|mcp-[\w-]+)$/.test(name),
  ) as [string, string][];
  const request = new Request('http://localhost/mcp', { method: 'POST', headers });
  let problem: Error | undefined;
  const onerror = (error: Error) => void (problem = error);
  const server = createServer(given, caller);
  server.onerror = onerror;
  const isEarlier = await isLegacyRequest(request, message);
  // The SDK's own handler would answer the protocol before 2026-07-28 as a stream.
  const earlier = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  if (isEarlier) await server.connect(earlier);
  const handler = isEarlier
    ? earlier.handleRequest.bind(earlier)
    : createMcpHandler(() => server, { legacy: 'reject', onerror }).fetch;
  const response = await handler(request, { parsedBody: message });
  const body = await response.text();
  await server.close();
  if (response.status >= 500) throw problem ?? new Error(body);
  return { status: response.status, body };
}

/** `given` are the arguments of a call as they were sent: those of the SDK have rounded numbers, and no `__proto__`. */
function createServer(given: Arguments, caller: Caller): Server {
  const server = new Server(SERVER, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    cacheHints: { 'tools/list': CACHE_HINT, 'server/discover': CACHE_HINT },
  });
  server.setRequestHandler('tools/list', () => {
    const endpoints = describeEndpoints(caller.endpoints, caller.key);
    return { tools: [...toolsOf(endpoints, caller.maxBytesBilled)] };
  });
  server.setRequestHandler('tools/call', async ({ params }) => {
    const answer = await callTool(params.name, given, caller);
    if (answer !== undefined) return answer;
    const message = 'This API key or token has no such tool: tools/list lists its tools.';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  });
  return server;
}

/** Other encodings would be read as other texts (RFC 8259, 8.1). */
function isUtf8Json(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': contentType = '', 'content-encoding': coding = 'identity' } = headers;
  const isUtf8Type = /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?$/i.test(contentType);
  return isUtf8Type && coding.trim().toLowerCase() === 'identity';
}

/** Empty if the client went away. Throws BODY_TOO_LARGE; http/framework.ts drops the rest, so that the answer arrives. */
async function readBody(req: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > BODY_BYTES_MAX) break;
      parts.push(part);
    }
  } catch {
    return Buffer.of();
  }
  if (bytes <= BODY_BYTES_MAX) return Buffer.concat(parts);
  throw usualError('BODY_TOO_LARGE');
}

/** `given` are the arguments of a call as they were sent; nothing of a body that cannot be read. */
function readMessage(body: Buffer): { message?: unknown; given?: Arguments } {
  try {
    // Otherwise other bytes would be read as other characters.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    const exact = parseExact(text, Symbol);
    const given = argumentsOf(membersOf(membersOf(exact).params).arguments);
    return { message: JSON.parse(text), given };
  } catch {
    return {};
  }
}

/** The arguments of a tool are not counted: they are read by their names, and not by the SDK. */
function isOverValues(message: unknown): boolean {
  const { method, params, ...rest } = isObject(message) ? message : { message };
  const { arguments: given, ...others } = isObject(params) ? params : { params };
  const isOfTool = method === 'tools/call' && isObject(given);
  const counted = JSON.stringify([rest, method, others, isOfTool ? {} : given]);
  // Each value follows one of these; those in texts count too.
  return counted.split(/[,[{]/).length > VALUES_MAX;
}

function refusal(status: number, code: number, message: string, id: unknown = null) {
  return { status, body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }) };
}
