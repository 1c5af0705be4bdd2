// The API keys in Firestore as `npm run keys` opens, writes and lists them; the functions only read them.
import { FieldValue, type Firestore, Timestamp } from '@google-cloud/firestore';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { KEY_FORM, createFirestoreKeyStore, decodeKey } from '../../functions/google/key-store.ts';
import { withDeadline } from '../../functions/core/clock.ts';
import { errorMessage } from '../../functions/core/describe-error.ts';
import { createFirestore, unlessRaceLost } from '../../functions/google/firestore-client.ts';
import { systemClock } from '../../functions/clock.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

export type KeyRegister = ReturnType<typeof createKeyRegister>;

/** Fields that are undefined are not stored. */
export type StoredKey = Pick<ApiKey, 'name' | 'endpoints'> & {
  [Name in keyof ApiKey]?: ApiKey[Name] | undefined;
};

/** A document to be created or, if `seen` says when it was last written, to be replaced. */
export interface KeyWrite {
  id: string;
  key: StoredKey;
  seen?: Timestamp | undefined;
}

/** How a command writes more than one commit takes. */
interface LongWrite {
  /** What to do if it stops between two commits. */
  goOn: string;
  note: (line: string) => void;
}

/** What Firestore's clients send in a commit at most, and half of what a request may have. */
const COMMIT_COUNT_MAX = 500;
const COMMIT_BYTES_MAX = 5_000_000;

/** The parts that are written one after the other, each as a whole or not at all. */
export function commitsOf(writes: readonly KeyWrite[]): KeyWrite[][] {
  const commits: KeyWrite[][] = [];
  let bytes = 0;
  for (const write of writes) {
    const size = Buffer.byteLength(JSON.stringify(write.key));
    const last = commits.at(-1);
    const fits = last && last.length < COMMIT_COUNT_MAX && bytes + size <= COMMIT_BYTES_MAX;
    bytes = fits ? bytes + size : size;
    if (fits) last.push(write);
    else commits.push([write]);
  }
  return commits;
}

export function createKeyRegister(firestore: Firestore, inTime: InTime = (call) => call) {
  const apiKeys = firestore.collection('apiKeys');
  return {
    ...createFirestoreKeyStore(firestore),
    async set(id: string, key: StoredKey): Promise<void> {
      await apiKeys.doc(id).set(encodeKey(key));
    },
    /** The times of the writes. Throws where another command has created, changed or removed a document meanwhile. */
    async write(writes: readonly KeyWrite[], { goOn, note }: LongWrite): Promise<Timestamp[]> {
      const times: Timestamp[] = [];
      const commits = commitsOf(writes);
      for (const commit of commits) {
        const batch = firestore.batch();
        for (const { id, key, seen } of commit) {
          const document = encodeKey(key);
          if (seen === undefined) batch.create(apiKeys.doc(id), document);
          else batch.update(apiKeys.doc(id), replaced(document), { lastUpdateTime: seen });
        }
        try {
          const written = await unlessRaceLost(inTime(batch.commit()));
          if (written === undefined) {
            throw new Error('Another command has changed these keys meanwhile: run this again.');
          }
          times.push(...written.map(({ writeTime }) => writeTime));
        } catch (error) {
          if (times.length === 0) throw error;
          const done = `${times.length} of ${writes.length} keys are written`;
          throw new Error(`${errorMessage(error)} ${done}. ${goOn}`, { cause: error });
        }
        if (commits.length > 1) note(`${times.length} of ${writes.length} keys are written.`);
      }
      return times;
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

/** An update with these fields, which removes those that are absent. */
function replaced(document: Record<string, unknown>) {
  const names = Object.keys(KEY_FORM);
  // The emulator of `npm start` removes no fields. A time of null is none.
  const none = (name: string) => (name.endsWith('At') ? null : FieldValue.delete());
  return Object.fromEntries(names.map((name) => [name, document[name] ?? none(name)]));
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
