// Builds the body of a result in the format and encoding that the client accepts, and bounds what clients have not read yet.
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import { ownBytes } from '../core/bytes.ts';
import { usualError } from '../core/errors.ts';
import { hasShare } from '../core/memory-budget.ts';
import { jsonOf } from '../cache/row-texts.ts';
import type { Entry } from '../core/result-store.ts';
import type { EndpointDefinition } from '../endpoints/endpoint.ts';
import type { Format } from '../endpoints/parameters.ts';
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

/** A client that takes nothing for so long is given up. */
const STALLED_MS = 30_000;

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

/** Bounds the bytes of answers that an instance keeps for clients that have not read them yet. */
export function createUnreadAnswers(bytesMax: number) {
  /** The key of each answer that shares the bytes. They count once in total, but in full for each of the keys. */
  const held = new Map<Buffer, string[]>();

  return {
    /** Throws INSTANCE_BUSY if the key's clients leave too much unread for this answer. */
    admit(keyName: string, { content, holds }: AnswerBody): void {
      if (held.size === 0 || held.has(holds)) return;
      let ofKey = 0;
      let all = 0;
      for (const [buffer, holders] of held) {
        all += buffer.length;
        if (holders.includes(keyName)) ofKey += buffer.length;
      }
      if (hasShare(holds.length, { own: ofKey, all, max: bytesMax })) return;
      if (!Buffer.isBuffer(content)) content.destroy();
      throw usualError('INSTANCE_BUSY');
    },
    /** Counts the written answer until its client has read it or has disconnected. */
    count(keyName: string, { content, holds }: AnswerBody, res: ServerResponse): void {
      // The operating system has taken a short answer by now.
      if (Buffer.isBuffer(content) && res.writableLength === 0) return;
      // The client left before its answer was written: no 'close' follows.
      if (res.destroyed) return;
      const holders = held.get(holds) ?? [];
      held.set(holds, holders);
      holders.push(keyName);
      res.setTimeout(STALLED_MS, () => res.destroy());
      res.once('close', () => {
        holders.splice(holders.indexOf(keyName), 1);
        if (holders.length === 0) held.delete(holds);
      });
    },
  };
}
