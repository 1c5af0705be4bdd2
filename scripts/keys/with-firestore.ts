// Opens a Firestore database for one command.
import type { Firestore } from '@google-cloud/firestore';
import { withDeadline } from '../../functions/core/clock.ts';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { systemClock } from '../../functions/clock.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';

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
export async function withFirestore(
  location: FirestoreLocation,
  use: (firestore: Firestore, inTime: InTime) => Promise<void>,
): Promise<void> {
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
    await use(firestore, inTime);
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
