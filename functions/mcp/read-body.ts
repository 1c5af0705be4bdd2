// Reads the body of a request, up to a bound; no other part of the service reads one.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';

/** Far more than a message of a client: its arguments are bounded by `QUERY_STRING_LENGTH_MAX`. */
const BODY_BYTES_MAX = 256 * 1024;

/** One parameter of a media type (RFC 9110, 5.6.6). */
const PARAMETER = /^([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]+))$/;

/** Other encodings would be read as other texts (RFC 8259, 8.1). */
export function isUtf8Json(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': contentType = '', 'content-encoding': coding = 'identity' } = headers;
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const isReadable = parameters.every((parameter) => {
    const [, name = '', quoted, token = quoted] = PARAMETER.exec(parameter) ?? [];
    const isCharset = /^charset\b/i.test(name);
    return isCharset ? /^utf-?8$/i.test(token ?? '') : parameter === '' || name !== '';
  });
  const isJson = mediaType.toLowerCase() === 'application/json';
  return isJson && isReadable && coding.trim().toLowerCase() === 'identity';
}

/** Undefined if the client went away. Throws BODY_TOO_LARGE; http/framework.ts drops the rest, so that the answer arrives. */
export async function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > BODY_BYTES_MAX) break;
      parts.push(part);
    }
  } catch {
    return undefined;
  }
  if (bytes <= BODY_BYTES_MAX) return Buffer.concat(parts);
  const message = `The body has more than ${BODY_BYTES_MAX / 1024} KiB. Send shorter arguments.`;
  throw new ServiceError('BODY_TOO_LARGE', message);
}
