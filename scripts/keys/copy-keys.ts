// Copies API keys from one Firestore database to another, for a deployment that moves them.
import { isDeepStrictEqual } from 'node:util';
import type { DocumentData, Firestore } from '@google-cloud/firestore';
import { decodeIfKey, keyCollection } from '../../functions/google/key-store.ts';
import { keyId } from './api-keys.ts';
import type { InTime } from './with-firestore.ts';

/** Documents of `apiKeys` by their id, as they are stored: all fields, and also what is no key. */
type KeyDocuments = ReadonlyMap<string, DocumentData>;

export interface CopyReport {
  copied: number;
  /** Were different in the target. */
  replaced: number;
  /** Were in the target already. */
  same: number;
  /** Stay different in the target: name, id and the fields that differ. */
  different: string[];
  /** Copied too, or there already: ids of documents that are no keys. */
  unreadable: string[];
  /** The document that could not be written; those after it were not tried. */
  stopped?: { at: string; error: unknown };
}

export async function readKeys(firestore: Firestore, inTime: InTime): Promise<KeyDocuments> {
  const { docs } = await inTime(keyCollection(firestore).get());
  return new Map(docs.map((document) => [document.id, document.data()]));
}

/**
 * Writes one document at a time, each as a whole, so a repeat continues a copy that was stopped. What is
 * different in the target is replaced only with `force`, and a key that is revoked there never by one that is
 * not. `isDryRun` counts and writes nothing.
 */
export async function copyKeys(
  keys: KeyDocuments,
  target: Firestore,
  { force, isDryRun, inTime }: { force: boolean; isDryRun: boolean; inTime: InTime },
): Promise<CopyReport> {
  const report: CopyReport = { copied: 0, replaced: 0, same: 0, different: [], unreadable: [] };
  const present = await readKeys(target, inTime);
  for (const [digest, data] of [...keys].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (decodeIfKey(data) === undefined) report.unreadable.push(keyId(digest));
    const there = present.get(digest);
    const document = keyCollection(target).doc(digest);
    try {
      if (there === undefined) {
        // Fails if somebody else has created the document meanwhile.
        if (!isDryRun) await inTime(document.create(data));
        report.copied += 1;
      } else if (isDeepStrictEqual(there, data)) {
        report.same += 1;
      } else if (force && !wouldRevive(there, data)) {
        if (!isDryRun) await inTime(document.set(data));
        report.replaced += 1;
      } else {
        const fields = differingFields(data, there).join(', ');
        report.different.push(`${labelOf(digest, data)} (${fields})`);
      }
    } catch (error) {
      return { ...report, stopped: { at: labelOf(digest, data), error } };
    }
  }
  return report;
}

function wouldRevive(there: DocumentData, data: DocumentData): boolean {
  return Boolean(there.revokedAt) && !data.revokedAt;
}

function labelOf(digest: string, { name }: DocumentData): string {
  return `${typeof name === 'string' ? name : 'no key'} ${keyId(digest)}`;
}

function differingFields(a: DocumentData, b: DocumentData): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isDeepStrictEqual(a[name], b[name])).sort();
}
