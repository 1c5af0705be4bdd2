// The API keys in Firestore as `npm run keys` opens, writes and lists them; the functions only read them.
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { createFirestoreKeyStore, decodeKey } from '../../functions/google/key-store.ts';
import { withDeadline } from '../../functions/core/clock.ts';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { systemClock } from '../../functions/clock.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

export type KeyRegister = ReturnType<typeof createKeyRegister>;

/** Fields that are undefined are not stored. */
export type StoredKey = Pick<ApiKey, 'name' | 'endpoints'> & {
  [Name in keyof ApiKey]?: ApiKey[Name] | undefined;
};

export function createKeyRegister(firestore: Firestore) {
  const apiKeys = firestore.collection('apiKeys');
  return {
    ...createFirestoreKeyStore(firestore),
    async set(id: string, key: StoredKey): Promise<void> {
      await apiKeys.doc(id).set(encodeKey(key));
    },
    /** Firestore's time, to which the service compares the end of a key. The clock of this computer may be wrong. */
    async nowMs(): Promise<number> {
      return (await apiKeys.doc('none').get()).readTime.toMillis();
    },
    /** All keys by their id, in any order; undefined for a key that cannot be read. */
    async list(): Promise<Map<string, ApiKey | undefined>> {
      const { docs } = await apiKeys.get();
      return new Map(
        docs.map((document) => [document.id, decodeKey(document.id, document.data())]),
      );
    },
  };
}

function encodeKey({ createdAtMs, expiresAtMs, revokedAtMs, ...fields }: StoredKey) {
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

/** Throws an Error of one line; `use` waits for Firestore with `inTime`. */
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
