// Makes the body of a result in the format and encoding that the client accepts.
import type { Readable } from 'node:stream';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import type { Entry } from '../core/result-store.ts';
import type { EndpointDefinition } from '../endpoints/endpoint.ts';
import type { Format } from '../endpoints/requested-format.ts';
import { toCsv, toNdjson } from './row-formats.ts';

export interface AnswerBody {
  /** In bytes. */
  length: number;
  /** A stream where the whole body would be held for each client that reads slowly. */
  content: Buffer | Readable;
}

interface Compressed {
  gzip: Buffer;
  /** Uncompressed. */
  bytes: number;
}

/** What is inflated at once. */
const AT_ONCE_BYTES_MAX = 512 * 1024;

/** In the usual case, JSON with gzip, the stored bytes are sent unchanged. */
export function bodyOf(
  entry: Entry,
  endpoint: Pick<EndpointDefinition, 'row'>,
  format: Format,
  isGzip: boolean,
): AnswerBody {
  if (format === 'json') {
    if (isGzip) return { length: entry.body.length, content: entry.body };
    if (entry.bodyBytes > AT_ONCE_BYTES_MAX) {
      return inflated({ gzip: entry.body, bytes: entry.bodyBytes });
    }
    return { length: entry.bodyBytes, content: identityBody(entry) };
  }
  const converted = convertedBody(entry, endpoint, format);
  if (!isGzip) return inflated(converted);
  return { length: converted.gzip.length, content: converted.gzip };
}

/** What `bodyOf` would say, without the work; undefined where only the work would tell. */
export function bodyLength(entry: Entry, format: Format, isGzip: boolean): number | undefined {
  if (format !== 'json') return undefined;
  return isGzip ? entry.body.length : entry.bodyBytes;
}

// Weak maps: the values are freed together with the entries.
const identityBodies = new WeakMap<Entry, Buffer>();
const convertedBodies = new WeakMap<Entry, Map<Format, Compressed>>();

function identityBody(entry: Entry): Buffer {
  let body = identityBodies.get(entry);
  if (body === undefined) {
    body = inflateAtOnce(entry);
    identityBodies.set(entry, body);
  }
  return body;
}

/** Bounded by the size in the entry, so that damaged bytes cannot take more memory. */
function inflateAtOnce({ body, bodyBytes }: Entry): Buffer {
  return gunzipSync(body, { maxOutputLength: bodyBytes });
}

function inflated({ gzip, bytes }: Compressed): AnswerBody {
  if (bytes <= AT_ONCE_BYTES_MAX) return { length: bytes, content: gunzipSync(gzip) };
  const stream = createGunzip();
  stream.end(gzip);
  return { length: bytes, content: stream };
}

/** Converted once and kept compressed, because the bound on memory does not count converted bodies. */
function convertedBody(
  entry: Entry,
  endpoint: Pick<EndpointDefinition, 'row'>,
  format: 'csv' | 'ndjson',
): Compressed {
  const converted = convertedBodies.get(entry) ?? new Map<Format, Compressed>();
  convertedBodies.set(entry, converted);
  let body = converted.get(format);
  if (body === undefined) {
    const json = inflateAtOnce(entry).toString();
    const bytes = Buffer.from(format === 'csv' ? toCsv(json, endpoint.row) : toNdjson(json));
    body = { gzip: gzipSync(bytes), bytes: bytes.length };
    converted.set(format, body);
  }
  return body;
}
