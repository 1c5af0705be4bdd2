// Cuts a page, small enough for a conversation, out of a stored result, with the cursor of the next page.
import { invalidParameters } from '../endpoints/parameters.ts';
import { parseExact } from '../http/row-formats.ts';
import type { Served } from '../cache/reading.ts';
import { jsonOf, rowTexts } from '../cache/row-texts.ts';

export const PAGE_ROWS_MAX = 200;
/** Maximum size of the answer as JSON text. */
export const PAGE_BYTES_MAX = 32_000;
const ENVELOPE_BYTES_MAX = 200;

export interface PageRequest {
  /** At most `PAGE_ROWS_MAX`. */
  limit: number;
  /** In the order of the result; all if undefined. */
  columns: readonly string[] | undefined;
  cursor: Cursor | undefined;
}

/** A place in a result. It grants no access: each page is authorised by its own parameters. */
interface Cursor {
  offset: number;
  etag: string;
}

type Row = Record<string, unknown>;

const CURSOR = /^(\d{1,6})\.([\w-]{22})$/;

/** Undefined if `pageOf` cannot have made the text. */
export function parseCursor(text: string): Cursor | undefined {
  const [, offset, etag] = CURSOR.exec(text) ?? [];
  return offset === undefined || etag === undefined ? undefined : { offset: Number(offset), etag };
}

/** Throws INVALID_PARAMETERS for a cursor of other rows, and for a row that is larger than a page. */
export function pageOf({ entry, stored }: Served, { limit, columns, cursor }: PageRequest) {
  const offset = cursor?.offset ?? 0;
  if (cursor !== undefined && (cursor.etag !== entry.etag || offset >= entry.rowCount)) {
    const outdated = 'is outdated, because the rows were refreshed: call again without it';
    throw invalidParameters([['cursor', outdated]]);
  }
  const result: Row[] = [];
  let bytes = ENVELOPE_BYTES_MAX;
  for (const text of rowTexts(jsonOf(entry).toString(), offset, limit)) {
    const whole = parseExact(text) as Row;
    const row = columns ? Object.fromEntries(columns.map((name) => [name, whole[name]])) : whole;
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (bytes > PAGE_BYTES_MAX) break;
    result.push(row);
  }
  const next = offset + result.length;
  const hasMore = next < entry.rowCount;
  if (result.length === 0 && hasMore) {
    const excess = `row ${offset + 1} alone has more than ${PAGE_BYTES_MAX / 1000} kB`;
    throw invalidParameters([['columns', `must name fewer columns: ${excess}`]]);
  }
  return {
    result,
    // Rows follow: on the next page if there is a cursor, else beyond what the endpoint answers.
    truncated: hasMore || entry.truncated,
    rows: entry.rowCount,
    // If the result is not stored, another instance would not have its next page.
    ...(hasMore && stored ? { cursor: `${next}.${entry.etag}` } : {}),
  };
}
