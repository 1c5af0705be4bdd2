// Calls a tool with the steps of a GET; what is wrong with a call becomes a text that a model can act on.
import { ServiceError, toServiceError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { ApiKey } from '../core/key-store.ts';
import type { EndpointDescription } from '../endpoints/description.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { invalidParameters } from '../endpoints/parameters.ts';
import { describeEndpoints } from '../http/describe-endpoints.ts';
import { type RequestLine, noteError } from '../http/request-log.ts';
import type { Served } from '../results/read-through.ts';
import { searchEndpoints } from './catalogue-tools.ts';
import { endpointNameOf, endpointTool } from './endpoint-tool.ts';
import { readArguments } from './read-arguments.ts';
import { pageOf } from './result-page.ts';

/** What a GET of rows does after authentication; both throw, or reject with, the same errors. */
interface Steps {
  /** Finds an endpoint that the key may use. */
  resolve(idOrName: string): Endpoint;
  /** Reads, authorises and checks the parameters, then reads through the cache. */
  read(endpoint: Endpoint, queryString: string): Promise<Served>;
}

/** Who calls, and what the key can do. */
export interface Caller extends Steps {
  key: ApiKey;
  /** All of the service. */
  endpoints: readonly Endpoint[];
  line: RequestLine;
  maxBytesBilled: number;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools; a type and not an interface, so that it is a record too. */
type ToolAnswer = {
  content: { type: 'text'; text: string }[];
  /** The same as the text: clients show their model the one or the other. */
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

type Arguments = Readonly<Record<string, unknown>>;

/** Undefined if there is no such tool for the key. Faults of the call are answers, never thrown. */
export async function callTool(
  name: string,
  given: Arguments,
  caller: Caller,
): Promise<ToolAnswer | undefined> {
  try {
    if (name === 'search') return success(search(given, caller));
    if (name === 'describe') return success(describeEndpoint(given, caller));
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
    if (error instanceof ServiceError && error.reason === 'ENDPOINT_NOT_FOUND') return undefined;
    throw error;
  }
}

async function rowsOf(endpoint: Endpoint, given: Arguments, caller: Caller) {
  const { queryString, page } = readArguments(endpoint, given);
  return pageOf(await caller.read(endpoint, queryString), page);
}

function search(given: Arguments, caller: Caller) {
  const { query = '' } = only(given, ['query']);
  return searchEndpoints(described(caller, caller.endpoints), textOf('query', query));
}

/** The tool that the endpoint would be, with the name that `run` takes. */
function describeEndpoint(given: Arguments, caller: Caller) {
  const endpoint = named(only(given, ['name']), caller);
  const [description] = described(caller, [endpoint]);
  if (description === undefined) throw notFound();
  const { description: text, inputSchema } = endpointTool(description, caller.maxBytesBilled);
  return { name: endpoint.name, description: text, arguments: inputSchema };
}

async function run(given: Arguments, caller: Caller) {
  const endpoint = named(only(given, ['name', 'arguments']), caller);
  const passed = given.arguments ?? {};
  if (!isObject(passed)) {
    throw invalidParameters([{ field: 'arguments', description: 'must be an object' }]);
  }
  return rowsOf(endpoint, passed, caller);
}

function named({ name }: Arguments, caller: Caller): Endpoint {
  return caller.resolve(endpointNameOf(textOf('name', name)));
}

function described({ key }: Caller, endpoints: readonly Endpoint[]): EndpointDescription[] {
  return describeEndpoints(endpoints, key);
}

function only(given: Arguments, names: readonly string[]): Arguments {
  const others = Object.keys(given).filter((name) => !names.includes(name));
  if (others.length === 0) return given;
  const description = `is not an argument of this tool: there are ${names.join(', ')}`;
  throw invalidParameters(others.map((name) => ({ field: name.slice(0, 64), description })));
}

function textOf(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalidParameters([{ field, description: 'must be a text' }]);
}

function notFound(): ServiceError {
  return new ServiceError('ENDPOINT_NOT_FOUND', 'There is no such endpoint for this API key.');
}

function success(structuredContent: Record<string, unknown>): ToolAnswer {
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

function failure(error: ServiceError, line: RequestLine): ToolAnswer {
  const { errorId } = noteError(line, error);
  const { reason, message, retryAfterSeconds } = error;
  const advice = [
    message,
    ...(reason === 'INVALID_PARAMETERS' ? ['Correct these arguments and call again.'] : []),
    ...(reason === 'ENDPOINT_NOT_FOUND' ? ['The tool "search" lists those that there are.'] : []),
    ...(retryAfterSeconds === undefined
      ? []
      : [`Wait ${retryAfterSeconds} seconds before the next call.`]),
    ...(errorId === undefined ? [] : [`Do not repeat the call. The log has it as ${errorId}.`]),
  ];
  return { isError: true, content: [{ type: 'text', text: advice.join(' ') }] };
}
