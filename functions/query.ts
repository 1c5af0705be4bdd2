// The HTTP function `query`: takes a request through the steps that README.md draws, from authenticate to respond.
import type { HttpFunction, Request } from '@google-cloud/functions-framework';
import type { Clocks } from './core/clock.ts';
import { ServiceError } from './core/errors.ts';
import type { Log } from './core/log.ts';
import type { Catalogue } from './endpoints/catalogue.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { createParameterReader } from './endpoints/parameter-reader.ts';
import { ROW_FORMATS } from './endpoints/requested-format.ts';
import { apiKeyOf, clientAddress } from './http/request-headers.ts';
import { type Document, descriptionFor } from './http/document.ts';
import { acceptedFormat } from './http/formats.ts';
import { describeServed, startRequestLine, writeRequestLine } from './http/request-log.ts';
import { type Exchange, METHODS, createResponder } from './http/responder.ts';
import { routeOf, splitTarget } from './http/routes.ts';
import { authoriseParameters, mayUseEndpoint } from './keys/access.ts';
import type { Authenticate, AuthenticatedKey } from './keys/authenticate.ts';
import type { KeyLimits } from './keys/limits.ts';
import { resultIdentity } from './results/cache-key.ts';
import type { ReadThrough } from './results/read-through.ts';
import type { Shutdown } from './shutdown.ts';

interface QueryDeps extends Clocks {
  /** Google Cloud project, for the names of traces. */
  project: string;
  /** Dataset and location of the logs: see `Scope`. */
  dataset: string;
  location: string;
  authenticate: Authenticate;
  keyLimits: KeyLimits;
  catalogue: Catalogue;
  readThrough: ReadThrough;
  log: Log;
  queryTimeoutSeconds: number;
  corsOrigins: readonly string[];
  /** Bound on the bytes of answers that clients have not read. */
  maxUnreadMib: number;
  /** Which address of X-Forwarded-For is the client's, from the end. */
  forwardedForPosition: number;
  /** If absent, requests are not cut short when the process is stopped. */
  shutdown?: Pick<Shutdown, 'inTime'>;
  /** The page at `/`; if absent, `/` is 404. */
  consolePage?: Document | undefined;
}

interface RowsRequest {
  idOrName: string;
  queryString: string;
  deadlineMs: number;
}

/** Answers every request itself and never rejects. */
export function createQuery(deps: QueryDeps): HttpFunction {
  const { authenticate, keyLimits, catalogue, readThrough, clock, storeClock, log } = deps;
  const respond = createResponder(deps);
  const readParameters = createParameterReader((endpoint, parameters) =>
    resultIdentity(deps, endpoint, parameters),
  );

  return (req, res) => {
    const startedMs = clock.nowMs();
    const line = startRequestLine(deps.project, req);
    const exchange: Exchange = { req, res, line, key: undefined };
    const fail = (error: unknown): number => respond.error(exchange, error);
    const finish = (status: number): void =>
      writeRequestLine(log, line, status, clock.nowMs() - startedMs);
    let status: number | Promise<number>;
    try {
      status = answer(exchange, startedMs);
    } catch (error) {
      status = fail(error);
    }
    return status instanceof Promise ? status.catch(fail).then(finish) : finish(status);
  };

  /** Throws, or rejects with, the error for the caller. */
  function answer(exchange: Exchange, startedMs: number): number | Promise<number> {
    const { req, line } = exchange;
    if (req.method === 'OPTIONS') return respond.preflight(exchange);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new ServiceError('METHOD_NOT_ALLOWED', `Only ${METHODS} are supported.`);
    }
    const { path, queryString } = splitTarget(req.originalUrl);
    const route = routeOf(path);
    if (route?.to === 'console' && deps.consolePage !== undefined) {
      return respond.document(exchange, deps.consolePage);
    }
    if (route === undefined || route.to === 'console') {
      const message = 'There is nothing here. Endpoints are at /api/endpoints/query/<id or name>.';
      throw new ServiceError('PATH_NOT_FOUND', message);
    }

    const authenticated = authenticate(apiKeyOf(req.headers), () => addressOf(req));
    return mapAwaitable(authenticated, (key) => {
      line.keyName = key.name;
      exchange.key = key;
      line.authenticateMs = clock.nowMs() - startedMs;
      keyLimits.takeRequest(key);
      if (route.to !== 'rows') {
        return respond.document(exchange, descriptionFor(route.to, catalogue, key, req.headers));
      }
      const deadlineMs = startedMs + deps.queryTimeoutSeconds * 1000;
      return answerRows(exchange, key, { idOrName: route.idOrName, queryString, deadlineMs });
    });
  }

  function answerRows(
    exchange: Exchange,
    key: AuthenticatedKey,
    { idOrName, queryString, deadlineMs }: RowsRequest,
  ): number | Promise<number> {
    const { req, line } = exchange;
    const endpoint = resolveFor(key, idOrName);
    line.endpoint = endpoint.name;
    const requested = readParameters(endpoint, queryString, (values) =>
      authoriseParameters(key, endpoint, values),
    );
    const { parameters, identity } = requested;
    // Before the query runs: rows in a format that the client refuses are not computed.
    const format = requested.format ?? acceptedFormat(req.headers.accept, ROW_FORMATS);
    if (format !== 'json') line.format = format;
    const read = readThrough({ endpoint, parameters, identity, key, deadlineMs });
    return mapAwaitable(deps.shutdown?.inTime(read) ?? read, (served) => {
      const nowMs = storeClock.nowMs();
      describeServed(line, served, nowMs);
      return respond.rows(exchange, { endpoint, format, served, nowMs });
    });
  }

  function addressOf(req: Request): string {
    const forwardedFor = req.headers['x-forwarded-for'] as string | undefined;
    return clientAddress(forwardedFor, req.socket.remoteAddress, deps.forwardedForPosition);
  }

  /** The same error for an unknown endpoint and for one that the key may not use. */
  function resolveFor(key: AuthenticatedKey, idOrName: string): Endpoint {
    const endpoint = catalogue.resolve(idOrName);
    if (endpoint === undefined || !mayUseEndpoint(key, endpoint)) {
      throw new ServiceError('ENDPOINT_NOT_FOUND', 'There is no such endpoint for this API key.');
    }
    return endpoint;
  }
}

/** Like `await`, but without a promise for a plain value: several promises take as long as a cache hit. */
function mapAwaitable<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
