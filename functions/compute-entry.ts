// From the rows of a query to the entry that is stored and served.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { concurrently } from './concurrently.ts';
import { encodeRows } from './core/encode.ts';
import type { Endpoint } from './core/endpoint.ts';
import { contentTag } from './core/http-caching.ts';
import type { CanonicalParameters } from './core/parameters.ts';
import type {
  Entry,
  LiveEntry,
  QueryResult,
  QueryRunner,
  Reader,
  StoreClock,
} from './core/ports.ts';
import { type KeyResult, createKeySplitter } from './core/split-by-key.ts';

/** What an entry is computed for. */
export interface EntryOrigin {
  endpoint: Endpoint;
  parameters: CanonicalParameters;
  readers: readonly Reader[];
}

const compress = promisify(gzip);
/** Documents that a batch writes at a time. */
const WRITES_AT_ONCE = 32;

/** Runs the query of an endpoint; rejects as the query runner rejects. */
export async function computeEntry(
  queryRunner: QueryRunner,
  storeClock: StoreClock,
  origin: EntryOrigin,
  deadlineMs: number,
): Promise<Entry> {
  const { endpoint, parameters } = origin;
  // Before the query starts: the rows are at least as new as this.
  const computedAtMs = storeClock.nowMs();
  const result = await queryRunner.run({
    endpoint: endpoint.name,
    sql: endpoint.sql,
    parameters,
    rowCountMax: endpoint.maxRows,
    deadlineMs,
  });
  return toEntry(origin, result, computedAtMs, storeClock.nowMs());
}

/**
 * Runs the query for live entries of one endpoint, in one job: `query.sql` for one, `warm.sql` for
 * many, whose rows are taken page by page. Hands each entry on as soon as it is complete; rejects as
 * the query runner rejects, after entries that were complete have been handed on.
 */
export async function computeEntries(
  queryRunner: QueryRunner,
  storeClock: StoreClock,
  request: { endpoint: Endpoint; entries: readonly LiveEntry[]; deadlineMs: number },
  take: (live: LiveEntry, entry: Entry) => Promise<void>,
  countBytes: (bytesProcessed: number) => void,
): Promise<void> {
  const { endpoint, entries, deadlineMs } = request;
  const { warming } = endpoint;
  const [first] = entries;
  if (first === undefined) return;
  if (entries.length === 1 || warming === undefined) {
    const entry = await computeEntry(queryRunner, storeClock, { ...first, endpoint }, deadlineMs);
    countBytes(entry.bytesProcessed);
    return take(first, entry);
  }

  const computedAtMs = storeClock.nowMs();
  const byKey = new Map(entries.map((entry, index) => [String(index), entry]));
  const splitter = createKeySplitter([...byKey.keys()], endpoint.maxRows);
  const takeAll = (results: KeyResult[], jobId: string): Promise<void> =>
    concurrently(results, WRITES_AT_ONCE, async ({ key, schema, rows, truncated }) => {
      const live = byKey.get(key) as LiveEntry;
      // What the job has read is counted once, and not for each entry.
      const result = { schema, rows, truncated, jobId, bytesProcessed: 0 };
      await take(live, await toEntry({ ...live, endpoint }, result, computedAtMs, computedAtMs));
    });
  const { jobId, bytesProcessed } = await queryRunner.run({
    endpoint: endpoint.name,
    sql: warming.sql,
    parameters: pick(first.parameters, (name) => !warming.batchOver.includes(name)),
    keys: [...byKey].map(([key, { parameters }]) => ({
      key,
      ...pick(parameters, (name) => warming.batchOver.includes(name)),
    })),
    rowCountMax: Number.MAX_SAFE_INTEGER,
    onPage: (page) => takeAll(splitter.push(page.schema, page.rows), page.jobId),
    deadlineMs,
  });
  countBytes(bytesProcessed);
  await takeAll(splitter.finish(), jobId);
}

function pick(
  parameters: CanonicalParameters,
  isPicked: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => isPicked(name)));
}

/** A copy: the buffer of a short result is a view of 16 KiB, which would stay in memory with it. */
function ownBytes(view: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(view.length);
  view.copy(bytes);
  return bytes;
}

/** A missed and a warmed entry of the same rows are the same, byte for byte. */
export async function toEntry(
  { endpoint, parameters, readers }: EntryOrigin,
  result: QueryResult,
  computedAtMs: number,
  lastReadAtMs: number,
): Promise<Entry> {
  const json = Buffer.from(encodeRows(result.schema, result.rows));
  return {
    endpointId: endpoint.id,
    endpoint: endpoint.name,
    definitionDigest: endpoint.definitionDigest,
    parameters,
    body: ownBytes(await compress(json)),
    bodyBytes: json.length,
    etag: contentTag(json),
    rowCount: result.rows.length,
    truncated: result.truncated,
    computedAtMs,
    freshUntilMs: computedAtMs + endpoint.cachingSeconds * 1000,
    lastReadAtMs,
    readers,
    jobId: result.jobId,
    bytesProcessed: result.bytesProcessed,
  };
}
