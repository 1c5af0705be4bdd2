// CORS headers: which web pages may call the service and read its answers (https://fetch.spec.whatwg.org).
import type { IncomingHttpHeaders } from 'node:http';
import { LIMIT_FIELDS } from '../keys/limits.ts';

/** Answer headers that a page may read, in addition to those that it may always read. */
const EXPOSED = [
  ...['Age', 'Cache-Status', 'Content-Length', 'ETag', 'Preference-Applied'],
  ...Object.keys(LIMIT_FIELDS),
  ...['Retry-After', 'Vary', 'X-Bytes-Processed', 'X-Local-Rows-Cut', 'X-Result-Truncated'],
  'X-Unknown-Parameters',
].join(', ');
const USUAL_HEADERS = 'Accept, Authorization, Content-Type, If-None-Match, Prefer, X-API-KEY';

/** Headers for every answer, errors included; none for an origin that is not allowed. */
export function corsHeaders(allowedOrigins: readonly string[], origin: string | undefined) {
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
export function preflightHeaders(methods: string, requestedHeaders: string | undefined) {
  const isList = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/.test(requestedHeaders ?? '');
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': isList ? (requestedHeaders ?? '') : USUAL_HEADERS,
    'Access-Control-Max-Age': '86400',
  };
}
