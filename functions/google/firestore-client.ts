// Creates the Firestore client, for Google's Firestore or an emulator, and recognises its timestamps and writes that lost a race.
import { Firestore, Timestamp } from '@google-cloud/firestore';
import { PassThroughClient } from 'google-auth-library';
import { errorCode } from '../core/describe-error.ts';

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

/** The gRPC status codes if another writer was first: NOT_FOUND, ALREADY_EXISTS and FAILED_PRECONDITION. */
const LOST_RACE = new Set<unknown>([5, 6, 9]);

/** Undefined if another writer was first; other errors are rethrown. */
export async function unlessRaceLost<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (LOST_RACE.has(errorCode(error))) return undefined;
    throw error;
  }
}

export function isTimestamp(value: unknown): value is Timestamp {
  return value instanceof Timestamp;
}

/** In a document, `readAt` is the time `readAtMs`. */
const TIME = /(?:At|Until)Ms$/;

/** The fields as a document has them. Null is written for undefined: an update must not keep the value before. */
export function encodeTimes(fields: object): FirebaseFirestore.DocumentData {
  const encoded = Object.entries(fields).map(([name, value]: [string, unknown]) =>
    TIME.test(name)
      ? [name.slice(0, -2), typeof value === 'number' ? Timestamp.fromMillis(value) : null]
      : [name, value ?? null],
  );
  return Object.fromEntries(encoded) as FirebaseFirestore.DocumentData;
}

type Decoded<F> = {
  [
    Name in keyof F as F[Name] extends Timestamp | undefined ? `${Name & string}Ms` : Name
  ]: F[Name] extends Timestamp
    ? number
    : F[Name] extends Timestamp | undefined
      ? number | undefined
      : F[Name];
};

export function decodeTimes<F extends object>(fields: F): Decoded<F> {
  const decoded = Object.entries(fields).map(([name, value]: [string, unknown]) =>
    isTimestamp(value) ? [`${name}Ms`, value.toMillis()] : [name, value],
  );
  return Object.fromEntries(decoded) as Decoded<F>;
}
