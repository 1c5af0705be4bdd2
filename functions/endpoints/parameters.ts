// Parses a query string into the declared parameters, checks and normalises them.
import type { Endpoint, WarmingDefinition } from './endpoint.ts';
import { ServiceError, usualError } from '../core/errors.ts';
import { type ParameterValue, isScalarType } from '../core/parameter-type.ts';
import { nearName } from './near-name.ts';
import { ITEMS_MAX } from './parameter-rule.ts';

/** Every declared parameter exactly once, in canonical spelling; absent ones have their default, or are empty. */
export type CanonicalParameters = Readonly<Record<string, ParameterValue>>;

type Batching = Pick<WarmingDefinition, 'batchOver'>;

/** The fields of a STRUCT in `@keys` after `key`: BigQuery numbers them by their order in `batchOver`. */
export function batchFields({ batchOver }: Batching, parameters: CanonicalParameters) {
  return Object.fromEntries(batchOver.map((name) => [name, parameters[name] ?? null]));
}

/** The parameters that a batch binds by their own names. */
export function sharedParameters({ batchOver }: Batching, parameters: CanonicalParameters) {
  const shared = Object.entries(parameters).filter(([name]) => !batchOver.includes(name));
  return Object.fromEntries(shared);
}

/** More parameters than any dashboard sends; each takes memory, even if it is ignored. An ARRAY adds `ITEMS_MAX`. */
const PARAMETER_COUNT_MAX = 100;

/** An error names no more misspelt parameters than this. */
const MISSPELT_MAX = 5;

/** Names that are unsafe in plain objects. */
const RESERVED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** In the order of preference for clients without one. */
export const ROW_FORMATS = ['json', 'csv', 'ndjson'] as const;

export type Format = (typeof ROW_FORMATS)[number] | 'csv-bom';

/** The format of the rows selects none, so no cache key has it. No endpoint can declare a parameter of this name: see `sql/endpoint.schema.json`. */
const FORMAT_PARAMETER = 'format';
/** CSV with a byte order mark, without which Excel reads it as ANSI. An endpoint that declares the name keeps it for its query. */
export const BOM_PARAMETER = 'bom';

/** A name in the query string that is no parameter of the endpoint, and the parameter that was probably meant. */
export interface UnknownName {
  name: string;
  near: string | undefined;
}

/** The declared parameters of a query string; others are faults if they are misspelt. Cheap for every value. Throws MALFORMED_QUERY_STRING. */
export function readRequested(endpoint: Endpoint, queryString: string) {
  const arrays = [...endpoint.rules.values()].filter(({ type }) => !isScalarType(type));
  const supplied = parseQueryString(queryString, PARAMETER_COUNT_MAX + arrays.length * ITEMS_MAX);
  /** Of names, and of texts that are not of their type; the values contain such texts unchanged. */
  const faults = new Map<string, string>();
  const entries = [...endpoint.rules].map(([name, rule]) => {
    const { value, fault } = rule.read(supplied.get(name));
    if (fault !== undefined) faults.set(name, fault);
    return [name, value] as const;
  });
  const unknown = unknownNames(endpoint, [...supplied.keys()]);
  for (const { name } of unknown) {
    if (RESERVED_NAMES.has(name)) faults.set(name, 'is a reserved name');
  }
  const misspelt = unknown.filter(({ name, near }) => near !== undefined && !faults.has(name));
  for (const { name, near } of misspelt.slice(0, MISSPELT_MAX)) {
    faults.set(name, `is not a parameter of this endpoint; did you mean ${near}?`);
  }
  const bom = endpoint.rules.has(BOM_PARAMETER) ? undefined : supplied.get(BOM_PARAMETER);
  const format = readFormat(supplied.get(FORMAT_PARAMETER), bom, faults);
  const values: CanonicalParameters = Object.fromEntries(entries);
  return { values, faults, format, unknown };
}

/** Both are the values in the query string, in order. `bom` is undefined where the endpoint declares it. */
function readFormat(
  given: readonly string[] | undefined,
  bom: readonly string[] | undefined,
  faults: Map<string, string>,
): Format | undefined {
  const format = ROW_FORMATS.find((offered) => offered === given?.[0]);
  if (given !== undefined && given.length > 1) faults.set(FORMAT_PARAMETER, 'must be given once');
  else if (given !== undefined && format === undefined)
    faults.set(FORMAT_PARAMETER, `must be one of ${ROW_FORMATS.join(', ')}`);
  if (format === 'csv' && bom?.join() === '1') return 'csv-bom';
  if (bom !== undefined) faults.set(BOM_PARAMETER, 'must be 1, and needs format=csv');
  return format;
}

function unknownNames({ rules }: Endpoint, names: readonly string[]): UnknownName[] {
  const declared = [...rules.keys(), FORMAT_PARAMETER, BOM_PARAMETER];
  const unknown = names.filter((name) => !declared.includes(name));
  if (unknown.length === 0) return [];
  return unknown.map((name) => ({ name, near: nearName(name, declared) }));
}

/** Throws one ServiceError that lists every faulty parameter. */
export function checkParameters(
  { rules }: Endpoint,
  { values, faults }: ReturnType<typeof readRequested>,
): CanonicalParameters {
  const names = new Set([...rules.keys(), ...faults.keys()]);
  const found = [...names].flatMap((name): [string, string][] => {
    const fault = faults.get(name) ?? rules.get(name)?.check(values[name] ?? null);
    return fault === undefined ? [] : [[name, fault]];
  });
  if (found.length > 0) throw invalidParameters(found);
  return values;
}

/** Takes names with their faults, which complete "<parameter> …". */
export function invalidParameters(faults: Iterable<readonly [name: string, fault: string]>) {
  const fieldViolations = Array.from(faults, ([field, description]) => ({ field, description }));
  const texts = Array.from(faults, ([name, fault]) => `${name} ${fault}`);
  const message = `Invalid parameters: ${texts.join('; ')}.`.replace(/\?\.$/, '?');
  return new ServiceError('INVALID_PARAMETERS', message, { fieldViolations });
}

/** The values that a definition states, of the parameters that have the field. */
export function valuesIn({ parameters, rules }: Endpoint, field: 'example' | 'default') {
  const values = [...rules].flatMap(([name, rule]) => {
    const stated = parameters[name]?.[field];
    return stated === undefined ? [] : [[name, rule.read([stated].flat()).value] as const];
  });
  return Object.fromEntries(values);
}

/** Values by name, in the order given (application/x-www-form-urlencoded, WHATWG URL 5.1). */
function parseQueryString(queryString: string, countMax: number): Map<string, string[]> {
  const supplied = new Map<string, string[]>();
  const pairs = queryString.split('&', countMax + 1);
  if (pairs.length > countMax) {
    const message = `The query string has more than ${countMax} parameters.`;
    throw new ServiceError('MALFORMED_QUERY_STRING', message);
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

/** Throws for broken sequences, which `URLSearchParams` would replace by other characters. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw usualError('MALFORMED_QUERY_STRING', cause);
  }
}
