// The bytes of a result in the form and encoding that a client takes.
import { gunzipSync, gzipSync } from 'node:zlib';
import { toCsv, toNdjson } from './row-formats.ts';
import type { EndpointDefinition } from '../endpoints/endpoint.ts';
import type { Format } from './negotiate.ts';
import type { Entry } from '../core/result-store.ts';

/** JSON with gzip, the usual case, is the stored bytes themselves. */
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

// Both live exactly as long as the entries in memory that they belong to.
const identityBodies = new WeakMap<Entry, Buffer>();
const convertedBodies = new WeakMap<Entry, Map<Format, Buffer>>();

function identityBody(entry: Entry): Buffer {
  let body = identityBodies.get(entry);
  if (body === undefined) {
    // No stored bytes can take more memory than the entry says.
    body = gunzipSync(entry.body, { maxOutputLength: entry.bodyBytes });
    identityBodies.set(entry, body);
  }
  return body;
}

/** Converted once and remembered compressed: the memory's bound counts the stored body alone. */
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
