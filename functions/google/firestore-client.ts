// Creates the Firestore client, for Google's Firestore or an emulator.
import { Firestore } from '@google-cloud/firestore';
import { PassThroughClient } from 'google-auth-library';

interface FirestoreOptions {
  project: string;
  database: string;
  /** The value of FIRESTORE_EMULATOR_HOST; undefined for Google's. */
  emulatorHost: string | undefined;
}

export function createFirestore({ project, database, emulatorHost }: FirestoreOptions): Firestore {
  return new Firestore({
    projectId: project,
    databaseId: database,
    ignoreUndefinedProperties: true,
    // An emulator needs no credentials, and looking for them would delay the first call.
    ...(emulatorHost === undefined
      ? {}
      : { host: emulatorHost, ssl: false, authClient: new PassThroughClient() }),
  });
}
