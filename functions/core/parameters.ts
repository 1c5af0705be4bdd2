// From the raw query string of a request to canonical parameters: declared, checked, in one spelling.
import type { Endpoint, ParameterDefinition } from './endpoint.ts';
import type { FieldViolation } from './errors.ts';
import { ServiceError } from './errors.ts';

/** Every declared parameter exactly once; absent ones have their default or the empty string. */
export type CanonicalParameters = Readonly<Record<string, string>>;

/** More than a dashboard ever sends; each one costs memory before it is known to be ignored. */
const PARAMETER_COUNT_MAX = 100;

/** Names that code which treats parameters as plain objects could trip over. */
const RESERVED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads the declared parameters of an endpoint; undeclared ones are ignored (SPEC 4.2, 4.3).
 * Throws one ServiceError that lists every faulty parameter.
 */
export function parseParameters(endpoint: Endpoint, queryString: string): CanonicalParameters {
  const supplied = parseQueryString(queryString);
  const violations: FieldViolation[] = [];
  const entries = Object.entries(endpoint.parameters).map(([name, definition]) => {
    const value = canonicalValue(definition, supplied.get(name)?.[0]);
    const fault =
      (supplied.get(name)?.length ?? 0) > 1
        ? 'must be given once'
        : faultOf(endpoint, name, definition, value);
    if (fault !== undefined) violations.push({ field: name, description: fault });
    return [name, value] as const;
  });
  for (const name of supplied.keys()) {
    if (RESERVED_NAMES.has(name))
      violations.push({ field: name, description: 'is a reserved name' });
  }
  if (violations.length > 0) {
    const sentence = violations
      .map(({ field, description }) => `${field} ${description}`)
      .join('; ');
    throw new ServiceError('INVALID_PARAMETERS', `Invalid parameters: ${sentence}.`, {
      fieldViolations: violations,
    });
  }
  return Object.fromEntries(entries);
}

/** An absent and an empty parameter are the same, and unlisted values may be read as a listed one. */
function canonicalValue(definition: ParameterDefinition, supplied: string | undefined): string {
  const value = supplied === undefined || supplied === '' ? (definition.default ?? '') : supplied;
  const isListed = definition.enum?.includes(value) ?? true;
  return isListed ? value : (definition.otherwise ?? value);
}

function faultOf(
  endpoint: Endpoint,
  name: string,
  definition: ParameterDefinition,
  value: string,
): string | undefined {
  if (value === '') return definition.required ? 'is required and must not be empty' : undefined;
  // No log value holds it, and not every store on the way keeps it.
  if (value.includes('\0')) return 'must not contain a NUL character';
  return endpoint.validators.get(name)?.(value);
}

/** Values by name, in the order given (application/x-www-form-urlencoded, WHATWG URL 5.1). */
function parseQueryString(queryString: string): Map<string, string[]> {
  const supplied = new Map<string, string[]>();
  if (queryString === '') return supplied;
  const pairs = queryString.split('&', PARAMETER_COUNT_MAX + 1);
  if (pairs.length > PARAMETER_COUNT_MAX) {
    throw new ServiceError(
      'MALFORMED_QUERY_STRING',
      `The query string holds more than ${PARAMETER_COUNT_MAX} parameters.`,
    );
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    const values = supplied.get(name);
    if (values === undefined) supplied.set(name, [value]);
    else values.push(value);
  }
  return supplied;
}

/** Strict where `URLSearchParams` replaces broken sequences: a value that nobody sent is never run. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new ServiceError(
      'MALFORMED_QUERY_STRING',
      'The query string is not valid percent-encoded UTF-8.',
      { cause },
    );
  }
}
