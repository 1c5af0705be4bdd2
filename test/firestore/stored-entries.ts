// The entry that the tests of stored results write, and how they list it.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ownBytes } from '../../functions/core/bytes.ts';
import type { Entry, LiveEntry, LivePage, ResultStore } from '../../functions/core/result-store.ts';
import { casesBeside } from '../support/cases.ts';

/** What a listing has. */
export const DESCRIPTION = {
  endpointId: '3f0c6d52-9b1e-4a7d-8c35-5e2f7a9d1ba7',
  endpoint: 'tasks.run-stats',
  resultDigest: 'd'.repeat(64),
  // Texts, NULL, and arrays with and without elements.
  parameters: { project: 'abc', function_id: '', limit: null, ids: ['2', '1', '1'], names: [] },
  computedAtMs: Date.parse('2026-11-20T10:00:00.123Z'),
  checkedAtMs: Date.parse('2026-11-20T10:00:01.223Z'),
  sources: { askedAtMs: Date.parse('2026-11-20T10:00:00.001Z'), digest: 'a'.repeat(64) },
  freshUntilMs: Date.parse('2026-11-20T10:15:01.223Z'),
  lastReadAtMs: Date.parse('2026-11-20T10:00:01.456Z'),
  // The name of a key can be anything.
  readers: [
    { keyName: 'dash.board/`ü`', readAtMs: Date.parse('2026-11-20T10:00:01.456Z') },
    { keyName: '__proto__', readAtMs: Date.parse('2026-11-20T09:59:00.001Z') },
  ],
};

export const ENTRY: Entry = {
  ...DESCRIPTION,
  // gzip of 4711 bytes that are no UTF-8, with zeros in it and at its end.
  body: ownBytes(gzipSync(Buffer.alloc(4711, 0xc3))),
  bodyBytes: 4711,
  etag: 'o5Hn2LmTqR8vXw3yZ1aBcD',
  rowCount: 24,
  truncated: true,
  jobId: 'project:US.job_1',
  bytesProcessed: 9_007_199_254_740_991,
};

const rowsAt = (etag: string, ms: number) => ({ etag, computedAtMs: ENTRY.computedAtMs + ms });
export const OLDER = rowsAt('older', -1);
export const ROWS: Record<string, Partial<Entry>> = {
  older: OLDER,
  entry: {},
  newer: rowsAt('newer', 1),
};

/** Reads nobody else records here: a test lists its own entries only. */
let listedSinceMs = Date.parse('2030-01-01T00:00:00Z');

/** The time of reads of which no test has any yet. */
export const nextReadMs = (): number => (listedSinceMs += 1000);

export const BAD_PARAMETERS = casesBeside('test/firestore/stored-documents.test.ts')<
  [string, object]
>('parameters');

export async function pagesOf(store: ResultStore, sinceMs: number): Promise<LivePage[]> {
  const pages: LivePage[] = [];
  for await (const page of store.listLive(sinceMs)) pages.push(page);
  return pages;
}

export async function listed(store: ResultStore, sinceMs: number): Promise<LivePage> {
  const pages = await pagesOf(store, sinceMs);
  return {
    entries: pages.flatMap(({ entries }) => entries),
    unreadable: pages.flatMap(({ unreadable }) => unreadable),
  };
}

/** Stores the entry and lists it, as warming does. */
export async function storeLive(
  store: ResultStore,
  fields: Partial<Entry> = {},
): Promise<LiveEntry> {
  const lastReadAtMs = nextReadMs();
  const cacheKey = randomUUID();
  await store.set(cacheKey, { ...ENTRY, ...fields, lastReadAtMs });
  const [page] = await pagesOf(store, lastReadAtMs);
  const [live] = page?.entries ?? [];
  if (live?.cacheKey !== cacheKey) throw new Error('The entry is not listed.');
  return live;
}
