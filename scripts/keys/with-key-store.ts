// Opens the store of API keys for one command.
import { withDeadline } from '../../functions/core/deadline.ts';
import type { KeyStore } from '../../functions/core/key-store.ts';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { createFirestoreKeyStore } from '../../functions/google/key-store.ts';
import { systemClock } from '../../functions/clock.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

interface KeyStoreLocation {
  project: string;
  database: string;
  /** Undefined for Google's Firestore, which needs credentials. */
  emulatorHost: string | undefined;
  timeoutMs?: number;
}

/** Throws an Error of one line, after `timeoutMs` at the latest. */
export async function withKeyStore(
  { project, database, emulatorHost, timeoutMs = 15_000 }: KeyStoreLocation,
  use: (store: KeyStore) => Promise<void>,
): Promise<void> {
  if (emulatorHost === undefined) await requireCredentials();
  const firestore = createFirestore({ project, database, emulatorHost });
  let isReachable = true;
  try {
    await withDeadline(systemClock, timeoutMs, use(createFirestoreKeyStore(firestore)), () => {
      isReachable = false;
      return new Error(`Firestore does not answer${emulatorHost ? ` at ${emulatorHost}` : ''}.`);
    });
  } catch (error) {
    throw explainGoogleError(error, {
      notFound: `Project ${project} has no Firestore database ${database}: name it with --database.`,
      denied: `You may not read and write ${database} of ${project}: ask for the role Cloud Datastore User.`,
    });
  } finally {
    // A client that still tries to connect cannot be terminated; it ends with the process.
    if (isReachable) await firestore.terminate();
  }
}
