// Reads the body of a request, up to a bound; no other part of the service reads one.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';

/** Far more than a message of a client: its arguments are bounded by `QUERY_STRING_LENGTH_MAX`. */
const BODY_BYTES_MAX = 256 * 1024;

/** Undefined if the client went away. Throws BODY_TOO_LARGE; http/framework.ts drops the rest, so that the answer arrives. */
export async function readBody(req: IncomingMessage): Promise<string | undefined> {
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
  if (bytes <= BODY_BYTES_MAX) return Buffer.concat(parts).toString();
  const message = `The body has more than ${BODY_BYTES_MAX / 1024} KiB. Send shorter arguments.`;
  throw new ServiceError('BODY_TOO_LARGE', message);
}
