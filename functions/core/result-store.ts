// Declares the store of cached results, which google/result-store.ts implements.
import type { ParameterValue } from './parameter-type.ts';

/** What warming needs to know of a result. */
export interface EntryDescription {
  endpointId: string;
  endpoint: string;
  /** Of the endpoint under which it was computed. */
  resultDigest: string;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** The recent readers of the entry: see `withReader`. */
  readers: readonly Reader[];
  /** When the query was started: the rows are no older than this. */
  computedAtMs: number;
  /** First instant at which the entry may no longer be served. */
  freshUntilMs: number;
  lastReadAtMs: number;
}

/** An API key that has read an entry, and when it was last recorded. */
export interface Reader {
  keyName: string;
  readAtMs: number;
}

/** A computed result with what it was computed from. */
export interface Entry extends EntryDescription {
  /** The response body, compressed with gzip. */
  body: Buffer;
  /** Size of the body before compression. */
  bodyBytes: number;
  etag: string;
  rowCount: number;
  truncated: boolean;
  jobId: string;
  bytesProcessed: number;
}

/** An entry as warming lists it. */
export interface LiveEntry extends EntryDescription {
  cacheKey: string;
  /** Opaque token with which the store replaces exactly the listed version. */
  version: unknown;
  /** True if it was read under another definition, and is not stored under this key. */
  isSuccessor?: true;
}

/** To be raised when the same rows give other bytes: stored results then get other keys. */
export const ENCODING_VERSION = 1;

/** A larger body is not kept: Firestore's limit for a document is 1 MiB, and the other fields of an entry are small. */
export const STORED_BODY_BYTES_MAX = 900 * 1024;

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
   * Undefined on a miss, and for a document that is not a valid entry. May return expired entries: the caller checks
   * the expiry.
   */
  get(cacheKey: string): Promise<Entry | undefined>;
  set(cacheKey: string, entry: Entry): Promise<Exclude<WriteOutcome, 'gone'>>;
  /** Records a reader of the entry. Rejects if there is no entry. */
  touch(cacheKey: string, lastReadAtMs: number, readers: readonly Reader[]): Promise<void>;
  /** Replaces the rows and keeps the readers; never creates an entry. */
  refresh(
    live: Pick<LiveEntry, 'cacheKey' | 'computedAtMs' | 'version'>,
    entry: Entry,
  ): Promise<WriteOutcome>;
  /**
   * The entries read at `sinceMs` or later, the most recently read first, as of the time of the first
   * page. Pages are requested one by one.
   */
  listLive(sinceMs: number): AsyncIterable<LivePage>;
}
