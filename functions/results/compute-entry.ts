// Computes cache entries: one by `query.sql`, or many in one job by `warm.sql`.
import { eachLimit } from '../core/each-limit.ts';
import { type Endpoint, columnsOf, isWarmed, typesOf } from '../endpoints/endpoint.ts';
import {
  type CanonicalParameters,
  batchFields,
  sharedParameters,
} from '../endpoints/parameters.ts';
import type { Entry, LiveEntry, Reader } from '../core/result-store.ts';
import type { QueryResult, QueryRunner, ResultPage } from '../core/query-runner.ts';
import type { StoreClock } from '../core/clock.ts';
import { resultTooLarge } from '../core/query-errors.ts';
import { KEY_COLUMN, createKeySplitter } from './split-batch.ts';
import { type ResultBody, createResultBody } from './result-body.ts';

/** The request for which an entry is computed. */
export interface EntryOrigin {
  endpoint: Endpoint;
  parameters: CanonicalParameters;
  readers: readonly Reader[];
  /** See `QueryRequest`. */
  owner?: string;
}

/** The outcome of a query without its rows. */
type Outcome = Pick<QueryResult, 'truncated' | 'jobId' | 'bytesProcessed'>;

/** The results of a batch, incomplete or complete. */
interface KeyResult {
  live: LiveEntry;
  key: string;
  body: ResultBody;
  truncated: boolean;
}

const MIB = 1024 * 1024;
/** How many results of a batch are compressed, or written to the store, at the same time. */
const AT_ONCE = 32;
/**
 * Bound on the compressed results of a batch, which are held until the job was read to its end.
 * WARM_CONCURRENCY batches run at the same time in an instance of 1 GiB.
 */
const BATCH_BYTES_MAX = 32 * MIB;

/** Runs the query of an endpoint; rejects with the errors of the query runner. */
export async function computeEntry(
  queryRunner: QueryRunner,
  storeClock: StoreClock,
  origin: EntryOrigin,
  deadlineMs: number,
  maxResultMib: number,
): Promise<Entry> {
  const { endpoint, parameters } = origin;
  // Taken before the query starts, so the rows are at least as new.
  const computedAtMs = storeClock.nowMs();
  const body = createResultBody(bodyBytesMax(maxResultMib));
  const outcome = await queryRunner.run({
    endpoint: endpoint.name,
    owner: origin.owner,
    sql: endpoint.sql,
    parameters,
    types: typesOf(endpoint),
    columns: columnsOf(endpoint),
    rowCountMax: endpoint.maxRows,
    onPage: ({ schema, rows }) => {
      body.add(schema, rows);
      return body.flush();
    },
    deadlineMs,
  });
  // Warming lists entries by their last read, so it never finds one of an endpoint that is not warmed.
  const lastReadAtMs = isWarmed(endpoint) ? storeClock.nowMs() : 0;
  return toEntry(origin, body, outcome, computedAtMs, lastReadAtMs);
}

/**
 * Runs the query for live entries of one endpoint in one job: `query.sql` for one entry, `warm.sql` for
 * many, read page by page. Passes the entries on once the job was read to its end, because rows may be
 * missing before. Rejects with the errors of the query runner, and then passes none on.
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
  const begin = (key: string): KeyResult => {
    const live = byKey.get(key);
    if (live === undefined) throw new Error('A batch returned an unknown key.');
    return { live, key, body: createResultBody(bodyBytesMax(maxResultMib)), truncated: false };
  };
  const finish = async ({ live, body, truncated }: KeyResult, jobId: string): Promise<void> => {
    // The bytes that the job read are counted once, not for each entry.
    const outcome = { truncated, jobId, bytesProcessed: 0 };
    const entry = await toEntry({ ...live, endpoint }, body, outcome, computedAtMs, computedAtMs);
    computedBytes += entry.body.length;
    if (computedBytes > BATCH_BYTES_MAX) throw resultTooLarge();
    computed.push([live, entry]);
  };
  /** Encodes the rows before it awaits anything, so that they need not be kept. */
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
    return eachLimit(complete, AT_ONCE, (result) => finish(result, jobId)).then(() =>
      open?.body.flush(),
    );
  };
  const { jobId, bytesProcessed } = await queryRunner.run({
    endpoint: endpoint.name,
    sql: warming.sql,
    parameters: sharedParameters(warming, first.parameters),
    keys: [...byKey].map(([key, { parameters }]) => ({
      key,
      ...batchFields(warming, parameters),
    })),
    types: typesOf(endpoint),
    columns: [KEY_COLUMN, ...columnsOf(endpoint)],
    rowCountMax: Number.MAX_SAFE_INTEGER,
    onPage: takePage,
    deadlineMs,
  });
  countBytes(bytesProcessed);
  const rest = splitter.finish().map(({ key }) => begin(key));
  if (open !== undefined) rest.push(open);
  await eachLimit(rest, AT_ONCE, (result) => finish(result, jobId));
  await eachLimit(computed, AT_ONCE, ([live, entry]) => take(live, entry));
}

/** The column names can make a body larger than BigQuery's answer. */
function bodyBytesMax(maxResultMib: number): number {
  return 2 * maxResultMib * MIB;
}

/** The same rows give the same entry, byte for byte, whether missed or warmed. */
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
