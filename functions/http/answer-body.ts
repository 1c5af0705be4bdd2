// Makes the body of a result in the format and encoding that the client accepts.
import { gunzipSync, gzipSync } from 'node:zlib';
import { toCsv, toNdjson } from './row-formats.ts';
import type { EndpointDefinition } from '../endpoints/endpoint.ts';
import type { Format } from './negotiate.ts';
import type { Entry } from '../core/result-store.ts';

/** In the usual case, JSON with gzip, the stored bytes are sent unchanged. */
export function bodyOf(
  entry: Entry,
  endpoint: Pick<EndpointDefinition, 'row'>,
  format: Format,
  isGzip: boolean,
): Buffer {
  if (format === 'json') return isGzip ? entry.body : identityBody(entry);
  const converted = convertedBody(entry, endpoint, format);
  return isGzip ? converted : gunzipSync(converted);
}

// Weak maps: the values are freed together with the entries.
const identityBodies = new WeakMap<Entry, Buffer>();
const convertedBodies = new WeakMap<Entry, Map<Format, Buffer>>();

function identityBody(entry: Entry): Buffer {
  let body = identityBodies.get(entry);
  if (body === undefined) {
    // Bounded by the size in the entry, so that damaged bytes cannot take more memory.
    body = gunzipSync(entry.body, { maxOutputLength: entry.bodyBytes });
    identityBodies.set(entry, body);
  }
  return body;
}

/** Converted once and kept compressed, because the bound on memory counts only the stored body. */
function convertedBody(
  entry: Entry,
  endpoint: Pick<EndpointDefinition, 'row'>,
  format: 'csv' | 'ndjson',
): Buffer {
  const converted = convertedBodies.get(entry) ?? new Map<Format, Buffer>();
  convertedBodies.set(entry, converted);
  let body = converted.get(format);
  if (body === undefined) {
    const json = identityBody(entry).toString();
    body = gzipSync(format === 'csv' ? toCsv(json, endpoint.row) : toNdjson(json));
    converted.set(format, body);
  }
  return body;
}
