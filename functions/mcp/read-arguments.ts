// Reads the arguments of a tool: the parameters of the endpoint as a query string, and the requested page of the result.
import { membersOf } from '../core/json.ts';
import { isScalarType } from '../core/parameter-type.ts';
import { canonicalScalar } from '../endpoints/canonical-scalar.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { nearName } from '../endpoints/near-name.ts';
import { type ParameterRule, ITEMS_MAX } from '../endpoints/parameter-rule.ts';
import { invalidParameters } from '../endpoints/parameters.ts';
import { PAGE_ROWS_MAX, type PageRequest, parseCursor } from './result-page.ts';

/** No endpoint can declare parameters of these names: see `sql/endpoint.schema.json`. */
const PAGE_ARGUMENTS = ['limit', 'columns', 'cursor'];

/** What a GET can have at most: Node's bound on a request line and its headers. */
const QUERY_STRING_LENGTH_MAX = 16 * 1024;

/** An error names no more unknown arguments than this: a body can have thousands. */
const UNKNOWN_MAX = 5;

/** Own names alone. A number is a symbol with its text, which no check takes for another type. */
export type Arguments = Readonly<Record<string, unknown>>;

export function argumentsOf(value: unknown): Arguments {
  return Object.assign(Object.create(null), membersOf(value)) as Arguments;
}

/**
 * Models send null for absent. Throws INVALID_PARAMETERS, with `shown` as the parameters to choose from; the values
 * themselves are checked with the query string.
 */
export function readArguments(endpoint: Endpoint, given: Arguments, shown: readonly string[]) {
  const declared = [...endpoint.rules.keys(), ...PAGE_ARGUMENTS];
  const faults = faultyNames(given, declared, [...shown, ...PAGE_ARGUMENTS]);
  const pairs = [...endpoint.rules].flatMap(([name, rule]) => {
    const { texts = [], fault } = read(rule, given[name]);
    if (fault !== undefined) faults.set(name, fault);
    return texts.map((text) => `${name}=${encodeURIComponent(text)}`);
  });
  // As of a GET, so that tools and requests share all rules and the cache.
  const queryString = pairs.join('&');
  const page = readPage(endpoint, given, faults);
  if (queryString.length > QUERY_STRING_LENGTH_MAX) {
    faults.set('arguments', `must have at most ${QUERY_STRING_LENGTH_MAX} bytes in total`);
  }
  if (faults.size > 0) throw invalidParameters(faults);
  return { queryString, page };
}

/** A fault for each of the first arguments that are not `known`. It proposes those that are `shown`. */
export function faultyNames(given: Arguments, known: readonly string[], shown = known) {
  const names = Object.keys(given);
  const unknown = names.filter((name) => !known.includes(name)).slice(0, UNKNOWN_MAX);
  const faults = unknown.map((name) => {
    const near = nearName(name, shown);
    const hint =
      near === undefined ? `, which takes ${shown.join(', ')}` : `; did you mean ${near}?`;
    return [name.slice(0, 64).toWellFormed(), `is not an argument of this tool${hint}`] as const;
  });
  return new Map<string, string>(faults);
}

type Read = { texts: string[]; fault?: undefined } | { texts?: undefined; fault: string };

function read({ type }: ParameterRule, value: unknown): Read {
  if (value === undefined || value === null) return { texts: [] };
  if (!Array.isArray(value)) return readScalar(value);
  if (isScalarType(type)) return { fault: 'must be one value, not a list' };
  // In a query string, the empty text means the empty array.
  if (value.length === 0) return { texts: [''] };
  // One more than any ARRAY may have is refused with the query string, by the bound of this one.
  const elements = value.slice(0, ITEMS_MAX + 1).map(readScalar);
  const faulty = elements.findIndex(({ texts: [text] = [] }) => text === undefined || text === '');
  if (faulty < 0) return { texts: elements.flatMap(({ texts = [] }) => texts) };
  return { fault: `value ${faulty + 1} ${elements[faulty]?.fault ?? 'must not be empty'}` };
}

function readScalar(value: unknown): Read {
  const text = textOf(value);
  if (text === undefined) return { fault: 'must be a string, a number or a boolean' };
  return text.isWellFormed() ? { texts: [text] } : { fault: 'must be valid Unicode' };
}

/** The text that a query string would have: of a number, the digits as they were sent. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'symbol') return value.description;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}

function readPage({ row }: Endpoint, given: Arguments, faults: Map<string, string>): PageRequest {
  const [all, named] = [Object.keys(row), given.columns ?? []];
  const isValid = Array.isArray(named) && named.every((name) => all.includes(name as string));
  if (!isValid) faults.set('columns', `must be a list of names from: ${all.join(', ')}`);
  const columns = isValid ? all.filter((name) => named.includes(name)) : [];
  const asked = canonicalScalar('INT64', textOf(given.limit ?? String(PAGE_ROWS_MAX)) ?? '');
  const limit = 'text' in asked ? Number(asked.text) : 0;
  if (limit < 1 || limit > PAGE_ROWS_MAX) {
    faults.set('limit', `must be a whole number from 1 to ${PAGE_ROWS_MAX}`);
  }
  const isFirst = (given.cursor ?? '') === '';
  const cursor = typeof given.cursor === 'string' ? parseCursor(given.cursor) : undefined;
  if (!isFirst && cursor === undefined) {
    faults.set('cursor', 'must be the cursor of the previous answer, or be left out');
  }
  return { limit, columns: columns.length === 0 ? undefined : columns, cursor };
}
