// The bodies in Firestore that are too large for one document: `results/KEY/parts/ID-N`, named by the document of the result.
import { hash, randomUUID } from 'node:crypto';
import { type DocumentReference, Timestamp } from '@google-cloud/firestore';
import { eachLimit } from '../core/each-limit.ts';
import { type FieldsOf, fieldsOf, isCount, isText } from '../core/json.ts';
import { type Entry, DOCUMENT_BODY_BYTES_MAX as PART_BYTES } from '../core/result-store.ts';

/** Later than their document, although checks that find its rows unchanged postpone its end: by a day at most (WARM_FULL_SECONDS). */
const KEPT_AFTER_EXPIRY_MS = 26 * 60 * 60 * 1000;
/** Each takes its size in memory once more, as a message. */
const AT_ONCE = 4;

/**
 * What a document says of its parts. Each write of a result has an id by chance, and writes its parts before the document that
 * names them:
 * - No part is ever written again with other bytes. A reader has all parts of one write, or finds one missing.
 * - Parts are removed only where the document names others by now. It cannot name them again, because each write of it has the
 *   version before as precondition. A name made of the ETag could be named again by another writer of the same rows, and would
 *   be removed with the parts of this one.
 * - A writer that dies, or does not learn whether its document was written, removes nothing. Firestore deletes its parts later.
 */
const PARTS = {
  id: (value: unknown): value is string => isText(value) && /^[\w-]+$/.test(value),
  // At most the largest MAX_RESULT_MIB.
  bytes: (value: unknown): value is number => isCount(value) && value <= 2 ** 30 && value > 0,
  /** SHA-256 of the body: neither damaged nor foreign bytes are served. */
  digest: isText,
};
export type Parts = FieldsOf<typeof PARTS>;

/** Undefined if the document names none. */
export const partsOf = (value: unknown): Parts | undefined => fieldsOf(value, PARTS);

/** Undefined for a body that fits into the document. */
export async function writeParts(
  ref: DocumentReference,
  { body, freshUntilMs }: Entry,
): Promise<Parts | undefined> {
  if (body.length <= PART_BYTES) return undefined;
  const parts = { id: randomUUID(), bytes: body.length, digest: digestOf(body) };
  const deleteAt = Timestamp.fromMillis(freshUntilMs + KEPT_AFTER_EXPIRY_MS);
  await eachLimit(refsOf(ref, parts).entries(), AT_ONCE, async ([place, part]) => {
    const bytes = body.subarray(place * PART_BYTES, (place + 1) * PART_BYTES);
    await part.set({ body: bytes, deleteAt });
  });
  return parts;
}

/** Undefined if a part is missing, or is not what was written. */
export async function readParts(ref: DocumentReference, parts: Parts): Promise<Buffer | undefined> {
  // One buffer from the start: the body is not in memory twice.
  const body = Buffer.allocUnsafeSlow(parts.bytes);
  let isWhole = true;
  await eachLimit(refsOf(ref, parts).entries(), AT_ONCE, async ([place, part]) => {
    const bytes: unknown = (await part.get()).get('body');
    const room = body.subarray(place * PART_BYTES, (place + 1) * PART_BYTES);
    if (bytes instanceof Uint8Array && bytes.length === room.length) room.set(bytes);
    else isWhole = false;
  });
  return isWhole && digestOf(body) === parts.digest ? body : undefined;
}

/** In one call. What it cannot remove, Firestore deletes later. */
export async function removeParts(ref: DocumentReference, parts: Parts | undefined): Promise<void> {
  if (parts === undefined) return;
  const batch = ref.firestore.batch();
  for (const part of refsOf(ref, parts)) batch.delete(part);
  await batch.commit().catch(() => undefined);
}

function refsOf(ref: DocumentReference, { id, bytes }: Parts): DocumentReference[] {
  const places = [...Array(Math.ceil(bytes / PART_BYTES)).keys()];
  return places.map((place) => ref.collection('parts').doc(`${id}-${place}`));
}

const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url');
