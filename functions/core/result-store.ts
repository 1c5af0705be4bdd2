// The role of the store of results: entries by cache key.

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
