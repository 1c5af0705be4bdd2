// Tests of `POST /mcp` with a token: its tools have what it allows, and its fixed values are filled in.
import { type QueryServer, createQueryServer } from '../support/world.ts';
import { listen } from '../support/service/listen.ts';
import { type ToolClient, CLIENTS, connectClient, leaveBodies, post, rpc } from './mcp-client.ts';
import { createSigner } from '../support/service/sign-token.ts';
import { undo } from '../support/undo.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const signer = createSigner();
const FIXED = { parameters: { project: { fixed: 'cust-7' } } };
const RUN_STATS = 'tasks_run-stats';

let service: QueryServer;

leaveBodies();
beforeEach(() => {
  service = createQueryServer({ mcp: 'on' });
  service.keyStore.keys.set(signer.id, signer.stored({ bytesPerDay: 10 ** 12 }));
});

const tokenWith = (claims: object): string =>
  signer.sign({ iat: NOW, exp: NOW + 3600, sub: 'cust-7', ...claims });

async function connect(claims: object, kind: (typeof CLIENTS)[number] = '2026-07-28') {
  const headers = { Authorization: `Bearer ${tokenWith(claims)}` };
  const client: ToolClient = await connectClient(kind, await listen(service.server), headers);
  undo(() => client.close());
  return client;
}

const projects = (): unknown[] =>
  service.queryRunner.requests.map(({ parameters }) => parameters.project);

it.each(CLIENTS)(
  'a client of %s lists and calls the tools of a token, without its fixed parameters',
  async (kind) => {
    const client = await connect({ ...FIXED, endpoints: ['tasks.*'] }, kind);
    const [tool, ...others] = await client.tools();
    expect([tool?.name, others]).toEqual([RUN_STATS, []]);
    expect(tool?.inputSchema).not.toHaveProperty('required');
    const { properties } = tool?.inputSchema as { properties: object };
    const own = ['function_id', 'interval'];
    expect(Object.keys(properties)).toEqual([...own, 'limit', 'columns', 'cursor']);
    const answer = await client.call(RUN_STATS, { interval: '1day' });
    expect(answer.isError).not.toBe(true);
    expect(projects()).toEqual(['cust-7']);
  },
);

it('a fixed value may be passed, as null too, and gets the same rows from the cache', async () => {
  const client = await connect(FIXED);
  for (const project of ['cust-7', null, undefined]) {
    const answer = await client.call(RUN_STATS, { project, interval: '1day' });
    expect([project, answer.isError]).toEqual([project, undefined]);
  }
  expect(projects()).toEqual(['cust-7']);
});

it.each([['cust-8'], [''], [7], ['cust-7 ']])(
  'another value than the fixed one is refused: %j',
  async (project) => {
    const client = await connect(FIXED);
    expect(await client.call(RUN_STATS, { project, interval: '1day' })).toMatchObject({
      isError: true,
      content: [{ text: 'This API key or token may not use this value of the parameter project.' }],
    });
    expect(projects()).toEqual([]);
  },
);

it('values that a token lists are those of its tool, and no others may be passed', async () => {
  const client = await connect({ parameters: { project: ['a', 'b'] } });
  const tool = (await client.tools()).find(({ name }) => name === RUN_STATS);
  expect(tool?.inputSchema).toMatchObject({ properties: { project: { enum: ['a', 'b'] } } });
  expect((await client.call(RUN_STATS, { project: 'c' })).isError).toBe(true);
  expect((await client.call(RUN_STATS, { project: 'b' })).isError).not.toBe(true);
  expect(projects()).toEqual(['b']);
});

it('errors and descriptions name neither a fixed parameter nor how much a query may read', async () => {
  const client = await connect(FIXED);
  const texts = [
    await client.tools(),
    await client.call('describe', { name: 'tasks.run-stats' }),
    await client.call(RUN_STATS, { unlike: 1 }),
    await client.call(RUN_STATS, { projects: 'a' }),
    await client.call('run', { name: 'tasks.run-stats', arguments: { Project: 'a' } }),
  ].map((answer) => JSON.stringify(answer));
  expect(texts[2]).toContain('which takes function_id, interval, limit, columns, cursor.');
  for (const text of texts) {
    expect(text).not.toMatch(/"project\\*"|project[?,]|GiB/);
  }
  // The holder of a key may know both.
  const listed = await post(service.server, rpc('tools/list'));
  expect(listed.text).toMatch(/"project".*up to 10 GiB/);
});
