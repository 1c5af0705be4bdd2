// Builds the body of a result in the format and encoding that the client accepts.
import type { Readable } from 'node:stream';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import { ownBytes } from '../core/bytes.ts';
import { jsonOf } from '../cache/row-texts.ts';
import type { Entry } from '../core/result-store.ts';
import type { EndpointDefinition } from '../endpoints/endpoint.ts';
import type { Format } from '../endpoints/requested-format.ts';
import { derivedBytesMax } from '../cache/memory.ts';
import { toCsv, toNdjson } from './row-formats.ts';

type Columns = Pick<EndpointDefinition, 'row'>;

export interface AnswerBody {
  length: number;
  /** A stream if the whole body would otherwise stay in memory for each client that reads slowly. */
  content: Buffer | Readable;
  /** What stays in memory until the client has read the answer. */
  holds: Buffer;
}

type Derived = ReturnType<typeof convert>;

/** The most bytes that are inflated at once. */
const AT_ONCE_BYTES_MAX = 512 * 1024;

/** In the usual case, JSON with gzip, the stored bytes are sent unchanged. */
export function bodyOf(entry: Entry, endpoint: Columns, format: Format, isGzip: boolean) {
  if (format === 'json' && isGzip) return whole(entry.body);
  if (format === 'json' && entry.bodyBytes > AT_ONCE_BYTES_MAX) {
    return inflated(entry.body, entry.bodyBytes);
  }
  const { content, bytes } = derived(entry, endpoint, format);
  return format === 'json' || isGzip ? whole(content) : inflated(content, bytes);
}

export function whole(content: Buffer): AnswerBody {
  return { length: content.length, content, holds: content };
}

// A weak map: the bodies are freed together with the entry.
const derivedBodies = new WeakMap<Entry, Map<Format, Derived>>();

/** Converts a body once and keeps it with the entry, within the memory that is counted for such bodies. */
function derived(entry: Entry, endpoint: Columns, format: Format) {
  const bodies = derivedBodies.get(entry) ?? new Map<Format, Derived>();
  derivedBodies.set(entry, bodies);
  const converted = bodies.get(format);
  if (converted !== undefined) return converted;
  const { content: made, bytes } = convert(entry, endpoint, format);
  // A short body is a part of a larger buffer.
  const content = made.length < made.buffer.byteLength ? ownBytes(made) : made;
  const kept = [...bodies.values()].reduce((sum, body) => sum + body.content.length, 0);
  if (kept + content.length <= derivedBytesMax(entry)) bodies.set(format, { content, bytes });
  return { content, bytes };
}

/** Compressed, unless it is JSON; `bytes` is the size before. */
function convert(entry: Entry, { row }: Columns, format: Format) {
  const json = jsonOf(entry);
  if (format === 'json') return { content: json, bytes: json.length };
  const text = json.toString();
  const mark = format === 'csv-bom' ? '\ufeff' : '';
  const bytes = Buffer.from(format === 'ndjson' ? toNdjson(text) : mark + toCsv(text, row));
  return { content: gzipSync(bytes), bytes: bytes.length };
}

function inflated(gzip: Buffer, bytes: number): AnswerBody {
  if (bytes <= AT_ONCE_BYTES_MAX) return whole(gunzipSync(gzip));
  const stream = createGunzip();
  stream.end(gzip);
  return { length: bytes, content: stream, holds: gzip };
}
