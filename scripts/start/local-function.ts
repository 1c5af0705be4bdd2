// Preloaded into the functions of the local service: refuses other machines and pages of other sites, and sends it the log lines.
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { errorCode, ERROR_DOMAIN } from '../../functions/core/errors.ts';
import { createLog } from '../../functions/log.ts';
import { NO_IPV6 } from '../cli/tcp-ports.ts';
import { type Refusal, refusalOf } from '../cli/refuse-pages.ts';

const { corsOrigins, logLevel } = parseConfig(process.env);
/** By default the deployed functions let the pages of all origins in. */
const allowedOrigins = process.env[SETTINGS.corsOrigins.name] ? corsOrigins : [];
const isWarm = process.argv.includes('--target=warm');
const log = createLog(logLevel);
const SEND_MS = 1000;

let logged = '';
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = ((...args: Parameters<typeof write>) => {
  logged += String(args[0]);
  return write(...args);
}) as typeof write;
setInterval(() => {
  if (logged !== '') process.send?.({ logged });
  logged = '';
}, SEND_MS).unref();

const JSON_TYPE = /^application\/json(?:;|$)/i;

// The framework has no setting for the address, and listens on all of them.
// oxlint-disable-next-line typescript/unbound-method -- Called on the server below.
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, port: number, onListening: () => void) {
  guard(this);
  // A server listens on one address, but it also accepts connections that another server passes on.
  const ipv6 = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    this.emit('connection', socket);
  });
  const listenOnIpv4 = (): void => {
    this.once('listening', onListening);
    listen.call(this, { port, host: '127.0.0.1' });
  };
  ipv6.once('error', (error) => {
    if (NO_IPV6.includes(errorCode(error))) listenOnIpv4();
    else this.emit('error', error);
  });
  ipv6.listen({ port, host: '::1' }, listenOnIpv4).unref();
  return this;
} as typeof listen;

function guard(server: Server): void {
  const [handle] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (req, res) => {
    const refusal = isWarm ? refusalOfWarm(req) : refusalOf(req.headers, allowedOrigins);
    if (refusal === undefined) handle?.(req, res);
    else refuse(req, res, refusal);
  });
}

/** Accepts the scheduler's requests: a page cannot send JSON to another site that does not allow it. */
function refusalOfWarm({ method, headers }: IncomingMessage): Refusal | undefined {
  if (headers.origin !== undefined) {
    return { reason: 'ORIGIN_NOT_ALLOWED', message: 'No page may start a warming run.' };
  }
  const refusal = refusalOf(headers);
  const isJson = JSON_TYPE.test(headers['content-type'] ?? '');
  if (refusal !== undefined || method !== 'POST' || isJson) return refusal;
  return {
    reason: 'CONTENT_TYPE_NOT_ALLOWED',
    message: 'A warming run starts with a POST of Content-Type: application/json.',
  };
}

function refuse(req: IncomingMessage, res: ServerResponse, { reason, message }: Refusal): void {
  const type = 'type.googleapis.com/google.rpc.ErrorInfo';
  const details = [{ '@type': type, reason, domain: ERROR_DOMAIN, metadata: {} }];
  const error = { code: 403, status: 'PERMISSION_DENIED', message, details };
  const contentType = 'application/json; charset=utf-8';
  res.writeHead(403, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
  res.end(req.method === 'HEAD' ? undefined : JSON.stringify({ error }));
  const line = { event: 'request', method: req.method, status: 403, reason, error: message };
  log.write('WARNING', `${req.method} 403`, line);
}
