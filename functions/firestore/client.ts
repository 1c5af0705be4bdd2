// Creates the Firestore client, for Google's Firestore or an emulator, and recognises its timestamps and writes that lost a race.
import { Firestore, Timestamp } from '@google-cloud/firestore';
import { PassThroughClient } from 'google-auth-library';
import { errorCode } from '../core/errors.ts';
import { isObject } from '../core/json.ts';

/** `emulatorHost` is the value of FIRESTORE_EMULATOR_HOST; undefined for Google's. */
export function createFirestore(
  place: Record<'project' | 'database', string> & { emulatorHost: string | undefined },
): Firestore {
  const { project: projectId, database: databaseId, emulatorHost } = place;
  return new Firestore({
    ...{ projectId, databaseId },
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

/** Sorts documents by the time of a write, and in the same order whoever sorts them. */
export function orderOf({ id }: { id: string }, written: Timestamp): string {
  return `${written.valueOf()} ${id}`;
}

export function isTimestamp(value: unknown): value is Timestamp {
  return value instanceof Timestamp;
}

/** The name of a field in a document, where the number `readAtMs` is the time `readAt`. */
export function fieldOf(name: string): string {
  return /(?:At|Until)Ms$/.test(name) ? name.slice(0, -2) : name;
}

/** The fields as a document has them. */
export function encodeTimes(fields: object): FirebaseFirestore.DocumentData {
  return mapFields(fields, (name, value) => {
    const field = fieldOf(name);
    const isTime = field !== name && typeof value === 'number';
    return isTime ? [field, Timestamp.fromMillis(value)] : [name, value];
  }) as FirebaseFirestore.DocumentData;
}

/** What is no time in the place of one is NaN, which is no time for any check either. */
export function decodeTimes(data: unknown): unknown {
  return mapFields(data, (field, value) => {
    const name = `${field}Ms`;
    if (fieldOf(name) === name) return [field, value];
    return [name, isTimestamp(value) ? value.toMillis() : value === null ? null : NaN];
  });
}

type Field = [name: string, value: unknown];

/** Of all objects in the value, but not of parameters, whose names are the author's; without fields that are undefined. */
function mapFields(value: unknown, map: (...field: Field) => Field): unknown {
  if (Array.isArray(value)) return value.map((one) => mapFields(one, map));
  if (!isObject(value) || value instanceof Uint8Array || isTimestamp(value)) return value;
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    fields.map(([name, one]) => map(name, name === 'parameters' ? one : mapFields(one, map))),
  );
}
