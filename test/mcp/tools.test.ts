// Tests of `POST /mcp`: the endpoints as tools, over HTTP, with the clients of the official SDK.
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { ServiceError } from '../../functions/core/errors.ts';
import { listen } from '../support/service/listen.ts';
import {
  type ToolClient,
  CLIENTS,
  callTool,
  connectClient,
  leaveBodies,
  post,
  rpc,
} from './mcp-client.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { type QueryServer, createQueryServer } from '../support/world.ts';
import { casesBeside } from '../support/cases.ts';
import { columns } from '../support/sql/columns.ts';
import { PARAMETER_TYPES, loadTypedEndpoints, nameOf } from '../support/sql/typed-endpoints.ts';
import { undo } from '../support/undo.ts';

const cases = casesBeside(import.meta.filename);
const PARTNER_KEY = 'sqk_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const HOURLY = { project: 'a', interval: 'hourly' };
const COUNTS = queryResult({
  schema: columns('timestamp DATETIME REQUIRED, visits INT64 REQUIRED, urls INT64 REQUIRED'),
  rows: [{ f: [{ v: '2026-11-20T10:00:00' }, { v: '7' }, { v: '9007199254740993' }] }],
});
const ROW = { timestamp: '2026-11-20T10:00:00', visits: 7, urls: '9007199254740993' };

let service: QueryServer;

leaveBodies();
beforeEach(() => {
  service = createQueryServer({ mcp: 'on' });
  service.queryRunner.answerWith(COUNTS);
});

describe.each(CLIENTS)('a client of %s', (kind) => {
  async function connect(headers?: Record<string, string>): Promise<ToolClient> {
    const client = await connectClient(kind, await listen(service.server), headers);
    undo(() => client.close());
    return client;
  }

  it('lists the endpoints and gets rows that match their schema, from the same cache as GET', async () => {
    const client = await connect();
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(['tasks_run-stats', 'web_visit-counts']);

    const answer = await client.call('web_visit-counts', HOURLY);
    expect(answer).toMatchObject({
      content: [{ type: 'text' }],
      structuredContent: { result: [ROW], truncated: false, rows: 1 },
    });
    expect(answer.isError).not.toBe(true);
    expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual(answer.structuredContent);
    const ajv = ajvFormats.default(new Ajv2020({ allowUnionTypes: true }));
    const isOfSchema = ajv.compile(tools[1]?.outputSchema ?? {});
    isOfSchema(answer.structuredContent);
    expect(isOfSchema.errors).toBeNull();

    const got = await service.get(
      '/api/endpoints/query/web.visit-counts?project=a&interval=hourly',
    );
    expect(got.headers['cache-status']).toMatch(/^saved-queries; hit;/);
    expect(got.body).toEqual({ result: [ROW] });
    expect(service.queryRunner.requests).toHaveLength(1);
  });

  it('sees and calls only what its key may use', async () => {
    service.keyStore.add(PARTNER_KEY, {
      name: 'partner',
      endpoints: ['web.visit-counts'],
      parameters: { project: ['a', 'b'] },
    });
    const client = await connect({ Authorization: `Bearer ${PARTNER_KEY}` });
    const [tool, ...others] = await client.tools();
    expect(others).toEqual([]);
    expect(tool?.inputSchema).toMatchObject({ properties: { project: { enum: ['a', 'b'] } } });
    expect((await client.call('web_visit-counts', HOURLY)).structuredContent?.rows).toBe(1);

    const refused = await client.call('web_visit-counts', { ...HOURLY, project: 'c' });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: 'This API key or token may not use this value of the parameter project.' }],
    });
    const messages = await Promise.all(
      ['tasks_run-stats', 'no_such-tool'].map((name) =>
        client.call(name, HOURLY).catch((error: unknown) => (error as Error).message),
      ),
    );
    expect(messages[0]).toMatch(/This API key or token has no such tool/);
    expect(messages[1]).toBe(messages[0]);
    expect(service.queryRunner.requests).toHaveLength(1);
  });
});

interface Tool {
  name: string;
  inputSchema: { properties: Record<string, { examples?: unknown[] }> };
}
async function toolsOf(): Promise<Tool[]> {
  const answer = await post(service.server, rpc('tools/list'));
  return (answer.body as { result: { tools: Tool[] } }).result.tools;
}

it('describes an endpoint for a model', async () => {
  const tools = await toolsOf();
  expect(tools.find(({ name }) => name === 'web_visit-counts')).toEqual({
    name: 'web_visit-counts',
    title: 'web.visit-counts',
    description: `Visits of a project and different URLs per time bucket.

Columns of a row:
- timestamp (DATETIME): Start of the time bucket in UTC.
- visits (INT64): Number of requests in the bucket.
- urls (INT64): Number of different URLs in the bucket.

Rows are at most 900 seconds old. The same call again is free; other arguments run a BigQuery query, for seconds and up to 10 GiB: do not explore with them.

At most 1000 rows ("rows" counts all), 200 of them or 32 kB in an answer. If "truncated", pass its "cursor" for the next page, or fewer "columns".`,
    inputSchema: {
      type: 'object',
      properties: {
        project: {
          type: 'string',
          minLength: 1,
          maxLength: 256,
          pattern: '^(?:[^\\s"\'`\\\\]|\\\\+[^\\s"\'`\\\\pP])*\\\\*$',
          format: 're2',
          description:
            'Only requests whose URL contains a match of this regular expression (RE2) are counted. Without white space, quotes and Unicode classes.',
          examples: ['kfqzwmxhvtrnjdbyplca'],
        },
        interval: {
          type: 'string',
          enum: ['hourly', 'daily', 'minutely'],
          description:
            'Look-back window and bucket: hourly is the last hour in hours, daily the last 7 days in days, minutely the last 60 minutes in minutes.',
          examples: ['hourly'],
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 200,
          description: 'Maximum number of rows; 200 by default.',
        },
        columns: {
          type: 'array',
          items: { type: 'string' },
          description: 'Names of columns; all by default.',
        },
        cursor: {
          type: 'string',
          description: 'The cursor of the previous answer, for the next page.',
        },
      },
      required: ['project', 'interval'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        result: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              timestamp: { type: 'string' },
              visits: { type: ['integer', 'string'] },
              urls: { type: ['integer', 'string'] },
            },
          },
        },
        truncated: { type: 'boolean' },
        rows: { type: 'integer' },
        cursor: { type: 'string' },
      },
      required: ['result', 'truncated', 'rows'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  });
});

describe('arguments of any type', () => {
  beforeEach(() => {
    service = createQueryServer({ mcp: 'on', catalogue: loadTypedEndpoints() });
  });

  it('accept the JSON of their schema, and are bound as in a GET', async () => {
    const texts = {
      ...{ string: 'a b&c=%41', numeric: '12345678901234567890.5', string_list: ['a', 'b,c'] },
      ...{ date: '2026-11-20', datetime: '2026-11-20T10:00:00', timestamp: '2026-11-20T10:00:00Z' },
    };
    const answer = await callTool(service.server, 'types_echo', {
      ...{ ...texts, int64: 7, float64: 1e300, bool: false, bool_list: [true] },
      ...{ int64_list: [1, '9007199254740993'], float64_list: [], date_list: null },
    });
    expect(answer.isError).not.toBe(true);
    expect(service.queryRunner.requests[0]?.parameters).toMatchObject({
      ...{ ...texts, int64: '7', bool: 'false', bool_list: ['true'] },
      ...{ int64_list: ['1', '9007199254740993'], float64_list: [], date_list: [] },
    });
  });

  it('have a valid schema that accepts their examples', async () => {
    const tools = await toolsOf();
    const ajv = ajvFormats.default(new Ajv2020({ strict: false }));
    for (const { inputSchema } of tools) {
      expect(ajv.validateSchema(inputSchema)).toBe(true);
      for (const [name, schema] of Object.entries(inputSchema.properties)) {
        for (const example of schema.examples ?? []) {
          expect([name, ajv.validate(schema, example)]).toEqual([name, true]);
        }
      }
    }
    const [echo] = tools;
    expect(Object.keys(echo?.inputSchema.properties ?? {})).toEqual([
      ...PARAMETER_TYPES.map(nameOf),
      ...['limit', 'columns', 'cursor'],
    ]);
  });

  it.each([
    ...cases<[string, object]>('rejected'),
    ['arguments must have at most 16384 bytes in total', { string: 'a'.repeat(17_000) }],
    ['int64_list must have at most 100 values', { int64_list: Array(101).fill(1) }],
  ])('are rejected with a message, before any job: %s', async (message, args) => {
    const answer = await callTool(service.server, 'types_echo', args);
    expect(answer.isError).toBe(true);
    expect(answer.content[0]?.text).toContain(`Invalid parameters: ${message}`);
    expect(answer.content[0]?.text).toMatch(/Correct these arguments and call again\.$/);
    expect(service.queryRunner.requests).toEqual([]);
  });
});

it.each(['web_visit-counts', 'search', 'describe', 'run'])(
  'thousands of unknown arguments of %s are rejected with a short message',
  async (name) => {
    const args = Object.fromEntries(Array(10_000).fill(0).entries());
    const { isError, content } = await callTool(service.server, name, args);
    expect(isError).toBe(true);
    expect(content[0]?.text).toMatch(
      /^Invalid parameters: 0 is not an argument of this tool, which takes /,
    );
    expect(content[0]?.text.length).toBeLessThan(1000);
  },
);

it('a deeply nested argument is refused, and no internal error', async () => {
  const limit = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const body = JSON.stringify(rpc('tools/call', { name: 'web_visit-counts', arguments: HOURLY }));
  const answer = await post(service.server, body.replace('"hourly"', `"hourly","limit":${limit}`));
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('or it is nested too deeply.');
});

it('a query that goes on is an error that tells to call again, after at most 20 s', async () => {
  const metadata = { runningSeconds: '20' };
  const deadlines: number[] = [];
  const { server, log, clock } = createQueryServer({
    mcp: 'on',
    readThrough({ deadlineMs }) {
      deadlines.push(deadlineMs);
      throw new ServiceError('QUERY_RUNNING', 'It runs.', { retryAfterSeconds: 65, metadata });
    },
  });
  const answer = await callTool(server, 'web_visit-counts', HOURLY);
  expect(answer).toMatchObject({
    isError: true,
    content: [{ text: 'It runs. Call again with the same arguments after 65 seconds.' }],
  });
  expect(deadlines).toEqual([clock.nowMs() + 20_000]);
  expect(log.lines).toMatchObject([{ severity: 'INFO', fields: { reason: 'QUERY_RUNNING' } }]);
});

describe('the log', () => {
  it('has the method, the endpoint and the outcome of a call', async () => {
    await callTool(service.server, 'web_visit-counts', HOURLY);
    const { severity, message, fields } = service.log.lines.at(-1) ?? {};
    expect([severity, message]).toEqual(['INFO', 'POST 200']);
    expect(fields).toMatchObject({
      ...{ event: 'request', keyName: 'dashboard', rpcMethod: 'tools/call' },
      ...{ endpoint: 'web.visit-counts', outcome: 'miss', jobId: 'job-1' },
    });
  });

  it('has the internal error, of which the caller gets only the id', async () => {
    service.queryRunner.answerWith(new Error('a detail'));
    const { content, isError } = await callTool(service.server, 'web_visit-counts', HOURLY);
    const { severity, fields } = service.log.lines.at(-1) ?? {};
    expect(severity).toBe('ERROR');
    expect(fields).toMatchObject({ status: 200, reason: 'INTERNAL', error: 'Error: a detail' });
    expect(isError).toBe(true);
    expect(content[0]?.text).toBe(
      `Internal error. Do not repeat the call. The log lists it as ${String(fields?.errorId)}.`,
    );
  });

  it('does not contain the name of an unknown method', async () => {
    await post(service.server, rpc('secret/method'));
    expect(service.log.lines.at(-1)?.fields).toMatchObject({ rpcMethod: 'other' });
    expect(JSON.stringify(service.log.lines)).not.toContain('secret');
  });
});
