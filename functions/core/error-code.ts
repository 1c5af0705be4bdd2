// Reads the code of an error: a status of HTTP or gRPC, or a name of Node such as ECONNRESET.
import { isObject } from './is-object.ts';

/** Undefined for an error without a code, and for a thrown value that is not an error. */
export function errorCode(error: unknown): unknown {
  return isObject(error) ? error.code : undefined;
}
