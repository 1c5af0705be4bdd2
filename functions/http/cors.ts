// Which pages of a browser may call the service and read its answers (https://fetch.spec.whatwg.org).

/** Answer headers that a page may read, beyond those that it always may. */
const EXPOSED = 'Age, Cache-Status, Content-Length, ETag, Retry-After, Vary, X-Result-Truncated';
const USUAL_HEADERS = 'Accept, Content-Type, If-None-Match, X-API-KEY';
const PREFLIGHT_SECONDS = 86_400;

/** Headers for every answer, errors included; none for an origin that is not allowed. */
export function corsHeaders(
  allowedOrigins: readonly string[],
  origin: string | undefined,
): Record<string, string> {
  const allowed = allowedOrigins.includes('*')
    ? '*'
    : allowedOrigins.find((candidate) => candidate === origin);
  if (allowed === undefined) return {};
  return {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': EXPOSED,
  };
}

/**
 * Added on the answer to a preflight request. Whatever headers a client library adds are allowed:
 * the service ignores those that it does not know.
 */
export function preflightHeaders(
  methods: string,
  requestedHeaders: string | undefined,
): Record<string, string> {
  const isList = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/.test(requestedHeaders ?? '');
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': isList ? (requestedHeaders ?? '') : USUAL_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
}
