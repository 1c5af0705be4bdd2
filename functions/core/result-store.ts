// Declares the stores of cached results and of demands to refresh them, which google/ implements.
import type { ParameterValue } from './parameter-type.ts';
import type { RowsOrigin } from './query-runner.ts';

/** What warming needs to know of a result. */
export interface EntryDescription {
  endpointId: string;
  endpoint: string;
  /** The digest of the endpoint under which it was computed. */
  resultDigest: string;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** The recent readers of the entry: see `withReader`. */
  readers: Reader[];
  /** When the query was started: the rows are no older than this. */
  computedAtMs: number;
  /** When the tables were last found unchanged, if that was later: the rows are as fresh as this. */
  checkedAtMs?: number | undefined;
  /** Absent if nothing is known about the tables, or if the rows depend on more than the tables. */
  sources?: SourceState | undefined;
  /** First instant at which the entry may no longer be served. */
  freshUntilMs: number;
  lastReadAtMs: number;
}

/** The tables of a result as BigQuery described them before its query was started. */
export interface SourceState {
  /** The time at which BigQuery described them, by its own clock. */
  askedAtMs: number;
  /** SHA-256 over the states of all tables that the query reads; empty if one of them is not known. */
  digest: string;
  /** The same without the partitioned table of an incremental endpoint; undefined if the rows cannot be kept. */
  restDigest?: string | undefined;
  /** When all rows were computed; undefined if they were computed together. */
  fullAtMs?: number | undefined;
}

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

export interface Reader {
  keyName: string;
  readAtMs: number;
}

export interface Entry extends EntryDescription, RowsOrigin {
  /** The response body, compressed with gzip. */
  body: Buffer;
  /** Size of the body before compression. */
  bodyBytes: number;
  etag: string;
  rowCount: number;
  truncated: boolean;
  bytesProcessed: number;
  /** See `QueryOutcome`. Only for the log of the request that ran the query: they are not stored. */
  bytesBilled?: number | undefined;
  isCacheHit?: boolean | undefined;
  /** How long the query took; undefined if it is not known. */
  runMs?: number | undefined;
  /** As of `LiveEntry`, of the document that was read. */
  version?: unknown;
}

export interface LiveEntry extends EntryDescription {
  cacheKey: string;
  /** Opaque token with which the store replaces exactly the listed version. */
  version: unknown;
  /** True if callers read it under another definition, so that it is not stored under this key yet. */
  isSuccessor?: true;
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
 * Result documents by cache key. Only `results/` uses it. Rows never replace newer rows: a write
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
  demandedMs: ReadonlyMap<string, number>;
  /** The report without parameters; undefined if the run failed. */
  counts: Readonly<Record<string, number | boolean>> | undefined;
}

/** Operators' demands for a refresh: by endpoint id, the earliest start of a computation whose rows may be kept. */
export interface RefreshStore {
  list(): Promise<ReadonlyMap<string, number>>;
  /** Undefined if nothing was demanded of the endpoint. */
  demandedMs(endpointId: string): Promise<number | undefined>;
  /** Expires a result that was computed before this time, and prevents rows that are as old from replacing it. */
  withdraw(cacheKey: string, demandedMs: number): Promise<void>;
  /** Replaces the record of the run before. */
  recordRun(run: WarmRun): Promise<void>;
  /** The states of tables that the last run found; undefined if there was no run. */
  sourceStates(): Promise<SourceStates | undefined>;
  recordSourceStates(states: SourceStates): Promise<void>;
  /** Undefined if there is none, or none that can be read. */
  partitionHistory(): Promise<PartitionHistory | undefined>;
  recordPartitionHistory(history: PartitionHistory): Promise<void>;
}
