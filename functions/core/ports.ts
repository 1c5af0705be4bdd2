// The roles that the flow needs from the outside world; adapters in `google/` play them.
import type { Reason } from './errors.ts';

/** Time as an argument, so that tests control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The time of the store that instances share: they agree on it, however far apart their clocks are.
 * It can jump, so durations and deadlines go by `Clock`.
 */
export type StoreClock = Pick<Clock, 'nowMs'>;

export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

/** Structured log; one call is one line. Fields never hold keys or parameter values. */
export interface Log {
  write(severity: Severity, message: string, fields?: Record<string, unknown>): void;
}

/** A column as BigQuery describes it; `RECORD` columns have `fields`. */
export interface ColumnSchema {
  name: string;
  type: string;
  mode?: string;
  fields?: ColumnSchema[];
}

/** A row as the BigQuery REST API writes it: every value a string, null, record or list. */
export interface WireRow {
  f: { v: unknown }[];
}

export interface QueryRequest {
  /** Endpoint name, for labels and logs. */
  endpoint: string;
  sql: string;
  /** Bound as named STRING parameters. */
  parameters: Readonly<Record<string, string>>;
  /** Not empty; bound as `@keys`, an ARRAY of STRUCTs whose STRING fields are those of the first. */
  keys?: readonly Readonly<Record<string, string>>[];
  /** The columns of the result, in order; a result with others is refused. */
  columns: readonly ColumnSchema[];
  rowCountMax: number;
  /**
   * Takes the rows page by page, each page once and in order, the first also when it is empty; the
   * result then has none. When it rejects, so does the run, with the same error. A page counts as
   * being read until the promise resolves, and whether all rows have come is known at the end alone.
   */
  onPage?: (page: ResultPage) => Promise<void>;
  /** The job is cancelled at this instant. */
  deadlineMs: number;
}

/** A part of a result, no larger than memory bears. */
export type ResultPage = Pick<QueryResult, 'schema' | 'rows' | 'jobId'>;

export interface QueryResult {
  schema: ColumnSchema[];
  /** At most `rowCountMax` rows, in the order of the query. */
  rows: WireRow[];
  /** True when the query had more rows than `rowCountMax`. */
  truncated: boolean;
  jobId: string;
  bytesProcessed: number;
}

/** Runs read-only SQL. Rejects with a `ServiceError` for every outcome that a caller can be told of. */
export interface QueryRunner {
  run(request: QueryRequest): Promise<QueryResult>;
}

/** A computed result with what it was computed from. */
export interface Entry {
  endpointId: string;
  endpoint: string;
  definitionDigest: string;
  parameters: Readonly<Record<string, string>>;
  /** The response body, compressed with gzip. */
  body: Buffer;
  /** Size of the body before compression. */
  bodyBytes: number;
  etag: string;
  rowCount: number;
  truncated: boolean;
  /** When the query was started: the rows are no older than this. */
  computedAtMs: number;
  /** First instant at which the entry may no longer be served. */
  freshUntilMs: number;
  lastReadAtMs: number;
  /** Who has read the entry lately: see `withReader`. */
  readers: readonly Reader[];
  jobId: string;
  bytesProcessed: number;
}

/** An API key that has read an entry, and when it was last recorded. */
export interface Reader {
  keyName: string;
  readAtMs: number;
}

/** What warming knows of an entry: all but the rows. */
export interface LiveEntry extends Pick<
  Entry,
  | 'endpointId'
  | 'endpoint'
  | 'definitionDigest'
  | 'parameters'
  | 'readers'
  | 'computedAtMs'
  | 'freshUntilMs'
  | 'lastReadAtMs'
> {
  cacheKey: string;
  /** What the store needs to replace exactly what was listed; nobody else looks into it. */
  version: unknown;
}

/** A part of a listing. */
export interface LivePage {
  entries: LiveEntry[];
  /** Cache keys of documents that are no entries. */
  unreadable: string[];
}

/** `superseded`: newer rows are stored, and these are not. `gone`: there is no entry to refresh. */
export type WriteOutcome = 'written' | 'superseded' | 'gone';

/**
 * Result documents by cache key. Only `read-through.ts` uses it. Rows never replace newer ones: a write
 * loses against a later `computedAtMs`, and one with the same `computedAtMs` counts as written, because
 * it is the same one, repeated.
 */
export interface ResultStore {
  /**
   * Undefined on a miss, and for a document that is no entry. May return expired entries: expiry is
   * the reader's to check.
   */
  get(cacheKey: string): Promise<Entry | undefined>;
  /** Writes the whole entry. */
  set(cacheKey: string, entry: Entry): Promise<Exclude<WriteOutcome, 'gone'>>;
  /** Records who looks at the entry. Rejects where there is none. */
  touch(cacheKey: string, lastReadAtMs: number, readers: readonly Reader[]): Promise<void>;
  /** Replaces the rows and leaves who reads them as it is; never makes an entry. */
  refresh(
    live: Pick<LiveEntry, 'cacheKey' | 'computedAtMs' | 'version'>,
    entry: Entry,
  ): Promise<WriteOutcome>;
  /**
   * The entries read at `sinceMs` or later, the most recently read first, as they were when the first
   * page was read. Pages are asked for one by one.
   */
  listLive(sinceMs: number): AsyncIterable<LivePage>;
}

/** What an instance that waits for a lease can see of it. */
export interface LeaseState {
  owner: string;
  untilMs: number;
  /** What the owner left for those who waited, when there is nothing to read. */
  outcome?: LeaseOutcome;
}

/** The run failed, or its rows could not be stored and everybody has to run. */
export type LeaseOutcome = { reason: Reason; message: string } | 'unstored';

/** A lease that this instance holds. */
export interface Lease {
  /** False when the lease has gone to somebody else in the meantime. */
  renew(untilMs: number): Promise<boolean>;
  /** Gives the lease up; an outcome is left for those who wait. Does nothing when it was lost. */
  release(outcome?: LeaseOutcome): Promise<void>;
}

/** Mutual exclusion across instances, with a deadline for holders that die. */
export interface LeaseStore {
  /** Undefined when somebody else holds it and `nowMs` is before its end. */
  acquire(name: string, owner: string, nowMs: number, untilMs: number): Promise<Lease | undefined>;
  read(name: string): Promise<LeaseState | undefined>;
}

/** An API key without its secret. */
export interface ApiKey {
  name: string;
  /** Endpoint names, or `*` for all. */
  endpoints: string[];
  /** Allowed literal values by parameter; a parameter that is not listed is free. */
  parameters?: Record<string, string[]>;
  createdAtMs?: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
}

/** API keys by the SHA-256 of the key, in hexadecimal. */
export interface KeyStore {
  get(digest: string): Promise<ApiKey | undefined>;
  /** Replaces the whole key. */
  set(digest: string, key: ApiKey): Promise<void>;
  /** Every key there is, in no order; undefined in place of one that cannot be read. */
  list(): Promise<Map<string, ApiKey | undefined>>;
}
