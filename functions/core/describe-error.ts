// Reads an error of unknown origin: its code, its message, and both with all causes for the log.
import { isObject } from './json.ts';

/** An error for the log, with the chain of its causes; never for a caller. */
export function describeError(error: unknown): string {
  const chain: string[] = [];
  let current = error;
  while (current instanceof Error && chain.length < 5) {
    chain.push(`${current.name}: ${current.message}`);
    current = current.cause;
  }
  return chain.join(' <- ') || 'not an Error';
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Undefined for an error without a code, and for a thrown value that is not an error. */
export function errorCode(error: unknown): unknown {
  return isObject(error) ? error.code : undefined;
}
