// Reads the arguments of a tool: the parameters of the endpoint as a query string, and the requested page of the result.
import type { FieldViolation } from '../core/errors.ts';
import { type ScalarType, isScalarType, scalarTypeOf } from '../core/parameter-type.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type ParameterRule, ITEMS_MAX } from '../endpoints/parameter-rule.ts';
import { invalidParameters } from '../endpoints/parameters.ts';
import { PAGE_ROWS_MAX, type PageRequest, parseCursor } from './result-page.ts';

interface ReadArguments {
  /** The declared parameters as in a GET, so that tools and requests share all rules and the cache. */
  queryString: string;
  page: PageRequest;
}

/** No endpoint can declare parameters of these names: see `sql/endpoint.schema.json`. */
const PAGE_ARGUMENTS = ['limit', 'columns', 'cursor'];

/** What a GET can have at most: Node's bound on a request line and its headers. */
const QUERY_STRING_LENGTH_MAX = 16 * 1024;

/** An error names no more unknown arguments than this: a body can have thousands. */
const UNKNOWN_MAX = 5;

type Arguments = Readonly<Record<string, unknown>>;

/** Models send null for absent. Throws INVALID_PARAMETERS; the values themselves are checked with the query string. */
export function readArguments(endpoint: Endpoint, given: Arguments): ReadArguments {
  const faults = unknownArguments(given, [...endpoint.rules.keys(), ...PAGE_ARGUMENTS]);
  const pairs = [...endpoint.rules].flatMap(([name, rule]) => {
    const { texts = [], fault } = read(rule, given[name]);
    if (fault !== undefined) faults.push({ field: name, description: fault });
    return texts.map((text) => `${name}=${encodeURIComponent(text)}`);
  });
  const queryString = pairs.join('&');
  const page = readPage(endpoint, given, faults);
  if (queryString.length > QUERY_STRING_LENGTH_MAX) {
    const description = `must have at most ${QUERY_STRING_LENGTH_MAX} bytes in total`;
    faults.push({ field: 'arguments', description });
  }
  if (faults.length > 0) throw invalidParameters(faults);
  return { queryString, page };
}

/** A fault for each of the first arguments that are not `known`. */
export function unknownArguments(given: Arguments, known: readonly string[]): FieldViolation[] {
  const description = `is not an argument of this tool, which takes ${known.join(', ')}`;
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.slice(0, UNKNOWN_MAX).map((name) => ({ field: name.slice(0, 64), description }));
}

/** The texts of the values of an argument, or its fault. */
type Read = { texts: string[]; fault?: undefined } | { texts?: undefined; fault: string };

/** An absent argument has no texts. */
function read({ type }: ParameterRule, value: unknown): Read {
  if (value === undefined || value === null) return { texts: [] };
  if (!Array.isArray(value)) return readScalar(scalarTypeOf(type), value);
  if (isScalarType(type)) return { fault: 'must be one value, not a list' };
  // In a query string, the empty text means the empty array.
  if (value.length === 0) return { texts: [''] };
  if (value.length > ITEMS_MAX) return { fault: `must have at most ${ITEMS_MAX} values` };
  const elements = value.map((element) => readScalar(scalarTypeOf(type), element));
  const faulty = elements.findIndex(({ texts: [text] = [] }) => text === undefined || text === '');
  if (faulty < 0) return { texts: elements.flatMap(({ texts = [] }) => texts) };
  return { fault: `value ${faulty + 1} ${elements[faulty]?.fault ?? 'must not be empty'}` };
}

function readScalar(type: ScalarType, value: unknown): Read {
  if (typeof value === 'string') {
    return value.isWellFormed() ? { texts: [value] } : { fault: 'must be valid Unicode' };
  }
  if (typeof value !== 'number' && typeof value !== 'boolean') {
    return { fault: 'must be a string, a number or a boolean' };
  }
  const text = String(value);
  // The reader of the JSON has rounded such a number, so the intended one is not known.
  const isExact = type === 'INT64' || type === 'NUMERIC';
  const isUnsafe = isExact && Number.isInteger(value) && !Number.isSafeInteger(value);
  const isRounded = isUnsafe || (type === 'NUMERIC' && text.length > 16);
  if (!isRounded) return { texts: [text] };
  return { fault: 'has more digits than a JSON number can keep: send it as a string' };
}

function readPage(endpoint: Endpoint, given: Arguments, faults: FieldViolation[]): PageRequest {
  const columns = readColumns(Object.keys(endpoint.row), given.columns ?? []);
  if (columns === undefined) {
    const names = Object.keys(endpoint.row).join(', ');
    faults.push({ field: 'columns', description: `must be a list of names from: ${names}` });
  }
  const asked = given.limit ?? PAGE_ROWS_MAX;
  // A list is not converted: that is recursive, and a deep list would overflow the stack.
  const limit = typeof asked === 'number' || typeof asked === 'string' ? Number(asked) : 0;
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_ROWS_MAX) {
    const description = `must be a whole number from 1 to ${PAGE_ROWS_MAX}`;
    faults.push({ field: 'limit', description });
  }
  const isFirst = (given.cursor ?? '') === '';
  const cursor = typeof given.cursor === 'string' ? parseCursor(given.cursor) : undefined;
  if (!isFirst && cursor === undefined) {
    const description = 'must be the cursor of the previous answer, or be left out';
    faults.push({ field: 'cursor', description });
  }
  return { limit, columns: columns?.length === 0 ? undefined : columns, cursor };
}

/** The named columns in the order of the result; undefined if one of the names is unknown. */
function readColumns(all: readonly string[], named: unknown): string[] | undefined {
  const isValid = Array.isArray(named) && named.every((name) => all.includes(name as string));
  return isValid ? all.filter((name) => named.includes(name)) : undefined;
}
