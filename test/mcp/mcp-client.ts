// Calls tools as the clients of the official SDK do, or with a message of the test.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import request, { type Test } from 'supertest';
import { type RequestStart, stripRequest } from '../../functions/http/framework.ts';
import { API_KEY } from '../support/world.ts';

interface ToolAnswer {
  content: { type: string; text: string }[];
  structuredContent?: Page;
  isError?: boolean;
}

interface Page {
  result: Record<string, unknown>[];
  truncated: boolean;
  rows: number;
  cursor?: string;
}

export type ToolClient = Awaited<ReturnType<typeof connectClient>>;

/** Of today's SDK by both protocols, and of the one before; they hold answers to the schema of their tool. */
export const CLIENTS = ['2026-07-28', 'initialize', 'the SDK before'] as const;

export async function connectClient(
  kind: (typeof CLIENTS)[number],
  origin: string,
  headers: Record<string, string> = { 'X-API-KEY': API_KEY },
) {
  const url = new URL('/mcp', origin);
  const info = { name: 'test', version: '1.0.0' };
  const options = { requestInit: { headers } };
  let client: EarlierClient | Client;
  if (kind === 'the SDK before') {
    client = new EarlierClient(info);
    await client.connect(new EarlierTransport(url, options));
  } else {
    const mode = kind === 'initialize' ? 'legacy' : { pin: kind };
    client = new Client(info, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url, options));
  }
  return {
    tools: async () =>
      (await client.listTools()).tools as {
        name: string;
        inputSchema: object;
        outputSchema?: object;
      }[],
    call: async (name: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name, arguments: args })) as unknown as ToolAnswer,
    close: () => client.close(),
  };
}

/** Calls of both endpoints of the tests, and of both that are shipped, which have rows in the sample data. */
const CALLS_OF_TESTS = {
  'tasks_run-stats': { project: 'kfqzwmxhvtrnjdbyplca', interval: '7day' },
  'web_visit-counts': { project: 'kfqzwmxhvtrnjdbyplca', interval: 'daily' },
};
export const SHIPPED_CALLS = {
  'functions_invocation-stats': { project: 'kfqzwmxhvtrnjdbyplca', interval: '1hr' },
  'usage_api-counts': { project: 'kfqzwmxhvtrnjdbyplca', interval: '1hr' },
};

/** Lists tools and calls each but `others`, as an agent does. */
export async function expectRowsOfTools(
  kind: (typeof CLIENTS)[number],
  origin: string,
  apiKey: string,
  calls: Record<string, Record<string, unknown>> = CALLS_OF_TESTS,
  ...others: string[]
): Promise<void> {
  const client = await connectClient(kind, origin, { 'X-API-KEY': apiKey });
  const tools = await client.tools();
  expect(tools.map(({ name }) => name)).toEqual([...Object.keys(calls), ...others].sort());
  for (const [name, args] of Object.entries(calls)) {
    const { isError, content, structuredContent } = await client.call(name, args);
    expect({ isError, content }).not.toMatchObject({ isError: true });
    expect(structuredContent?.rows).toBeGreaterThan(6);
    expect(structuredContent?.result).toHaveLength(structuredContent?.rows ?? 0);
  }
  await client.close();
}

const CHANNEL = 'http.server.request.start';

/** As deployed, in all tests of a file: the framework leaves bodies alone, of one server or of all. */
export function leaveBodies(only?: Server): void {
  const strip = (message: unknown): void => {
    const start = message as RequestStart;
    if (only === undefined || start.server === only) stripRequest(start);
  };
  beforeAll(() => subscribe(CHANNEL, strip));
  afterAll(() => void unsubscribe(CHANNEL, strip));
}

/** A body as it is, or a message as JSON. */
export function post(server: Server, message: unknown, headers: Record<string, string> = {}): Test {
  return request(server)
    .post('/mcp')
    .set({
      'X-API-KEY': API_KEY,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    })
    .send(typeof message === 'string' ? message : JSON.stringify(message));
}

/** A message of the earlier protocol, which needs nothing but its method. */
export function rpc(method: string, params: unknown = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

interface Tool {
  name: string;
  inputSchema: { properties: Record<string, { examples?: unknown[] }> };
}

/** As a client of the earlier protocol. */
export async function listTools(server: Server): Promise<Tool[]> {
  const answer = await post(server, rpc('tools/list'));
  return (answer.body as { result: { tools: Tool[] } }).result.tools;
}

/** Calls a tool; the answer without the envelope. Arguments may be JSON text, so that they can have what no JavaScript value has. */
export async function callTool(
  server: Server,
  name: string,
  args: unknown = {},
): Promise<ToolAnswer> {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const params = `{"name":"${name}","arguments":${text}}`;
  const answer = await post(
    server,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  );
  expect(answer.status).toBe(200);
  return (answer.body as { result: ToolAnswer }).result;
}
