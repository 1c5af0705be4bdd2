// Declares the stores of cached results and of demands to refresh them, which firestore/ implements.
import { type FieldsOf, hasForm, isCount, isText, optional } from './json.ts';
import { isParameters } from './parameter-type.ts';

/** The tables of a result as BigQuery described them before its query was started. */
export const SOURCE_STATE = {
  /** The time at which BigQuery described them, by its own clock. */
  askedAtMs: isCount,
  /** SHA-256 over the states of all tables that the query reads; empty if one of them is not known. */
  digest: isText,
  /** The same without the partitioned table of an incremental endpoint; undefined if the rows cannot be kept. */
  restDigest: optional(isText),
  /** When all rows were computed; undefined if they were computed together. */
  fullAtMs: optional(isCount),
};
export type SourceState = FieldsOf<typeof SOURCE_STATE>;

const READER = { keyName: isText, readAtMs: isCount };
export type Reader = FieldsOf<typeof READER>;

/** What warming needs to know of a result: without the body, so that a listing of ten thousand stays small. */
export const DESCRIPTION = {
  endpointId: isText,
  endpoint: isText,
  /** The digest of the endpoint under which it was computed. */
  resultDigest: isText,
  parameters: isParameters,
  /** The recent readers of the entry: see `withReader`. A list, because names of keys may contain what field names may not. */
  readers: (value: unknown): value is Reader[] =>
    Array.isArray(value) && value.every(hasForm(READER)),
  /** When the query was started: the rows are no older than this. */
  computedAtMs: isCount,
  /** When the tables were last found unchanged, if that was later: the rows are as fresh as this. */
  checkedAtMs: optional(isCount),
  /** Absent if nothing is known about the tables, or if the rows depend on more than the tables. */
  sources: optional(hasForm(SOURCE_STATE)),
  /** First instant at which the entry may no longer be served. */
  freshUntilMs: isCount,
  lastReadAtMs: isCount,
};
export type EntryDescription = FieldsOf<typeof DESCRIPTION>;

/** The states of tables that a run of warming has found. */
export interface SourceStates {
  askedAtMs: number;
  /** The state of the rows, by `project.dataset.table`, shards by `project.dataset.prefix*`; absent if it is not known. */
  byTable: ReadonlyMap<string, string>;
  /** The state of the definition of a view, which says nothing about the rows that it shows, by `project.dataset.view`. */
  byView: ReadonlyMap<string, string>;
  /** The states of the partitions that were asked for, by table and by BigQuery's id; absent for a table without partitions. */
  partitions?: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** When the partitions of tables have changed, as successive questions saw it. Times are those of the questions. */
export interface PartitionHistory {
  askedAtMs: number;
  /** The oldest day of which partitions are known: `20261127`. */
  fromDay: string;
  byTable: ReadonlyMap<string, TableHistory>;
}

export interface TableHistory {
  /** The first and the last question about the table: nothing is known of changes before and after them. */
  sinceMs: number;
  askedAtMs: number;
  /** By BigQuery's id. `digest` is empty for a partition that is gone; `changedAtMs` is the first question that saw this state. */
  partitions: ReadonlyMap<string, { digest: string; changedAtMs: number }>;
}

/** What each run of warming leaves to the next one, and to requests. */
export interface Found {
  sources: Omit<SourceStates, 'partitions'>;
  partitions: PartitionHistory;
}

/** The characters that an ETag may contain (RFC 9110, 8.8.3). */
const ETAG = /^[\x21\x23-\x7e]{1,128}$/;

/** The other fields of a stored result. */
export const RESULT = {
  /** The response body, compressed with gzip. */
  body: (value: unknown): value is Buffer => value instanceof Uint8Array,
  /** Size of the body before compression. */
  bodyBytes: isCount,
  etag: (value: unknown): value is string => isText(value) && ETAG.test(value),
  rowCount: isCount,
  truncated: (value: unknown): value is boolean => typeof value === 'boolean',
  /** As of `RowsOrigin`. */
  jobId: isText,
  localRowsCut: optional(isText),
  bytesProcessed: isCount,
  /** How long the query took; undefined if it is not known. */
  runMs: optional(isCount),
};

export interface Entry extends EntryDescription, FieldsOf<typeof RESULT> {
  /** See `QueryOutcome`. Only for the log of the request that ran the query: they are not stored. */
  bytesBilled?: number | undefined;
  isCacheHit?: boolean | undefined;
  /** As of `LiveEntry`, of the document that was read. */
  version?: unknown;
}

export interface LiveEntry extends EntryDescription {
  cacheKey: string;
  /** Opaque token with which the store replaces exactly the listed version. */
  version: unknown;
  /** True if no rows are stored under this key yet: callers read it under another definition, or were answered before its query ended. */
  isUnstored?: true;
}

/** Increment when the same rows give other bytes: stored results then get other keys. */
export const ENCODING_VERSION = 1;

/** A larger body is stored in several documents: the limit of one is 1 MiB, and the other fields of an entry are small. */
export const DOCUMENT_BODY_BYTES_MAX = 900 * 1024;

type ListedVersion = Pick<LiveEntry, 'cacheKey' | 'computedAtMs' | 'version'>;

export interface LivePage {
  entries: LiveEntry[];
  /** Cache keys of documents that are not valid entries. */
  unreadable: string[];
}

/** `superseded`: newer rows are stored, and these are not. `gone`: there is no entry to refresh. */
export type WriteOutcome = 'written' | 'superseded' | 'gone';

/**
 * Result documents by cache key. Only `cache/` and `warming/` use it. Rows never replace newer rows: a write
 * loses against a later `computedAtMs`. A write with the same `computedAtMs` counts as written, because it
 * is the same write, repeated.
 */
export interface ResultStore {
  /**
   * Undefined on a miss, and for a document that is not a valid entry. An entry may have expired. Before it reads a body from
   * several documents, it awaits `admit`.
   */
  get(cacheKey: string, admit?: (bytes: number) => Promise<void>): Promise<Entry | undefined>;
  set(cacheKey: string, entry: Entry): Promise<Exclude<WriteOutcome, 'gone'>>;
  /** Records readers of the entry, unless its document was written after `version`. Rejects if there is no entry. */
  touch(
    cacheKey: string,
    lastReadAtMs: number,
    readers: readonly Reader[],
    version?: unknown,
  ): Promise<void>;
  /** Replaces the rows and keeps the readers; never creates an entry. */
  refresh(live: ListedVersion, entry: Entry): Promise<WriteOutcome>;
  /** Records that the listed rows were still correct at `checkedAtMs`, unless other rows were stored after the listing. */
  confirm(live: ListedVersion, checkedAtMs: number, freshUntilMs: number): Promise<WriteOutcome>;
  /** The entries read at `sinceMs` or later, the most recently read first, as of the time of the first page. */
  listLive(sinceMs: number): AsyncIterable<LivePage>;
}

/** The outcome of a warming run, stored for commands that wait for it: the scheduler returns no answer. */
export interface WarmRun {
  /** See `catalogueDigest`. */
  catalogueDigest: string;
  /** The demands that existed at the start of the run, by endpoint id. */
  demands: ReadonlyMap<string, number>;
  /** The report without parameters; undefined if the run failed. */
  counts: Readonly<Record<string, number | boolean>> | undefined;
}

/** What runs leave for each other, and operators' demands for a refresh: by endpoint id, the earliest start of a computation whose rows may be kept. */
export interface RefreshStore {
  list(): Promise<ReadonlyMap<string, number>>;
  /** Undefined if nothing was demanded of the endpoint. */
  demandedMs(endpointId: string): Promise<number | undefined>;
  /** Expires a result that was computed before this time, and prevents rows that are as old from replacing it. */
  withdraw(cacheKey: string, demandedMs: number): Promise<void>;
  /** Replaces the record of the run before. */
  recordRun(run: WarmRun): Promise<void>;
  /** What the last run found; undefined if there was no run, or another version has written it. */
  found<Name extends keyof Found>(name: Name): Promise<Found[Name] | undefined>;
  recordFound<Name extends keyof Found>(name: Name, found: Found[Name]): Promise<void>;
}
