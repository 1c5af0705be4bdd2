// Finds requests that pages of other sites send through a browser on this machine.
import type { IncomingHttpHeaders } from 'node:http';

/** `message` explains the refusal and the remedy; text of the client is in it as encoded in URLs. */
export interface Refusal {
  reason: 'HOST_NOT_LOCAL' | 'ORIGIN_NOT_ALLOWED' | 'CONTENT_TYPE_NOT_ALLOWED';
  message: string;
}

/**
 * Undefined for a request of a program or of the server's own pages. `Host` must be a name of this machine:
 * another site's name may lead here (DNS rebinding), and its pages then read all answers. `Origin` must be the
 * server's own, or one of `allowedOrigins`, where `*` means all.
 */
export function refusalOf(
  { host = '', origin }: IncomingHttpHeaders,
  allowedOrigins: readonly string[] = [],
): Refusal | undefined {
  const called = URL.parse(/^[\w.:[\]-]+$/.test(host) ? `http://${host}` : '');
  if (called === null || !isOfThisMachine(called)) {
    const name = called?.hostname ?? 'the name in this request';
    return {
      reason: 'HOST_NOT_LOCAL',
      message: `Call the local service as localhost, 127.0.0.1 or [::1], not as ${name}.`,
    };
  }
  if (origin === undefined || allowedOrigins.includes('*')) return undefined;
  const page = URL.parse(origin);
  const isOwn = page?.protocol === 'http:' && isOfThisMachine(page) && page.port === called.port;
  const name = page?.origin ?? 'null';
  if (isOwn || allowedOrigins.includes(name)) return undefined;
  return {
    reason: 'ORIGIN_NOT_ALLOWED',
    message:
      `The local service refuses requests from pages of the origin ${name}. To allow them, ` +
      `set CORS_ORIGINS=${name === 'null' ? '*' : name} and restart it.`,
  };
}

/** No site can own these names: `localhost`, a name below it (RFC 6761, 6.3), or a loopback address. */
function isOfThisMachine({ hostname }: URL): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127\.0\.0\.1|\[::1\])$/.test(hostname);
}
