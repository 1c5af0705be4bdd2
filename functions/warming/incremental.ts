// What a job of an incremental batch reads, and how its rows are joined with those that are kept of a stored result.
import type { ColumnSchema, Scan, WireRow } from '../core/query-runner.ts';
import type { Entry, LiveEntry } from '../core/result-store.ts';
import { type BucketSpan, spanOf, windowAt } from '../endpoints/bucket-span.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { recordEncoder } from '../cache/encode.ts';
import { jsonOf, rowTexts } from '../cache/row-texts.ts';

/** The buckets that are kept: those that start at `fromMs` or later, and before `untilMs`. */
interface Kept {
  fromMs: number;
  untilMs: number;
}

/**
 * What a job has to read for entries of an endpoint at `nowMs`. `keptUntilMsOf` is that of an entry; without it, all rows are
 * read. A job recomputes one cut bucket, that of the longest window; results of other windows are read as a whole.
 */
export function scanFor<Entry extends Pick<LiveEntry, 'parameters'>>(
  endpoint: Endpoint,
  entries: readonly Entry[],
  nowMs: number,
  keptUntilMsOf: (entry: Entry) => number = () => -Infinity,
): Scan {
  const needs = entries.map((entry) => {
    const span = spanOf(endpoint, entry.parameters);
    if (span === undefined) throw new Error('An incremental endpoint has no window.');
    const { startMs, cutUntilMs } = windowAt(span, nowMs);
    const sinceMs = keptUntilMsOf(entry);
    // With as much as that to read again, nothing is kept.
    const keeps = sinceMs > cutUntilMs && !(span.isWhole && cutUntilMs > startMs);
    return { ...span, startMs, cutUntilMs, sinceMs: keeps ? sinceMs : startMs };
  });
  const cut = needs.filter(({ sinceMs, startMs, isWhole }) => sinceMs > startMs && !isWhole);
  const longestMs = Math.max(...cut.map(({ windowMs }) => windowMs));
  const longest = cut.filter(({ windowMs }) => windowMs === longestMs);
  const untilMs =
    longest.length > 0 ? Math.max(...longest.map((one) => one.cutUntilMs)) : undefined;
  const sinceMs = Math.min(
    ...needs.map((one) => (!one.isWhole && one.windowMs !== longestMs ? one.startMs : one.sinceMs)),
  );
  if (untilMs === undefined || untilMs < sinceMs) return { sinceMs, untilMs };
  return { sinceMs: Math.min(...needs.map(({ startMs }) => startMs)) };
}

/** The buckets that a result keeps when a job reads `scan` at `nowMs`; undefined if the job reads all its rows. */
export function keptBuckets(
  span: BucketSpan,
  { sinceMs, untilMs = -Infinity }: Scan,
  nowMs: number,
): Kept | 'uncovered' | undefined {
  const { startMs, cutUntilMs } = windowAt(span, nowMs);
  if (sinceMs <= startMs) return undefined;
  if (cutUntilMs > startMs && cutUntilMs > untilMs) return 'uncovered';
  return { fromMs: cutUntilMs, untilMs: sinceMs };
}

/** Whether a job gives the rows of an entry, together with those that it keeps. */
export function isCovered(
  endpoint: Endpoint,
  entry: LiveEntry,
  { scan, startedAtMs }: { scan: Scan; startedAtMs: number },
  keptUntilMsOf: (entry: LiveEntry) => number,
): boolean {
  const span = spanOf(endpoint, entry.parameters);
  const kept = span && keptBuckets(span, scan, startedAtMs);
  if (kept === undefined) return span !== undefined;
  return kept !== 'uncovered' && kept.untilMs <= keptUntilMsOf(entry);
}

/** The rows of one result that a job has read, until they are joined with the kept ones of the stored result. */
export function createRowJoin({ column }: { column: string }, { fromMs, untilMs }: Kept) {
  const before: string[] = [];
  const after: string[] = [];
  return {
    /** Returns the length of their texts. */
    add(schema: readonly ColumnSchema[], rows: readonly WireRow[]): number {
      const place = schema.findIndex(({ name }) => name === column);
      const encode = recordEncoder(schema);
      let length = 0;
      for (const row of rows) {
        const startMs = wireMs(schema[place]?.type, row.f[place]?.v);
        const list = startMs >= untilMs ? after : startMs < fromMs ? before : undefined;
        // Other rows are of buckets that are read in part, for other results of the job.
        if (list === undefined) continue;
        const text = encode(row);
        length += text.length;
        list.push(text);
      }
      return length;
    },
    /** All rows, in the order of the query. */
    join(stored: Pick<Entry, 'body' | 'bodyBytes'>): string[] {
      const rows = rowTexts(jsonOf(stored).toString());
      const [from, until] = [fromMs, untilMs].map((ms) => firstAtOrAfter(rows, column, ms));
      return [...before, ...rows.slice(from, until), ...after];
    },
  };
}

/** By bisection: a result begins with its oldest bucket. */
function firstAtOrAfter(rows: readonly string[], column: string, ms: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = JSON.parse(rows[middle] ?? '{}') as Record<string, unknown>;
    if (textMs(row[column]) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wireMs(type: string | undefined, value: unknown): number {
  return type === 'TIMESTAMP' ? Number(value) / 1000 : textMs(value);
}

/** A DATE, a DATETIME or a TIMESTAMP as a body has it. */
function textMs(value: unknown): number {
  const text = String(value);
  const ms = Date.parse(text.includes('T') ? `${text.replace(/Z$/, '')}Z` : text);
  if (Number.isNaN(ms)) throw new Error('A bucket of an incremental result has no time.');
  return ms;
}
