// The HTTP function `query`: the steps of a request as ../README.md draws them, from the route to the answer.
import type { HttpFunction, Request } from '@google-cloud/functions-framework';
import { ServiceError, usualError } from './core/errors.ts';
import { keyIdOf } from './core/key-store.ts';
import { costUsd } from './core/query-runner.ts';
import type { Backends } from './core/services.ts';
import type { Catalogue } from './endpoints/catalogue.ts';
import type { EndpointCost, Endpoint } from './endpoints/endpoint.ts';
import { createParameterReader } from './endpoints/parameter-reader.ts';
import { ROW_FORMATS } from './endpoints/parameters.ts';
import { clientAddress, credentialOf, waitingOf } from './http/request-headers.ts';
import { type Document, descriptionFor } from './http/describe-endpoints.ts';
import { acceptedFormat } from './http/formats.ts';
import { describeServed, startRequestLine, writeRequestLine } from './http/request-log.ts';
import { MCP_METHODS, METHODS, createResponder, isForeignOrigin } from './http/responder.ts';
import type { Exchange } from './http/responder.ts';
import { routeOf, splitTarget } from './http/routes.ts';
import {
  type AuthenticatedKey,
  authoriseParameters,
  mayUseEndpoint,
  withFixedValues,
} from './keys/access.ts';
import type { Authenticate } from './keys/authenticate.ts';
import type { KeyLimits } from './keys/limits.ts';
import type { AnswerMessage } from './mcp/answer-message.ts';
import { resultIdentity } from './cache/cache-key.ts';
import type { ReadThrough } from './cache/read-through.ts';

interface QueryDeps extends Backends {
  authenticate: Authenticate;
  keyLimits: KeyLimits;
  catalogue: Catalogue;
  readThrough: ReadThrough;
  /** The page at `/`; if absent, `/` is 404. */
  consolePage?: Document | undefined;
  /** Loads the code that answers `POST /mcp`; if absent, `/mcp` is 404. */
  loadMcp?: (() => Promise<AnswerMessage>) | undefined;
}

interface KeyedExchange extends Exchange {
  key: AuthenticatedKey;
  deadlineMs: number;
}

/** Without a key, so it says no more than that the process serves. */
const SERVES = { status: 200, body: '{"status":"ok"}' };
/** Clients of agents give up soon, and then the answer that the query goes on is lost. */
const TOOL_SECONDS_MAX = 20;

/** Answers every request itself and never rejects. */
export function createQuery(deps: QueryDeps): HttpFunction {
  const { authenticate, keyLimits, catalogue, readThrough, clock, log } = deps;
  const respond = createResponder(deps);
  const readParameters = createParameterReader((endpoint, parameters) =>
    resultIdentity(deps, endpoint, parameters),
  );

  return async (req, res) => {
    const startedMs = clock.nowMs();
    const line = startRequestLine(deps.project, req);
    const exchange: Exchange = { req, res, line, methods: METHODS };
    const answered = answer(exchange, startedMs);
    const status = await answered.catch((error: unknown) => respond.error(exchange, error));
    writeRequestLine(log, line, status, clock.nowMs() - startedMs);
  };

  async function answer(exchange: Exchange, startedMs: number): Promise<number> {
    const { req, line } = exchange;
    const { path, queryString } = splitTarget(req.originalUrl);
    const route = routeOf(path);
    const isMcp = route?.to === 'mcp';
    if (isMcp) exchange.methods = MCP_METHODS;
    if (req.method === 'OPTIONS') return respond.preflight(exchange);
    if (isMcp && deps.loadMcp === undefined) throw usualError('PATH_NOT_FOUND');
    if (isMcp ? req.method !== 'POST' : req.method !== 'GET' && req.method !== 'HEAD') {
      throw new ServiceError('METHOD_NOT_ALLOWED', `Only ${exchange.methods} are supported.`);
    }
    if (route?.to === 'health') return respond.message(exchange, SERVES);
    if (route?.to === 'console' && deps.consolePage !== undefined) {
      return respond.document(exchange, deps.consolePage);
    }
    if (route === undefined || route.to === 'console') throw usualError('PATH_NOT_FOUND');
    if (isMcp && isForeignOrigin(deps.corsOrigins, req.headers)) {
      throw usualError('ORIGIN_NOT_ALLOWED');
    }
    const key = await authenticate(credentialOf(req.headers), () => addressOf(req));
    line.keyName = key.name;
    line.keyId = keyIdOf(key.digest);
    if (key.token?.subject !== undefined) line.subject = key.token.subject;
    exchange.key = key;
    line.authenticateMs = clock.nowMs() - startedMs;
    keyLimits.takeRequest(key);
    const secondsMax = Math.min(deps.queryTimeoutSeconds, isMcp ? TOOL_SECONDS_MAX : Infinity);
    if (route.to === 'rows') exchange.waiting = waitingOf(req.headers, secondsMax);
    const deadlineMs = startedMs + (exchange.waiting?.seconds ?? secondsMax) * 1000;
    const keyed = Object.assign(exchange, { key, deadlineMs });
    if (route.to === 'rows') return answerRows(keyed, route.idOrName, queryString);
    if (route.to === 'mcp') return answerMessage(keyed);
    const reader = { key, headers: req.headers };
    const document = descriptionFor(route.to, catalogue.endpoints, reader, costOf);
    return respond.document(exchange, document);
  }

  async function answerRows(exchange: KeyedExchange, idOrName: string, queryString: string) {
    const { req, key, line, deadlineMs } = exchange;
    const endpoint = resolveFor(exchange, idOrName);
    const requested = parametersOf(exchange, endpoint, queryString);
    // Before the query runs: rows in a format that the client refuses are not computed.
    const format = requested.format ?? acceptedFormat(req.headers.accept, ROW_FORMATS);
    if (format !== 'json') line.format = format;
    const served = await readThrough({ ...requested, endpoint, key, deadlineMs });
    describeServed(line, served, clock.nowMs());
    return respond.rows(exchange, endpoint, format, served);
  }

  /** A tool takes the steps of a GET. The code of the protocol is loaded with the first message. */
  async function answerMessage(exchange: KeyedExchange): Promise<number> {
    const { req, key, line, deadlineMs } = exchange;
    const answerCall = await deps.loadMcp?.();
    if (answerCall === undefined) throw usualError('PATH_NOT_FOUND');
    const answered = await answerCall({
      ...{ req, key, line, endpoints: catalogue.endpoints },
      resolve: (idOrName) => resolveFor(exchange, idOrName),
      async read(endpoint, queryString) {
        const requested = parametersOf(exchange, endpoint, queryString);
        const served = await readThrough({ ...requested, endpoint, key, deadlineMs });
        describeServed(line, served, clock.nowMs());
        return served;
      },
    });
    return respond.message(exchange, answered);
  }

  function parametersOf(exchange: KeyedExchange, endpoint: Endpoint, queryString: string) {
    const { key } = exchange;
    return readParameters(endpoint, withFixedValues(key, queryString), (values, unknown) => {
      if (unknown !== undefined) exchange.line.unknownParameters = unknown.log;
      authoriseParameters(key, endpoint, values);
      // Not before: which names are unknown tells which ones are not.
      exchange.unknownParameters = unknown?.header;
    });
  }

  function costOf({ id, maxBytesBilled: own = Infinity }: Endpoint): EndpointCost {
    const usd = (bytes: number): number => costUsd(bytes, deps.pricePerTib);
    const maxBytesBilled = Math.min(deps.maxBytesBilled, own);
    const run = readThrough.lastRunOf?.(id);
    const lastRun = run && {
      at: new Date(run.startedAtMs).toISOString(),
      seconds: run.runMs / 1000,
      bytesProcessed: run.bytesProcessed,
      usd: usd(run.bytesProcessed),
    };
    return { maxBytesBilled, maxUsd: usd(maxBytesBilled), ...(lastRun && { lastRun }) };
  }

  function addressOf(req: Request): string {
    const forwardedFor = req.headers['x-forwarded-for'] as string | undefined;
    return clientAddress(forwardedFor, req.socket.remoteAddress, deps.forwardedForPosition);
  }

  /** The same error for an unknown endpoint and for one that the key may not use. */
  function resolveFor({ key, line }: KeyedExchange, idOrName: string): Endpoint {
    const endpoint = catalogue.resolve(idOrName);
    if (endpoint === undefined || !mayUseEndpoint(key, endpoint)) {
      throw usualError('ENDPOINT_NOT_FOUND');
    }
    line.endpoint = endpoint.name;
    return endpoint;
  }
}
