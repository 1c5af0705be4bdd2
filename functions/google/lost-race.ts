// Recognises Firestore writes that failed because the document was changed by another writer.
import { errorCode } from '../core/describe-error.ts';

/** gRPC status codes of a failed precondition: another writer was first. */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const FAILED_PRECONDITION = 9;
const LOST_RACE = new Set<unknown>([NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION]);

/** Undefined if another writer was first; other errors are rethrown. */
export async function unlessRaceLost<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (LOST_RACE.has(errorCode(error))) return undefined;
    throw error;
  }
}
