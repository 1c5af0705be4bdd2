// Calls a tool with the steps of a GET; an error becomes a text that a model can act on.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ServiceError, reasonOf, toServiceError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { EndpointDescription, Endpoint } from '../endpoints/endpoint.ts';
import { invalidParameters } from '../endpoints/parameters.ts';
import { describeEndpoints } from '../http/describe-endpoints.ts';
import { type RequestLine, noteError } from '../http/request-log.ts';
import type { Served } from '../cache/reading.ts';
import type { Rights } from '../keys/access.ts';
import { FOUND_MAX, endpointNameOf, endpointTool } from './endpoint-tool.ts';
import { type Arguments, argumentsOf, faultyNames, readArguments } from './read-arguments.ts';
import { pageOf } from './result-page.ts';

const WORDS_MAX = 20;
const FOUND_TEXT_LENGTH_MAX = 300;

/** Who calls, and what a GET of rows does after authentication: both functions throw, or reject with, its errors. */
export interface Caller {
  key: Rights;
  endpoints: readonly Endpoint[];
  line: RequestLine;
  /** Undefined for the holder of a token, who learns nothing of the team's bytes. */
  maxBytesBilled: number | undefined;
  /** Finds an endpoint that the key may use. */
  resolve: (idOrName: string) => Endpoint;
  /** Reads, authorises and checks the parameters, then reads through the cache. */
  read: (endpoint: Endpoint, queryString: string) => Promise<Served>;
}

/** Undefined if there is no such tool for the key. Faults of the call are answers, never thrown. */
export async function callTool(name: string, given: Arguments, caller: Caller) {
  try {
    if (name === 'search') return success(search(given, caller));
    if (name === 'describe') return success(describe(given, caller));
    if (name === 'run') return success(await run(given, caller));
    const endpoint = findTool(name, caller);
    return endpoint && success(await rowsOf(endpoint, given, caller));
  } catch (error) {
    return failure(toServiceError(error), caller.line);
  }
}

function findTool(name: string, caller: Caller): Endpoint | undefined {
  try {
    return caller.resolve(endpointNameOf(name));
  } catch (error) {
    if (reasonOf(error) === 'ENDPOINT_NOT_FOUND') return undefined;
    throw error;
  }
}

async function rowsOf(endpoint: Endpoint, given: Arguments, caller: Caller) {
  // Faults name columns, which a key that can make no call must not learn, and parameters, of which a token fixes some.
  const shown = describedFor(endpoint, caller.key).parameters.map(({ name }) => name);
  const { queryString, page } = readArguments(endpoint, given, shown);
  const served = await caller.read(endpoint, queryString);
  const { localRowsCut } = served.entry;
  if (localRowsCut === undefined) return pageOf(served, page);
  // A GET has a header for this; a model would take the rows for right.
  const message = `The rows may be wrong, because the local BigQuery read only the newest rows (${localRowsCut}).`;
  throw new ServiceError('NOT_RUN_LOCALLY', message);
}

/** Throws if every call of the endpoint with this key would be refused. */
function describedFor(endpoint: Endpoint, key: Rights): EndpointDescription {
  const [described] = describeEndpoints([endpoint], key);
  if (described !== undefined) return described;
  const message = 'This API key or token cannot call this endpoint with any parameter values.';
  throw new ServiceError('ENDPOINT_NOT_FOUND', message);
}

/** The endpoints that have a word of the query, the best first: a word of the name counts most. */
function search(given: Arguments, { endpoints, key }: Caller) {
  const query = textOf({ ...given, query: given.query ?? '' }, 'query');
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].slice(0, WORDS_MAX);
  const scored = describeEndpoints(endpoints, key)
    .map((endpoint) => ({ endpoint, score: words.length === 0 ? 1 : scoreOf(endpoint, words) }))
    .filter(({ score }) => score > 0)
    // The sort is stable, so equal ones stay in the order of their names.
    .sort((a, b) => b.score - a.score);
  const found = scored.slice(0, FOUND_MAX).map(({ endpoint: { name, description } }) => ({
    name,
    description: description.slice(0, FOUND_TEXT_LENGTH_MAX),
  }));
  return { found, matches: scored.length };
}

function scoreOf(endpoint: EndpointDescription, words: readonly string[]): number {
  const { name, description, parameters, row } = endpoint;
  const fields = [...parameters, ...row].map((field) => `${field.name} ${field.description}`);
  const texts = [fields.join(' '), description, name].map((text) => text.toLowerCase());
  // The last text with the word counts: 1 in a field, 2 in the description, 3 in the name.
  const scores = words.map((word) => 1 + texts.findLastIndex((text) => text.includes(word)));
  return scores.reduce((sum, score) => sum + score, 0);
}

/** The tool that the endpoint would be, with the name that `run` takes. */
function describe(given: Arguments, { resolve, key, maxBytesBilled }: Caller) {
  const endpoint = resolve(endpointNameOf(textOf(given, 'name')));
  const { description, inputSchema } = endpointTool(describedFor(endpoint, key), maxBytesBilled);
  return { name: endpoint.name, description, arguments: inputSchema };
}

async function run(given: Arguments, caller: Caller) {
  const endpoint = caller.resolve(endpointNameOf(textOf(given, 'name', 'arguments')));
  const passed = given.arguments ?? {};
  if (isObject(passed)) return rowsOf(endpoint, argumentsOf(passed), caller);
  throw invalidParameters([['arguments', 'must be an object']]);
}

/** The text of an argument; only `others` may be given with it. */
function textOf(given: Arguments, field: string, ...others: string[]): string {
  const faults = faultyNames(given, [field, ...others]);
  const text = given[field];
  if (typeof text === 'string' && faults.size === 0) return text;
  if (typeof text !== 'string') faults.set(field, 'must be a string');
  throw invalidParameters(faults);
}

/** Text and structure are the same: clients show their model the one or the other. */
function success(structuredContent: Record<string, unknown>): CallToolResult {
  const text = JSON.stringify(structuredContent);
  return { content: [{ type: 'text', text }], structuredContent };
}

function failure(error: ServiceError, line: RequestLine): CallToolResult {
  const { errorId } = noteError(line, error);
  const { reason, message, retryAfterSeconds } = error;
  const advice = [message];
  if (reason === 'INVALID_PARAMETERS') advice.push('Correct these arguments and call again.');
  if (reason === 'ENDPOINT_NOT_FOUND') advice.push('Find one with the tool "search".');
  if (reason === 'QUERY_RUNNING') {
    advice.push(`Call again with the same arguments after ${retryAfterSeconds} seconds.`);
  } else if (retryAfterSeconds)
    advice.push(`Wait ${retryAfterSeconds} seconds before the next call.`);
  if (errorId) advice.push(`Do not repeat the call. The log lists it as ${errorId}.`);
  return { isError: true, content: [{ type: 'text', text: advice.join(' ') }] };
}
