// Tests of `POST /mcp`: the endpoints as tools, over HTTP, with the clients of the official SDK.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { listen } from '../support/service/listen.ts';
import {
  type ToolClient,
  CLIENTS,
  callTool,
  connectClient,
  leaveBodies,
  listTools,
  post,
  rpc,
} from './mcp-client.ts';
import { queryResult, wireRow } from '../support/fakes/fake-query-runner.ts';
import { type QueryServer, createQueryServer } from '../support/world.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { columns } from '../support/sql/columns.ts';
import { PARAMETER_TYPES, loadTypedEndpoints, nameOf } from '../support/sql/typed-endpoints.ts';
import { undo } from '../support/undo.ts';

const HOURLY = { project: 'a', interval: 'hourly' };

leaveBodies();
it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps, { mcp: 'on' }));

/** With a row of `web.visit-counts`. */
function start(): QueryServer {
  const service = createQueryServer({ mcp: 'on' });
  const schema = columns('timestamp DATETIME REQUIRED, visits INT64 REQUIRED, urls INT64 REQUIRED');
  const rows = [wireRow('2026-11-20T10:00:00', '7', '9007199254740993')];
  service.queryRunner.answerWith(queryResult({ schema, rows }));
  return service;
}

async function connect(
  kind: (typeof CLIENTS)[number],
  { server }: QueryServer,
  headers?: Record<string, string>,
): Promise<ToolClient> {
  const client = await connectClient(kind, await listen(server), headers);
  undo(() => client.close());
  return client;
}

it.each(CLIENTS)(
  'a client of %s lists the endpoints and gets rows that match their schema, from the same cache as GET',
  async (kind) => {
    const service = start();
    const ROW = { timestamp: '2026-11-20T10:00:00', visits: 7, urls: '9007199254740993' };
    const client = await connect(kind, service);
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
  },
);

it.each(CLIENTS)('a client of %s sees and calls only what its key may use', async (kind) => {
  const service = start();
  const PARTNER_KEY = 'sqk_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
  service.keyStore.add(PARTNER_KEY, {
    name: 'partner',
    endpoints: ['web.visit-counts'],
    parameters: { project: ['a', 'b'] },
  });
  const client = await connect(kind, service, { Authorization: `Bearer ${PARTNER_KEY}` });
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

it('describes an endpoint for a model', async () => {
  const tools = await listTools(start().server);
  const expected: unknown = JSON.parse(readFileSync('test/mcp/web_visit-counts.json', 'utf8'));
  expect(tools.find(({ name }) => name === 'web_visit-counts')).toEqual(expected);
});

it('arguments of any type have a valid schema that accepts their examples', async () => {
  const { server } = createQueryServer({ mcp: 'on', catalogue: loadTypedEndpoints() });
  const tools = await listTools(server);
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

it.each(['web_visit-counts', 'search', 'describe', 'run'])(
  'thousands of unknown arguments of %s are rejected with a short message',
  async (name) => {
    const args = Object.fromEntries(Array(10_000).fill(0).entries());
    const { isError, content } = await callTool(start().server, name, args);
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
  const answer = await post(start().server, body.replace('"hourly"', `"hourly","limit":${limit}`));
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('or it is nested too deeply.');
});
