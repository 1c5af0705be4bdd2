// Builds the compressed JSON body of a result page by page, so that little of it is in memory.
import { createHash } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { type Gzip, createGzip } from 'node:zlib';
import { RESULT_END, RESULT_START, recordEncoder } from './encode.ts';
import { contentTag, ownBytes } from '../core/bytes.ts';
import { usualError } from '../core/errors.ts';
import type { ColumnSchema, WireRow } from '../core/query-runner.ts';
import type { Entry } from '../core/result-store.ts';

export type ResultBody = ReturnType<typeof createResultBody>;

/** How many characters are collected before they are encoded as bytes. */
const TEXT_LENGTH = 256 * 1024;
/** A larger body is compressed in larger steps, because each step waits for its turn on a busy instance. */
const SMALL_BODY_BYTES = 64 * 1024;
const LARGE_STEP_BYTES = 256 * 1024;

export function createResultBody(bytesMax: number) {
  const sha256 = createHash('sha256');
  const compressed: Buffer[] = [];
  let gzip: Gzip | undefined;
  let pending: Buffer[] = [];
  let bodyBytes = 0;
  let rowCount = 0;

  return { add, addRows, flush, abandon, end };

  /** Synchronous, so that rows need not be kept. Returns their bytes; throws RESULT_BYTES_LIMIT for too large a body. */
  function add(schema: readonly ColumnSchema[], rows: readonly WireRow[]): number {
    return addRows(rows.values().map(recordEncoder(schema)));
  }

  /** The same for rows that are encoded already. */
  function addRows(rows: Iterable<string>): number {
    const before = bodyBytes;
    let text = '';
    for (const row of rows) {
      text += `${rowCount === 0 ? RESULT_START : ','}${row}`;
      rowCount += 1;
      if (text.length < TEXT_LENGTH) continue;
      addText(text);
      text = '';
    }
    addText(text);
    return bodyBytes - before;
  }

  function addText(text: string): void {
    const bytes = Buffer.from(text);
    bodyBytes += bytes.length;
    if (bodyBytes > bytesMax) {
      pending = [];
      throw usualError('RESULT_BYTES_LIMIT');
    }
    sha256.update(bytes);
    pending.push(bytes);
  }

  /** Resolves once all added rows are compressed. */
  async function flush(): Promise<void> {
    const stream = (gzip ??= startGzip());
    for (let bytes = pending.shift(); bytes !== undefined; bytes = pending.shift()) {
      const part = bytes;
      await new Promise<void>((resolve, reject) => {
        stream.write(part, (error) => (error ? reject(error) : resolve()));
      });
    }
  }

  /** Drops all rows; a `flush` that is under way rejects. Nothing can be added after it. */
  function abandon(): void {
    pending = [];
    compressed.length = 0;
    gzip?.destroy();
  }

  /** The whole body; nothing can be added after it. */
  async function end(): Promise<Pick<Entry, 'body' | 'bodyBytes' | 'etag' | 'rowCount'>> {
    addText(rowCount === 0 ? RESULT_START + RESULT_END : RESULT_END);
    await flush();
    const stream = (gzip ??= startGzip());
    stream.end();
    await finished(stream);
    return { body: ownBytes(...compressed), bodyBytes, etag: contentTag(sha256), rowCount };
  }

  function startGzip(): Gzip {
    const options = bodyBytes > SMALL_BODY_BYTES ? { chunkSize: LARGE_STEP_BYTES } : {};
    return createGzip(options).on('data', (chunk: Buffer) => compressed.push(chunk));
  }
}
