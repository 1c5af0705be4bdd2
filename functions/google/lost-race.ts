// Writes of Firestore with a precondition that somebody else has changed meanwhile.

/** gRPC status codes that mean "somebody else was first". */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const FAILED_PRECONDITION = 9;
const LOST_RACE = new Set([NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION]);

/** Undefined where somebody else was first; every other failure is thrown. */
export async function unlessRaceLost<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (LOST_RACE.has((error as { code?: number }).code ?? -1)) return undefined;
    throw error;
  }
}
