// The store of results in Firestore: collection `results`, one document per cache key, with parts if the body is large.
import {
  type DocumentReference,
  type DocumentSnapshot,
  type Firestore,
  type QueryDocumentSnapshot,
  Timestamp,
} from '@google-cloud/firestore';
import {
  DESCRIPTION,
  type Entry,
  type EntryDescription,
  type LivePage,
  RESULT,
  type ResultStore,
  SOURCE_STATE,
  type WriteOutcome,
} from '../core/result-store.ts';
import { fieldsOf } from '../core/json.ts';
import { ownBytes } from '../core/bytes.ts';
import { decodeTimes, encodeTimes, fieldOf, isTimestamp, unlessRaceLost } from './client.ts';
import { type Parts, partsOf, readParts, removeParts, writeParts } from './result-parts.ts';

/** How long an expired document is kept, so that warming goes on after an outage. */
const KEPT_AFTER_EXPIRY_MS = 60 * 60 * 1000;
/** An attempt fails if another writer changes the document between its read and its write. */
const WRITE_ATTEMPTS_MAX = 5;
/** A reading fails if the document is replaced, and its parts removed, before they are read. */
const READ_ATTEMPTS_MAX = 3;
/** Without bodies a page is much smaller than a megabyte. */
const PAGE_DOCUMENTS = 500;
/** How far the clock of an instance may be ahead of another's. */
const LEAD_MS = 10_000;

/** Null is written too: an update must not keep the values of the previous rows. */
const NULLS = Object.fromEntries(
  Object.keys({ ...DESCRIPTION, ...RESULT }).map((name) => [fieldOf(name), null]),
);

/** With parts its body is empty. */
type Stored = Entry & { parts: Parts | undefined };
/** As `listLive` gives it: which version of a document, and the parts that it names. */
type Version = Pick<Stored, 'parts'> & { updateTime: Timestamp };
type Settled = Exclude<WriteOutcome, 'gone'> | undefined;
type Data = FirebaseFirestore.DocumentData;

/** Calls reject with the client's errors; each can be repeated safely. A document that states a time after `nowMs` is unreadable. */
export function createFirestoreResultStore(
  firestore: Firestore,
  nowMs: () => number = () => Infinity,
): ResultStore {
  const results = firestore.collection('results');
  return {
    async get(cacheKey, admit) {
      const ref = results.doc(cacheKey);
      for (let attempt = 1; attempt <= READ_ATTEMPTS_MAX; attempt += 1) {
        const stored = await read(ref);
        if (stored?.parts === undefined) return stored;
        const { parts, ...entry } = stored;
        if (attempt === 1) await admit?.(parts.bytes);
        const body = await readParts(ref, parts);
        if (body !== undefined && isGzipOf(body, entry.bodyBytes)) return { ...entry, body };
      }
      return undefined;
    },
    async set(cacheKey, entry) {
      const ref = results.doc(cacheKey);
      const data = encodeEntry(entry, await writeParts(ref, entry));
      for (;;) {
        const created = await unlessRaceLost(ref.create(data));
        if (created !== undefined) return 'written';
        const replaced = await replace(ref, data, entry.computedAtMs);
        // The document was deleted between the two calls, so it can be created.
        if (replaced !== 'gone') return replaced;
      }
    },
    async touch(cacheKey, lastReadAtMs, readers, version) {
      const data = encodeTimes({ lastReadAtMs, readers });
      // Instances that read the same result record it once: the others read it again soon, and then see this.
      const lastUpdateTime = (version as Version | undefined)?.updateTime;
      const written = results
        .doc(cacheKey)
        .update(data, lastUpdateTime ? { lastUpdateTime } : { exists: true });
      await (lastUpdateTime ? unlessRaceLost(written) : written);
    },
    async refresh({ cacheKey, computedAtMs, version }, entry) {
      const settled = outcomeAgainst(computedAtMs, entry.computedAtMs);
      if (settled !== undefined) return settled;
      const ref = results.doc(cacheKey);
      const data = encodeEntry(entry, await writeParts(ref, entry));
      const { lastReadAt: _, readers: __, ...fields } = data;
      const replaced = await replace(ref, fields, entry.computedAtMs, version);
      if (replaced === 'gone') await removeParts(ref, partsOf(data.parts));
      return replaced;
    },
    confirm({ cacheKey, computedAtMs, version }, checkedAtMs, freshUntilMs) {
      const fields = { ...encodeTimes({ checkedAtMs }), ...endOf(freshUntilMs) };
      return update(results.doc(cacheKey), fields, version, (stored) => {
        const isOther = timeIn(stored, 'computedAt') !== computedAtMs;
        const isLater = (timeIn(stored, 'checkedAt') ?? 0) > checkedAtMs;
        return isOther || isLater ? 'superseded' : undefined;
      });
    },
    async *listLive(sinceMs) {
      // One query, as of one time: entries that are read during the listing move to the front, and a cursor would miss them.
      const newestFirst = results
        .where('lastReadAt', '>=', Timestamp.fromMillis(sinceMs))
        .orderBy('lastReadAt', 'desc')
        .select(...Object.keys(DESCRIPTION).map(fieldOf), 'parts');
      const documents = newestFirst.stream() as AsyncIterable<QueryDocumentSnapshot>;
      let page: QueryDocumentSnapshot[] = [];
      for await (const document of documents) {
        page.push(document);
        if (page.length < PAGE_DOCUMENTS) continue;
        yield decodePage(page, nowMs());
        page = [];
      }
      yield decodePage(page, nowMs());
    },
  };

  /** Writes the fields unless the document's rows are newer; tries the known version first. Then removes the parts that it does not name. */
  async function replace(ref: DocumentReference, data: Data, ownMs: number, known?: unknown) {
    const own = partsOf(data.parts);
    let left = (known as Version | undefined)?.parts;
    const outcome = await update(ref, data, known, async (stored) => {
      left = partsOf(stored.get('parts'));
      const settled = outcomeAgainst(timeIn(stored, 'computedAt'), ownMs);
      // An unreadable document is replaced whatever its time.
      if (settled === undefined || (await read(ref)) === undefined) return undefined;
      // The client repeated a write whose answer was lost: the document names the own parts already.
      left = left?.id === own?.id ? undefined : own;
      return settled;
    });
    if (outcome !== 'gone') await removeParts(ref, left);
    return outcome;
  }

  async function read(ref: DocumentReference): Promise<Stored | undefined> {
    const document = await ref.get();
    const stored = decodeEntry(document.data() ?? {}, nowMs());
    const { updateTime } = document;
    return stored && { ...stored, version: { updateTime, parts: stored.parts } };
  }
}

/** Writes the fields of a result unless `settle` derives an outcome from the document; tries the known version first. */
export async function update(
  ref: DocumentReference,
  fields: FirebaseFirestore.UpdateData<Data>,
  known: unknown,
  settle: (stored: DocumentSnapshot) => Settled | Promise<Settled>,
): Promise<WriteOutcome> {
  let lastUpdateTime = (known as Version | undefined)?.updateTime;
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt += 1) {
    if (lastUpdateTime === undefined) {
      const fieldMask = ['computedAt', 'checkedAt', 'parts', 'sources.fullAt'];
      const [stored] = await ref.firestore.getAll(ref, { fieldMask });
      if (stored?.updateTime === undefined) return 'gone';
      lastUpdateTime = stored.updateTime;
      const settled = await settle(stored);
      if (settled !== undefined) return settled;
    }
    const written = await unlessRaceLost(ref.update(fields, { lastUpdateTime }));
    if (written !== undefined) return 'written';
    lastUpdateTime = undefined;
  }
  throw new Error('The document changes too often to be written.');
}

/** The outcome of a write, given the stored rows; undefined if the write may proceed. */
function outcomeAgainst(storedMs: number | undefined, ownMs: number): Settled {
  if (storedMs === undefined || storedMs < ownMs) return undefined;
  return storedMs === ownMs ? 'written' : 'superseded';
}

function encodeEntry(entry: Entry, parts: Parts | undefined): Data {
  // What is known of the document, and the bill, which is for the log.
  const { version: _, bytesBilled: __, isCacheHit: ___, ...stored } = entry;
  return {
    ...NULLS,
    ...encodeTimes(stored),
    // Empty, and not absent: an earlier version takes such a document for a miss.
    body: parts === undefined ? entry.body : Buffer.of(),
    parts: parts ?? null,
    ...endOf(entry.freshUntilMs),
  };
}

function endOf(freshUntilMs: number) {
  return encodeTimes({ freshUntilMs, deleteAtMs: freshUntilMs + KEPT_AFTER_EXPIRY_MS });
}

/** Undefined for a document with another shape: it is a miss, and the next run replaces it. */
function decodeEntry(data: Data, nowMs: number): Stored | undefined {
  const described = decodeDescription(data, nowMs);
  const result = fieldsOf(data, RESULT);
  if (described === undefined || result === undefined) return undefined;
  // An earlier version that replaces the body leaves the names of the parts.
  const parts = result.body.length === 0 ? partsOf(data.parts) : undefined;
  if (parts === undefined && !isGzipOf(result.body, result.bodyBytes)) return undefined;
  return { ...described, ...result, body: ownBytes(result.body), parts };
}

function decodePage(documents: readonly QueryDocumentSnapshot[], nowMs: number): LivePage {
  const page: LivePage = { entries: [], unreadable: [] };
  for (const document of documents) {
    const described = decodeDescription(document.data(), nowMs);
    if (described === undefined) page.unreadable.push(document.id);
    else {
      const version = { updateTime: document.updateTime, parts: partsOf(document.get('parts')) };
      page.entries.push({ ...described, cacheKey: document.id, version });
    }
  }
  return page;
}

/** Undefined for a document with another shape, and for one that states a later time. */
function decodeDescription(data: unknown, nowMs: number): EntryDescription | undefined {
  const fields = fieldsOf(decodeTimes(data), DESCRIPTION);
  if (fields === undefined) return undefined;
  const { computedAtMs, lastReadAtMs, checkedAtMs = 0, readers, sources } = fields;
  const readAtMs = Math.max(lastReadAtMs, ...readers.map((reader) => reader.readAtMs));
  if (Math.max(computedAtMs, checkedAtMs, readAtMs) > nowMs + LEAD_MS) return undefined;
  return { ...fields, sources: fieldsOf(sources, SOURCE_STATE) };
}

/** Undefined for what is no time. */
export function timeIn(document: DocumentSnapshot, field: string): number | undefined {
  const value: unknown = document.get(field);
  return isTimestamp(value) ? value.toMillis() : undefined;
}

/** By header and uncompressed length (RFC 1952, 2.2): cheap for a hit, and finds truncated and foreign bytes. */
function isGzipOf(body: Uint8Array, bodyBytes: number): boolean {
  if (bodyBytes === 0 || body.length < 18) return false;
  if (body[0] !== 0x1f || body[1] !== 0x8b || body[2] !== 8) return false;
  const trailer = new DataView(body.buffer, body.byteOffset + body.byteLength - 4, 4);
  return trailer.getUint32(0, true) === bodyBytes;
}
