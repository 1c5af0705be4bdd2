// Computes the cache entries of a batch in one job by the query of the batch, or one entry by `query.sql`.
import { eachLimit } from '../core/each-limit.ts';
import { usualError } from '../core/errors.ts';
import type {
  ColumnSchema,
  QueryCause,
  ResultPage,
  RowsOrigin,
  Scan,
  WireRow,
} from '../core/query-runner.ts';
import {
  DOCUMENT_BODY_BYTES_MAX as DOCUMENT_BYTES,
  type Entry,
  type LiveEntry,
} from '../core/result-store.ts';
import { spanOf } from '../endpoints/bucket-span.ts';
import { type Endpoint, columnsOf, typesOf } from '../endpoints/endpoint.ts';
import { batchFields, sharedParameters } from '../endpoints/parameters.ts';
import {
  type ComputeDeps,
  type EntryOrigin,
  type QueryTerms,
  bodyBytesMax,
  computeEntry,
  toEntry,
} from '../cache/compute-entry.ts';
import { fullAtMs } from '../cache/freshness.ts';
import { createResultBody } from '../cache/result-body.ts';
import { createRowJoin, keptBuckets, scanFor } from './incremental.ts';

/** The first column of a batch. */
export const KEY_COLUMN: ColumnSchema = { name: 'key', type: 'STRING' };

/** The results of a batch, in the order of its keys; undefined for one whose rows are not wanted any more. */
export type BatchEntries = readonly (LiveEntry | undefined)[];

export function wanted(entries: BatchEntries): LiveEntry[] {
  return entries.filter((entry) => entry !== undefined);
}

interface BatchRequest extends ComputeDeps, QueryTerms, QueryCause {
  endpoint: Endpoint;
  /** More than one only if the endpoint has `warming`. */
  entries: BatchEntries;
  tableState?: EntryOrigin['tableState'];
  /** What an incremental batch reads; all rows of the entries if absent. */
  scan?: Scan | undefined;
  /** The stored result whose rows are kept; undefined if it cannot be read. */
  stored?: (live: LiveEntry) => Promise<Entry | undefined>;
  /** Receives each entry whose rows cannot be joined with kept ones. */
  onUnkept?: (live: LiveEntry) => void;
  /** Receives the bytes that the job read, once. */
  onBytes: (bytesProcessed: number) => void;
  /** Receives each entry with the one that it replaces. */
  onEntry: (live: LiveEntry, entry: Entry) => Promise<void>;
}

/** How many results of a batch are compressed, or written to the store, at the same time. */
const AT_ONCE = 32;
/** How many of those that take several documents: the store writes few at once, and the time in which they wait counts. */
const LARGE_AT_ONCE = 2;
/** Of its compressed results, which wait in memory for its end: WARM_CONCURRENCY batches take a quarter of 1 GiB. More is halved. */
const BATCH_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Runs the query for live entries of one endpoint in one job: `query.sql` for one entry, the query of the batch for
 * many, read page by page. Passes the entries on only after the job was read to its end, because rows may
 * be missing before. Rejects with the errors of the query runner, and then passes none on.
 */
export async function computeEntries(request: BatchRequest): Promise<void> {
  const { endpoint, entries, onBytes, onEntry } = request;
  const [first] = wanted(entries);
  if (first === undefined) return;
  if ((entries.length === 1 && !request.scan) || endpoint.warming === undefined) {
    const { parameters, readers } = first;
    const entry = await computeEntry(request, { ...request, parameters, readers });
    onBytes(entry.bytesProcessed);
    return onEntry(first, entry);
  }
  const { warming } = endpoint;
  const { startedAtMs = request.clock.nowMs() } = request;
  const scan =
    warming.incremental && (request.scan ?? scanFor(endpoint, wanted(entries), startedAtMs));
  const batch = openBatch({ ...request, scan, startedAtMs });
  const outcome = await request.queryRunner.run({
    ...request,
    endpoint: endpoint.name,
    maxBytesBilled: endpoint.maxBytesBilled,
    sql: warming.sql,
    parameters: {
      ...sharedParameters(warming, first.parameters),
      ...(scan && scanParameters(endpoint, scan, startedAtMs)),
    },
    keys: entries.flatMap((entry, index) =>
      entry === undefined
        ? []
        : [{ key: String(index), ...batchFields(warming, entry.parameters) }],
    ),
    types: { ...typesOf(endpoint), ...(scan && SCAN_TYPES) },
    columns: [KEY_COLUMN, ...columnsOf(endpoint)],
    rowCountMax: Number.MAX_SAFE_INTEGER,
    onPage: (page) => batch.take(page),
  });
  onBytes(outcome.bytesProcessed);
  const computed = await batch.end(outcome);
  const { small = [], large = [] } = Object.groupBy(computed, ([, { body }]) =>
    body.length > DOCUMENT_BYTES ? 'large' : 'small',
  );
  await eachLimit(small, AT_ONCE, (one) => onEntry(...one));
  await eachLimit(large, LARGE_AT_ONCE, (one) => onEntry(...one));
}

/** The entries of a batch whose job is being read, in the order of its keys; the key of an entry is its place. */
function openBatch(request: BatchRequest & { startedAtMs: number }) {
  const { endpoint, entries, tableState, scan, maxResultMib, startedAtMs: computedAtMs } = request;
  const { onUnkept = () => undefined } = request;
  const awaited = new Set([...entries.keys()].map(String));
  const computed: [LiveEntry, Entry][] = [];
  let computedBytes = 0;
  type KeyResult = ReturnType<typeof begin>;
  /** The result that continues on the next page. */
  let open: KeyResult | undefined;

  return {
    /** Encodes the rows before it awaits anything, so that they need not be kept. */
    take({ schema, rows, ...origin }: ResultPage): Promise<void> {
      if (schema[0]?.name !== KEY_COLUMN.name) {
        throw new Error('The first column of a batch must be key.');
      }
      const complete: KeyResult[] = [];
      let pageBytes = 0;
      for (const stretch of stretchesOf(rows)) {
        if (open?.key !== stretch.key) {
          if (open !== undefined) complete.push(open);
          open = begin(stretch.key);
        }
        const room = Math.max(0, endpoint.maxRows - open.rowCount);
        open.rowCount += stretch.rows.length;
        pageBytes += (open.join ?? open.body).add(schema.slice(1), stretch.rows.slice(0, room));
        if (pageBytes > bodyBytesMax(maxResultMib)) throw usualError('RESULT_BYTES_LIMIT');
      }
      return finish(complete, origin).then(() => open?.body.flush());
    },
    /** All entries, also those without rows. */
    async end(origin: RowsOrigin): Promise<[LiveEntry, Entry][]> {
      const rest = [...awaited].map(begin);
      if (open !== undefined) rest.push(open);
      await finish(rest, origin);
      return computed;
    },
  };

  /** Throws unless the key is one of those that have not come: no row may end up under another. */
  function begin(key: string) {
    if (!awaited.delete(key)) {
      throw new Error(
        'A batch returned an unknown key, or one again: its query must return key of @keys as it is, and order the rows by key.',
      );
    }
    const live = entries[Number(key)];
    const span = scan && live && spanOf(endpoint, live.parameters);
    const kept = span && keptBuckets(span, scan, computedAtMs);
    if (kept === 'uncovered') throw new Error('A job does not read the bucket that a window cuts.');
    /** Present if rows of the stored result are kept. */
    const join = kept && endpoint.bucket && createRowJoin(endpoint.bucket, kept);
    const body = createResultBody(bodyBytesMax(maxResultMib));
    return { live, key, body, join, rowCount: 0 };
  }

  function finish(results: readonly KeyResult[], origin: RowsOrigin): Promise<void> {
    const { jobId, localRowsCut } = origin;
    return eachLimit(results, AT_ONCE, async ({ live, body, join, rowCount }) => {
      if (live === undefined) return body.abandon();
      const isCut = rowCount > endpoint.maxRows;
      const rows = isCut ? undefined : await merged(live, join);
      if (join !== undefined && rows === undefined) {
        body.abandon();
        return onUnkept(live);
      }
      body.addRows(rows?.slice(0, endpoint.maxRows) ?? []);
      const truncated = isCut || (rows?.length ?? 0) > endpoint.maxRows;
      // The bytes that the job read are counted once, not for each entry.
      const outcome = { truncated, jobId, localRowsCut, bytesProcessed: 0, bytesBilled: 0 };
      const ofEntry = tableState && { ...tableState, fullAtMs: join && fullAtMs(live) };
      const { parameters, readers } = live;
      const result = { endpoint, parameters, readers, tableState: ofEntry };
      const entry = await toEntry(result, body, outcome, {
        computedAtMs,
        lastReadAtMs: computedAtMs,
      });
      computedBytes += entry.body.length;
      if (computedBytes > BATCH_BYTES_MAX) throw usualError('RESULT_BYTES_LIMIT');
      computed.push([live, entry]);
    });
  }

  /** Undefined if nothing is kept, or if the stored rows are not those that were listed. */
  async function merged(live: LiveEntry, join: KeyResult['join']): Promise<string[] | undefined> {
    const stored = join && (await request.stored?.(live));
    try {
      return stored?.computedAtMs === live.computedAtMs ? join?.join(stored) : undefined;
    } catch {
      // Damaged.
      return undefined;
    }
  }
}

/** The rows by key, those that follow each other together, without their first column. */
function stretchesOf(rows: readonly WireRow[]) {
  const stretches: { key: string; rows: WireRow[] }[] = [];
  for (const { f: fields } of rows) {
    const key = String(fields[0]?.v);
    if (stretches.at(-1)?.key !== key) stretches.push({ key, rows: [] });
    stretches.at(-1)?.rows.push({ f: fields.slice(1) });
  }
  return stretches;
}

export const SCAN_TYPES = { now: 'TIMESTAMP', since: 'TIMESTAMP', until: 'TIMESTAMP' } as const;

/** What is bound for an incremental batch. Without a cut bucket, `@until` is before all rows. */
export function scanParameters({ bucket }: Endpoint, { sinceMs, untilMs }: Scan, nowMs: number) {
  const [now = '', since = '', until] = [nowMs, sinceMs, untilMs ?? 0].map((ms) =>
    new Date(ms).toISOString(),
  );
  return { now, since, ...(bucket?.whole ? {} : { until: until ?? '' }) };
}
