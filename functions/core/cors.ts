// Which pages of a browser may call the service and read its answers (https://fetch.spec.whatwg.org).

/** Answer headers that a page may read, beyond those that it always may. */
const EXPOSED = 'Age, Cache-Status, ETag, Retry-After, X-Result-Truncated';
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

/** Added on the answer to a preflight request. */
export function preflightHeaders(methods: string): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'Accept, Content-Type, If-None-Match, X-API-KEY',
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
}
