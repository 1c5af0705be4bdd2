// The API keys in Firestore as `npm run keys` opens, writes and lists them; the functions only read them.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { createFirestoreKeyStore, decodeKey } from '../../functions/firestore/key-store.ts';
import { withDeadline } from '../../functions/core/clock.ts';
import { createFirestore, unlessRaceLost } from '../../functions/firestore/client.ts';
import { systemClock } from '../../functions/clock.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

export type KeyRegister = ReturnType<typeof createKeyRegister>;

/** When a key ends. */
interface KeyEnd {
  /** Its id in the store. */
  storedAs: string;
  /** When it was last written. */
  seen: Timestamp;
  field: 'revokedAt' | 'expiresAt';
  atMs: number;
}

export function createKeyRegister(firestore: Firestore, inTime: InTime = (call) => call) {
  const apiKeys = firestore.collection('apiKeys');
  return {
    ...createFirestoreKeyStore(firestore),
    async set(id: string, key: ApiKey): Promise<void> {
      await inTime(apiKeys.doc(id).set(encodeKey(key)));
    },
    /** Ends keys, all or none. Throws if another command has changed one since it was read. */
    async end(keys: readonly KeyEnd[]): Promise<void> {
      const batch = firestore.batch();
      for (const { storedAs, seen, field, atMs } of keys) {
        const change = { [field]: Timestamp.fromMillis(atMs) };
        batch.update(apiKeys.doc(storedAs), change, { lastUpdateTime: seen });
      }
      if ((await unlessRaceLost(inTime(batch.commit()))) !== undefined) return;
      throw new Error('Another command has changed these keys at the same time: run this again.');
    },
    /** Firestore's time, to which the service compares the end of a key. The clock of this computer may be wrong. */
    async nowMs(): Promise<number> {
      return (await inTime(apiKeys.doc('none').get())).readTime.toMillis();
    },
    /** All keys by their id, in any order, and when each was last written; `key` is undefined if it cannot be read. */
    async list(): Promise<Map<string, { key: ApiKey | undefined; seen: Timestamp }>> {
      const { docs } = await inTime(apiKeys.get());
      return new Map(
        docs.map((document) => {
          const key = decodeKey(document.id, document.data());
          return [document.id, { key, seen: document.updateTime }];
        }),
      );
    },
  };
}

function encodeKey({ createdAtMs, expiresAtMs, revokedAtMs, ...fields }: ApiKey) {
  const times = { createdAt: createdAtMs, expiresAt: expiresAtMs, revokedAt: revokedAtMs };
  const encoded = Object.entries(times).map(([name, ms]) => {
    return [name, ms === undefined ? undefined : Timestamp.fromMillis(ms)] as const;
  });
  return { ...fields, ...Object.fromEntries(encoded) };
}

export interface FirestoreLocation {
  project: string;
  database: string;
  /** Undefined for Google's Firestore, which needs credentials. */
  emulatorHost: string | undefined;
  timeoutMs?: number;
}

/** Rejects after `timeoutMs`. */
type InTime = <T>(call: Promise<T>) => Promise<T>;

/** Throws an Error; `use` waits for Firestore with `inTime`. */
export async function withFirestore<T>(
  location: FirestoreLocation,
  use: (firestore: Firestore, inTime: InTime) => Promise<T>,
): Promise<T> {
  const { project, database, emulatorHost, timeoutMs = 15_000 } = location;
  if (emulatorHost === undefined) await requireCredentials();
  const firestore = createFirestore({ project, database, emulatorHost });
  let isReachable = true;
  const inTime: InTime = (call) =>
    withDeadline(systemClock, timeoutMs, call, () => {
      isReachable = false;
      const where = emulatorHost ? ` at ${emulatorHost} (FIRESTORE_EMULATOR_HOST)` : '';
      return new Error(`Firestore does not answer${where}.`);
    });
  try {
    return await use(firestore, inTime);
  } catch (error) {
    throw explainGoogleError(error, {
      notFound: `Project ${project} has no Firestore database ${database}: specify another with --database.`,
      denied: `Permission denied for ${database} of ${project}: ask for the role Cloud Datastore User.`,
    });
  } finally {
    // A client that still tries to connect cannot be terminated; it ends with the process.
    if (isReachable) await firestore.terminate();
  }
}
