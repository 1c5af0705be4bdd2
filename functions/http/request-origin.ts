// Finds the origin of the service as the client of a request addresses it.
import type { IncomingHttpHeaders } from 'node:http';

/** A name, an IPv4 address or an IPv6 address in brackets, each with or without a port. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Such as `https://queries.example.com`; undefined if the headers do not tell it, or tell more than one.
 * A proxy states the scheme and host of its client in `X-Forwarded-Proto` (Cloud Run does) and
 * `X-Forwarded-Host`. A client can invent both, and `Host` too: the result is for that client alone.
 * `Vary` does not name them: a cache keeps an answer under its whole URL (RFC 9111, 2).
 */
export function requestOrigin(headers: IncomingHttpHeaders): string | undefined {
  // Without a proxy there is no TLS: the server itself speaks HTTP.
  const scheme = headers['x-forwarded-proto'] ?? 'http';
  const host = headers['x-forwarded-host'] ?? headers.host;
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  if (typeof host !== 'string' || !HOST.test(host)) return undefined;
  const address = `${scheme}://${host}`;
  return URL.canParse(address) ? new URL(address).origin : undefined;
}
