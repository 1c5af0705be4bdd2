// Lists the unknown parameters of a request for a header and for the log, safe in each and bounded.
import type { UnknownName } from './parameters.ts';

/** Names that are percent-encoded; `+2` stands for two more. */
export interface UnknownParameters {
  /** For the caller, who sent them. */
  header: string;
  /** Without any name that can be an API key. */
  log: string;
}

const NAMES_MAX = 10;
/** Percent-encoded. No declared name is longer. */
const NAME_LENGTH_MAX = 64;
/** An API key has at least 8 characters (keys/authenticate.ts). */
const LOGGED = /^\w{0,7}$/;

export function listUnknown(names: readonly UnknownName[]): UnknownParameters | undefined {
  if (names.length === 0) return undefined;
  // A name that is nearly a declared one is not a key either.
  const logged = names.filter(({ name, near }) => near !== undefined || LOGGED.test(name));
  return { header: list(names, names.length), log: list(logged, names.length) };
}

function list(names: readonly UnknownName[], count: number): string {
  const encoded = names.slice(0, NAMES_MAX).map(({ name }) => encodeURIComponent(name) || '""');
  const shown = encoded.filter(({ length }) => length <= NAME_LENGTH_MAX);
  const more = count - shown.length;
  return [...shown, ...(more === 0 ? [] : [`+${more}`])].join(', ');
}
