// From the rows of a query to the entry that is stored and served.
import { concurrently } from '../core/concurrently.ts';
import { type Endpoint, columnsOf } from '../endpoints/endpoint.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import type { Entry, LiveEntry, Reader } from '../core/result-store.ts';
import type { QueryResult, QueryRunner, ResultPage } from '../core/query-runner.ts';
import type { StoreClock } from '../core/clock.ts';
import { resultTooLarge } from '../core/query-errors.ts';
import { KEY_COLUMN, createKeySplitter } from './split-by-key.ts';
import { type ResultBody, createResultBody } from './result-body.ts';

/** What an entry is computed for. */
export interface EntryOrigin {
  endpoint: Endpoint;
  parameters: CanonicalParameters;
  readers: readonly Reader[];
}

/** The outcome of a query without its rows. */
type Outcome = Pick<QueryResult, 'truncated' | 'jobId' | 'bytesProcessed'>;

/** The results of a batch that are open, or whole. */
interface KeyResult {
  live: LiveEntry;
  key: string;
  body: ResultBody;
  truncated: boolean;
}

const MIB = 1024 * 1024;
/** Results of a batch that are compressed at a time, and documents that it writes at a time. */
const AT_ONCE = 32;
/**
 * Compressed, of all results of a batch: they are held until the job has been read to its end, and
 * WARM_CONCURRENCY batches run at once in an instance of 1 GiB.
 */
const BATCH_BYTES_MAX = 32 * MIB;

/** Runs the query of an endpoint; rejects as the query runner rejects. */
export async function computeEntry(
  queryRunner: QueryRunner,
  storeClock: StoreClock,
  origin: EntryOrigin,
  deadlineMs: number,
  maxResultMib: number,
): Promise<Entry> {
  const { endpoint, parameters } = origin;
  // Before the query starts: the rows are at least as new as this.
  const computedAtMs = storeClock.nowMs();
  const body = createResultBody(bodyBytesMax(maxResultMib));
  const outcome = await queryRunner.run({
    endpoint: endpoint.name,
    sql: endpoint.sql,
    parameters,
    columns: columnsOf(endpoint),
    rowCountMax: endpoint.maxRows,
    onPage: ({ schema, rows }) => {
      body.add(schema, rows);
      return body.flush();
    },
    deadlineMs,
  });
  return toEntry(origin, body, outcome, computedAtMs, storeClock.nowMs());
}

/**
 * Runs the query for live entries of one endpoint, in one job: `query.sql` for one, `warm.sql` for
 * many, whose rows are taken page by page. Hands the entries on once the job has been read to its
 * end, for until then rows may be missing; rejects as the query runner rejects, and then without
 * having handed on any.
 */
export async function computeEntries(
  queryRunner: QueryRunner,
  storeClock: StoreClock,
  request: { endpoint: Endpoint; entries: readonly LiveEntry[]; deadlineMs: number },
  take: (live: LiveEntry, entry: Entry) => Promise<void>,
  countBytes: (bytesProcessed: number) => void,
  maxResultMib: number,
): Promise<void> {
  const { endpoint, entries, deadlineMs } = request;
  const { warming } = endpoint;
  const [first] = entries;
  if (first === undefined) return;
  if (entries.length === 1 || warming === undefined) {
    const origin = { ...first, endpoint };
    const entry = await computeEntry(queryRunner, storeClock, origin, deadlineMs, maxResultMib);
    countBytes(entry.bytesProcessed);
    return take(first, entry);
  }

  const computedAtMs = storeClock.nowMs();
  const byKey = new Map(entries.map((entry, index) => [String(index), entry]));
  const splitter = createKeySplitter([...byKey.keys()], endpoint.maxRows);
  const computed: [LiveEntry, Entry][] = [];
  let computedBytes = 0;
  let open: KeyResult | undefined;
  const begin = (key: string): KeyResult => ({
    live: byKey.get(key) as LiveEntry,
    key,
    body: createResultBody(bodyBytesMax(maxResultMib)),
    truncated: false,
  });
  const finish = async ({ live, body, truncated }: KeyResult, jobId: string): Promise<void> => {
    // What the job has read is counted once, and not for each entry.
    const outcome = { truncated, jobId, bytesProcessed: 0 };
    const entry = await toEntry({ ...live, endpoint }, body, outcome, computedAtMs, computedAtMs);
    computedBytes += entry.body.length;
    if (computedBytes > BATCH_BYTES_MAX) throw resultTooLarge();
    computed.push([live, entry]);
  };
  /** Encodes the rows before anything is waited for, so that they need not be held. */
  const takePage = ({ schema, rows, jobId }: ResultPage): Promise<void> => {
    const complete: KeyResult[] = [];
    let pageBytes = 0;
    for (const part of splitter.push(schema, rows)) {
      if (open !== undefined && open.key !== part.key) complete.push(open);
      if (open?.key !== part.key) open = begin(part.key);
      pageBytes += open.body.add(part.schema, part.rows);
      open.truncated ||= part.truncated;
      if (pageBytes > bodyBytesMax(maxResultMib)) throw resultTooLarge();
    }
    return concurrently(complete, AT_ONCE, (result) => finish(result, jobId)).then(() =>
      open?.body.flush(),
    );
  };
  const { jobId, bytesProcessed } = await queryRunner.run({
    endpoint: endpoint.name,
    sql: warming.sql,
    parameters: pick(first.parameters, (name) => !warming.batchOver.includes(name)),
    keys: [...byKey].map(([key, { parameters }]) => ({
      key,
      ...pick(parameters, (name) => warming.batchOver.includes(name)),
    })),
    columns: [KEY_COLUMN, ...columnsOf(endpoint)],
    rowCountMax: Number.MAX_SAFE_INTEGER,
    onPage: takePage,
    deadlineMs,
  });
  countBytes(bytesProcessed);
  const rest = splitter.finish().map(({ key }) => begin(key));
  if (open !== undefined) rest.push(open);
  await concurrently(rest, AT_ONCE, (result) => finish(result, jobId));
  await concurrently(computed, AT_ONCE, ([live, entry]) => take(live, entry));
}

/** Names of columns may make a body larger than what BigQuery sends. */
function bodyBytesMax(maxResultMib: number): number {
  return 2 * maxResultMib * MIB;
}

function pick(
  parameters: CanonicalParameters,
  isPicked: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => isPicked(name)));
}

/** A missed and a warmed entry of the same rows are the same, byte for byte. */
async function toEntry(
  { endpoint, parameters, readers }: EntryOrigin,
  body: ResultBody,
  { truncated, jobId, bytesProcessed }: Outcome,
  computedAtMs: number,
  lastReadAtMs: number,
): Promise<Entry> {
  return {
    ...(await body.end()),
    endpointId: endpoint.id,
    endpoint: endpoint.name,
    definitionDigest: endpoint.definitionDigest,
    parameters,
    truncated,
    computedAtMs,
    freshUntilMs: computedAtMs + endpoint.cachingSeconds * 1000,
    lastReadAtMs,
    readers,
    jobId,
    bytesProcessed,
  };
}
