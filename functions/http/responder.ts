// Writes every answer of `query`: rows, documents, preflight and errors, all with CORS headers (https://fetch.spec.whatwg.org).
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream';
import type { Request, Response } from '@google-cloud/functions-framework';
import { REASONS, errorBody, toServiceError } from '../core/errors.ts';
import type { Uses } from '../core/services.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Format } from '../endpoints/parameters.ts';
import type { AuthenticatedKey } from '../keys/access.ts';
import { type KeyLimits, LIMIT_FIELDS, limitFields } from '../keys/limits.ts';
import { ageSeconds, ttlSeconds } from '../cache/freshness.ts';
import type { Served } from '../cache/reading.ts';
import { FORMATS, acceptsGzip } from './formats.ts';
import { type AnswerBody, bodyOf, createUnreadAnswers, whole } from './answer-body.ts';
import { VARY, cacheStatus, matchesETag, rowsCacheControl, weakETag } from './caching-headers.ts';
import type { Document } from './describe-endpoints.ts';
import type { Waiting } from './request-headers.ts';
import { type RequestLine, noteError } from './request-log.ts';

export interface Exchange {
  req: Request;
  res: Response;
  line: RequestLine;
  /** The methods of the path, as `Allow` lists them. */
  methods: string;
  key?: AuthenticatedKey;
  /** Absent as long as they are not known, and if there are none. */
  unknownParameters?: string | undefined;
  /** Absent if the request states no preference for it. */
  waiting?: Waiting | undefined;
}

type Headers = Record<string, string | number>;

/** The same for a missing and for a refused key (RFC 9110, 11.6.1; RFC 6750, 3). */
const CHALLENGES = 'ApiKey realm="saved-queries", Bearer realm="saved-queries"';

export const METHODS = 'GET, HEAD, OPTIONS';
export const MCP_METHODS = 'POST, OPTIONS';

/** Answer headers that a page may read, in addition to those that it may always read. */
const EXPOSED = [
  ...['Age', 'Cache-Status', 'Content-Length', 'ETag', 'Preference-Applied'],
  ...Object.keys(LIMIT_FIELDS),
  ...['Retry-After', 'Vary', 'X-Bytes-Processed', 'X-Local-Rows-Cut', 'X-Result-Truncated'],
  'X-Unknown-Parameters',
].join(', ');
const USUAL_HEADERS = 'Accept, Authorization, Content-Type, If-None-Match, Prefer, X-API-KEY';

interface ResponderDeps extends Uses<'clock' | 'corsOrigins' | 'maxUnreadMib'> {
  keyLimits: Pick<KeyLimits, 'statesOf'>;
}

/** Each method ends the answer and returns its status; those with a body of their own throw INSTANCE_BUSY instead. */
export function createResponder({ clock, keyLimits, corsOrigins, maxUnreadMib }: ResponderDeps) {
  const unread = createUnreadAnswers(maxUnreadMib * 1024 * 1024);

  return { rows, document, message, preflight, error };

  /** 200, or 304 for a client that has these rows already. */
  function rows(exchange: Exchange, endpoint: Endpoint, format: Format, served: Served): number {
    const nowMs = clock.nowMs();
    const { req, res, line } = exchange;
    const { entry } = served;
    const { contentType, etagSuffix } = FORMATS[format];
    const etag = weakETag(`${entry.etag}${etagSuffix}`);
    const headers = commonHeaders(exchange);
    headers['Content-Type'] = contentType;
    headers['Cache-Control'] = rowsCacheControl(endpoint);
    headers.Age = ageSeconds(entry, nowMs);
    headers['Cache-Status'] = cacheStatus(served, ttlSeconds(entry, nowMs));
    headers.ETag = etag;
    if (entry.truncated) headers['X-Result-Truncated'] = 'true';
    if (entry.localRowsCut !== undefined) headers['X-Local-Rows-Cut'] = entry.localRowsCut;
    // Known to the line only if this request ran the query. What it costs concerns the team alone.
    if (line.bytesProcessed !== undefined && exchange.key?.token === undefined) {
      headers['X-Bytes-Processed'] = line.bytesProcessed;
    }
    if (format.startsWith('csv')) {
      headers['Content-Disposition'] = `attachment; filename="${endpoint.name}.csv"`;
    }
    if (matchesETag(req.headers['if-none-match'], etag)) return notModified(res, headers);
    const isGzip = acceptsGzip(req.headers['accept-encoding']);
    if (isGzip) headers['Content-Encoding'] = 'gzip';
    return send(exchange, 200, headers, bodyOf(entry, endpoint, format, isGzip));
  }

  function document(exchange: Exchange, { headers: own, body, gzip, etag }: Document): number {
    const { req, res } = exchange;
    const headers: Headers = { ...commonHeaders(exchange), ...own, ETag: etag };
    if (matchesETag(req.headers['if-none-match'], etag)) return notModified(res, headers);
    const isGzip = gzip !== undefined && acceptsGzip(req.headers['accept-encoding']);
    if (isGzip) headers['Content-Encoding'] = 'gzip';
    return send(exchange, 200, headers, whole(isGzip ? gzip : body));
  }

  /** The answer to a message of `POST /mcp`; without a body for a notification. */
  function message(exchange: Exchange, { status, body }: { status: number; body: string }): number {
    const headers: Headers = { ...commonHeaders(exchange), 'Cache-Control': 'no-store' };
    if (body === '') {
      exchange.res.writeHead(status, headers).end();
      return status;
    }
    headers['Content-Type'] = FORMATS.json.contentType;
    return send(exchange, status, headers, whole(Buffer.from(body)));
  }

  function preflight(exchange: Exchange): number {
    const { req, res, methods } = exchange;
    const headers = {
      Allow: methods,
      ...commonHeaders(exchange),
      ...preflightHeaders(methods, req.headers['access-control-request-headers']),
    };
    res.writeHead(204, headers).end();
    return 204;
  }

  /** The common error shape. A client that prefers it gets 202 where its query goes on (RFC 7240, 4.1). */
  function error(exchange: Exchange, thrown: unknown): number {
    const { res, line, methods, waiting } = exchange;
    const serviceError = toServiceError(thrown);
    const { reason, retryAfterSeconds } = serviceError;
    const preferred = reason === 'QUERY_RUNNING' ? waiting : undefined;
    const code = preferred === undefined ? REASONS[reason].code : 202;
    const body = Buffer.from(errorBody(serviceError, noteError(line, serviceError)));
    const headers: Headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body.length,
      'Cache-Control': 'no-store',
      ...commonHeaders(exchange),
    };
    if (preferred !== undefined) headers['Preference-Applied'] = preferred.applied;
    if (code === 401) headers['WWW-Authenticate'] = CHALLENGES;
    if (code === 405) headers.Allow = methods;
    if (retryAfterSeconds !== undefined) headers['Retry-After'] = retryAfterSeconds;
    res.writeHead(code, headers).end(body);
    return code;
  }

  function send(exchange: Exchange, status: number, headers: Headers, body: AnswerBody): number {
    const { res, line } = exchange;
    const keyName = line.keyName ?? '';
    unread.admit(keyName, body);
    headers['Content-Length'] = body.length;
    res.writeHead(status, headers);
    const { content } = body;
    if (Buffer.isBuffer(content)) res.end(content);
    // A client that goes away, or bytes that cannot be inflated, end the connection.
    else pipeline(content, res, () => undefined);
    unread.count(keyName, body, res);
    return status;
  }

  function commonHeaders({ req, key, unknownParameters }: Exchange): Headers {
    const headers: Headers = {
      Vary: VARY,
      'X-Content-Type-Options': 'nosniff',
      ...corsHeaders(corsOrigins, req.headers.origin),
    };
    if (unknownParameters !== undefined) headers['X-Unknown-Parameters'] = unknownParameters;
    const states = key && keyLimits.statesOf(key);
    return states?.length ? Object.assign(headers, limitFields(states)) : headers;
  }
}

function notModified(res: Response, headers: Headers): number {
  delete headers['Content-Type'];
  delete headers['Content-Disposition'];
  res.writeHead(304, headers).end();
  return 304;
}

/** Headers for every answer, errors included; none for an origin that is not allowed. */
function corsHeaders(allowedOrigins: readonly string[], origin: string | undefined) {
  const allowed = ['*', origin].find((one) => one !== undefined && allowedOrigins.includes(one));
  if (allowed === undefined) return {};
  return { 'Access-Control-Allow-Origin': allowed, 'Access-Control-Expose-Headers': EXPOSED };
}

/** Whether a page asks that is neither the service's nor named (`*` names none). It can invent the headers of proxies, not `Host`. */
export function isForeignOrigin(allowed: readonly string[], headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  if (origin === undefined || allowed.includes(origin)) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** All headers that a client library adds are allowed: the service ignores unknown ones. */
function preflightHeaders(methods: string, requestedHeaders: string | undefined) {
  const isList = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/.test(requestedHeaders ?? '');
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': isList ? (requestedHeaders ?? '') : USUAL_HEADERS,
    'Access-Control-Max-Age': '86400',
  };
}
