// The HTTP staircase: authenticate -> resolve -> authorise -> parameters -> read-through -> respond.
import { randomUUID } from 'node:crypto';
import type { HttpFunction, Request, Response } from '@google-cloud/functions-framework';
import type { Authenticate } from './keys/authenticate.ts';
import { bodyOf } from './http/answer-body.ts';
import type { Catalogue } from './endpoints/catalogue.ts';
import { authoriseParameters, mayUseEndpoint } from './keys/access.ts';
import { andThen } from './core/and-then.ts';
import { clientAddress } from './keys/client-address.ts';
import { corsHeaders, preflightHeaders } from './http/cors.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { REASONS, ServiceError, errorBody, toServiceError } from './core/errors.ts';
import { ageSeconds, ttlSeconds } from './results/freshness.ts';
import { VARY, acceptsGzip, cacheStatus, matchesETag, weakETag } from './http/caching-headers.ts';
import { FORMATS, type Format, ROW_FORMATS, negotiate } from './http/negotiate.ts';
import type { ApiKey } from './core/key-store.ts';
import type { Clock, StoreClock } from './core/clock.ts';
import type { Log } from './core/log.ts';
import { traceOf } from './http/trace.ts';
import {
  type DescribeFor,
  type Document,
  descriptionAt,
  jsonDocument,
  respondWithDocument,
} from './http/document.ts';
import { describeError } from './core/describe-error.ts';
import { resultIdentity } from './results/cache-key.ts';
import { createParameterReader } from './endpoints/parameter-reader.ts';
import type { ReadThrough, Served } from './results/read-through.ts';
import type { Shutdown } from './http/shutdown.ts';

interface QueryDeps {
  /** Google Cloud project, for the names of traces. */
  project: string;
  /** Where the logs are: see `Scope`. */
  dataset: string;
  location: string;
  authenticate: Authenticate;
  catalogue: Catalogue;
  readThrough: ReadThrough;
  clock: Clock;
  /** By which rows grow old. */
  storeClock: StoreClock;
  log: Log;
  queryTimeoutSeconds: number;
  corsOrigins: readonly string[];
  /** Which address of X-Forwarded-For is the client's, from the end. */
  forwardedForPosition: number;
  /** Without it nothing is answered early when the process is stopped. */
  shutdown?: Pick<Shutdown, 'inTime'>;
  /** The page at `/`; without it there is nothing. */
  consolePage?: Document | undefined;
}

const METHODS = 'GET, HEAD, OPTIONS';
const QUERY_PATH = /^\/api\/endpoints\/query\/([^/]+)\/?$/;

/** The HTTP function `query`: answers every request itself and never rejects. */
export function createQuery(deps: QueryDeps): HttpFunction {
  const { authenticate, catalogue, readThrough, clock, storeClock, log } = deps;
  const readParameters = createParameterReader((endpoint, parameters) =>
    resultIdentity(deps, endpoint, parameters),
  );

  return (req, res) => {
    const startedMs = clock.nowMs();
    const line: Record<string, unknown> = { event: 'request', method: req.method };
    const trace = traceOf(deps.project, req.headers);
    if (trace !== undefined) line['logging.googleapis.com/trace'] = trace;
    const fail = (error: unknown): number =>
      respondWithError(req, res, toServiceError(error), line, deps.corsOrigins);
    const finish = (status: number): void => {
      line.status = status;
      line.durationMs = clock.nowMs() - startedMs;
      const severity = status >= 500 ? 'ERROR' : status >= 400 ? 'WARNING' : 'INFO';
      log.write(severity, `${req.method} ${status}`, line);
    };
    let status: number | Promise<number>;
    try {
      status = answer(req, res, line, startedMs);
    } catch (error) {
      status = fail(error);
    }
    return status instanceof Promise ? status.catch(fail).then(finish) : finish(status);
  };

  /** Throws, or rejects with, what the caller is to be told. */
  function answer(
    req: Request,
    res: Response,
    line: Record<string, unknown>,
    startedMs: number,
  ): number | Promise<number> {
    const { path, queryString } = splitUrl(req.originalUrl);
    if (req.method === 'OPTIONS') return respondToPreflight(req, res, deps.corsOrigins);
    requireMethod(req.method);
    if (path === '/' && deps.consolePage !== undefined) {
      const headers = commonHeaders(req, deps.corsOrigins);
      return respondWithDocument(req, res, deps.consolePage, headers);
    }
    const resource = endpointOf(path) ?? descriptionAt(path);
    if (resource === undefined) {
      throw new ServiceError(
        'PATH_NOT_FOUND',
        'There is nothing here. Endpoints are at /api/endpoints/query/<id or name>.',
      );
    }
    const address = (): string => addressOf(req);
    return andThen(authenticate(apiKeyOf(req), address), (key) => {
      line.keyName = key.name;
      line.authenticateMs = clock.nowMs() - startedMs;
      if (typeof resource === 'function') {
        return respondWithDescription(req, res, resource, key);
      }
      const endpoint = resolveFor(key, resource);
      line.endpoint = endpoint.name;
      const { parameters, identity } = readParameters(endpoint, queryString, (values) =>
        authoriseParameters(key, endpoint, values),
      );
      const format = formatFor(req.headers.accept);
      if (format !== 'json') line.format = format;
      const deadlineMs = startedMs + deps.queryTimeoutSeconds * 1000;
      const request = { endpoint, parameters, identity, keyName: key.name, deadlineMs };
      const read = readThrough.read(request);
      return andThen(deps.shutdown?.inTime(read) ?? read, (served) => {
        const nowMs = storeClock.nowMs();
        describeServed(line, served, nowMs);
        return respond(req, res, endpoint, format, served, nowMs, deps.corsOrigins);
      });
    });
  }

  function addressOf(req: Request): string {
    const forwardedFor = req.headers['x-forwarded-for'] as string | undefined;
    return clientAddress(forwardedFor, req.socket.remoteAddress, deps.forwardedForPosition);
  }

  /** What the key may use, as the catalogue or as an OpenAPI document. */
  function respondWithDescription(
    req: Request,
    res: Response,
    describe: DescribeFor,
    key: ApiKey,
  ): number {
    const document = jsonDocument(req, describe(catalogue, key));
    return respondWithDocument(req, res, document, commonHeaders(req, deps.corsOrigins));
  }

  /** One and the same error for an endpoint that is not there and one that the key may not use. */
  function resolveFor(key: ApiKey, idOrName: string): Endpoint {
    const endpoint = catalogue.resolve(idOrName);
    if (endpoint === undefined || !mayUseEndpoint(key, endpoint)) {
      throw new ServiceError('ENDPOINT_NOT_FOUND', 'There is no such endpoint for this API key.');
    }
    return endpoint;
  }
}

/** Node joins what is sent twice; only Set-Cookie, which no request has, is a list. */
function apiKeyOf(req: Request): string | undefined {
  return req.headers['x-api-key'] as string | undefined;
}

function splitUrl(target: string): { path: string; queryString: string } {
  // A client may send the absolute form (RFC 9112, 3.2.2).
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const question = url.indexOf('?');
  if (question === -1) return { path: url, queryString: '' };
  return { path: url.slice(0, question), queryString: url.slice(question + 1) };
}

function requireMethod(method: string): void {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new ServiceError('METHOD_NOT_ALLOWED', `Only ${METHODS} are supported.`);
  }
}

/** The id or name of an endpoint, or undefined where the path asks for none. */
function endpointOf(path: string): string | undefined {
  const segment = QUERY_PATH.exec(path)?.[1];
  if (segment === undefined || !segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Decided before the query: rows that nobody takes are not computed. */
function formatFor(accept: string | undefined): Format {
  const format = negotiate(accept, ROW_FORMATS);
  if (format === undefined) {
    const types = ROW_FORMATS.map((offered) => FORMATS[offered].mediaType).join(', ');
    throw new ServiceError(
      'NOT_ACCEPTABLE',
      `Rows can be had as one of ${types}: see the header Accept.`,
    );
  }
  return format;
}

function respond(
  req: Request,
  res: Response,
  endpoint: Endpoint,
  format: Format,
  served: Served,
  nowMs: number,
  corsOrigins: readonly string[],
): number {
  const { entry } = served;
  const { contentType, etagSuffix } = FORMATS[format];
  const etag = weakETag(`${entry.etag}${etagSuffix}`);
  const headers: Record<string, string | number> = commonHeaders(req, corsOrigins);
  headers['Content-Type'] = contentType;
  headers['Cache-Control'] = `private, max-age=${endpoint.cacheWarmingSeconds}`;
  headers.Age = ageSeconds(entry, nowMs);
  headers['Cache-Status'] = cacheStatus(served, ttlSeconds(entry, nowMs));
  headers.ETag = etag;
  if (entry.truncated) headers['X-Result-Truncated'] = 'true';
  if (format === 'csv') {
    headers['Content-Disposition'] = `attachment; filename="${endpoint.name}.csv"`;
  }
  if (matchesETag(req.headers['if-none-match'], etag)) {
    delete headers['Content-Type'];
    delete headers['Content-Disposition'];
    res.writeHead(304, headers).end();
    return 304;
  }
  const isGzip = acceptsGzip(req.headers['accept-encoding']);
  const body = bodyOf(entry, endpoint, format, isGzip);
  if (isGzip) headers['Content-Encoding'] = 'gzip';
  headers['Content-Length'] = body.length;
  res.writeHead(200, headers).end(body);
  return 200;
}

function respondToPreflight(req: Request, res: Response, corsOrigins: readonly string[]): number {
  res
    .writeHead(204, {
      Allow: METHODS,
      ...commonHeaders(req, corsOrigins),
      ...preflightHeaders(METHODS, req.headers['access-control-request-headers']),
    })
    .end();
  return 204;
}

function respondWithError(
  req: Request,
  res: Response,
  error: ServiceError,
  line: Record<string, unknown>,
  corsOrigins: readonly string[],
): number {
  const { code } = REASONS[error.reason];
  line.reason = error.reason;
  // A fault of the request needs no more than its reason, and its message may quote a parameter.
  if (code >= 500 || code === 429) line.error = describeError(error.cause ?? error);
  const metadata: Record<string, string> = {};
  if (error.reason === 'INTERNAL') {
    // Details are in the log alone; the id leads from the answer to the line.
    metadata.errorId = randomUUID();
    line.errorId = metadata.errorId;
  }
  const body = Buffer.from(errorBody(error, metadata));
  const headers: Record<string, string | number> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...commonHeaders(req, corsOrigins),
  };
  if (code === 401) headers['WWW-Authenticate'] = 'ApiKey realm="saved-queries"';
  if (code === 405) headers.Allow = METHODS;
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = error.retryAfterSeconds;
  res.writeHead(code, headers).end(body);
  return code;
}

function commonHeaders(req: Request, corsOrigins: readonly string[]): Record<string, string> {
  return {
    Vary: VARY,
    'X-Content-Type-Options': 'nosniff',
    ...corsHeaders(corsOrigins, req.headers.origin),
  };
}

function describeServed(line: Record<string, unknown>, served: Served, nowMs: number): void {
  line.outcome = served.isCollapsed ? 'collapsed' : served.outcome;
  line.ageSeconds = ageSeconds(served.entry, nowMs);
  Object.assign(line, served.stepsMs);
  if (line.outcome === 'miss' || line.outcome === 'expired') {
    line.jobId = served.entry.jobId;
    line.bytesProcessed = served.entry.bytesProcessed;
  }
}
