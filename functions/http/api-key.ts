// Finds the API key of a request in its headers.
import type { IncomingHttpHeaders } from 'node:http';

/** The scheme in any letter case, spaces, and a token (RFC 9110, 11.1; RFC 6750, 2.1). */
const BEARER = /^Bearer +(\S+)$/i;

/**
 * The value of `X-API-KEY`, else the token of `Authorization: Bearer`. Undefined where there is neither:
 * another scheme, or a value that is not one token, is no key. The key is not checked.
 */
export function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const { 'x-api-key': apiKey, authorization } = headers;
  // Node joins repeated headers to one text; only Set-Cookie, which no request has, is a list.
  if (apiKey !== undefined) return apiKey as string;
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}
