// Tests of the tools of a key with many endpoints: search, describe and run.
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { callTool, leaveBodies, post, rpc } from './mcp-client.ts';
import { type QueryServer, createQueryServer } from '../support/world.ts';

const OTHER_KEY = 'sqk_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';

let service: QueryServer;

leaveBodies();

interface Made {
  name: string;
  description?: string;
}

function serve(endpoints: readonly Made[], parameters = {}): void {
  const tree = new FakeSqlTree();
  for (const [index, endpoint] of endpoints.entries()) {
    const id = `11111111-2222-4333-8444-${String(index).padStart(12, '0')}`;
    tree.endpoint({ id, parameters, ...endpoint });
  }
  service = createQueryServer({ mcp: 'on', catalogue: tree.catalogue() });
}

const many = (count: number): Made[] =>
  Array.from({ length: count }, (_, index) => ({ name: `group.e${index + 100}` }));

async function toolNames(): Promise<string[]> {
  const answer = await post(service.server, rpc('tools/list'));
  const { result } = answer.body as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

async function answerOf(name: string, args: object, key?: string): Promise<unknown> {
  const { content, structuredContent } = await callTool(service.server, name, args, key);
  return structuredContent ?? content[0]?.text;
}

it.each([
  ['40 endpoints', many(40), 'group_e100'],
  ['41 endpoints', many(41), 'search'],
  [
    'descriptions of more than 48 kB',
    many(10).map(({ name }) => ({ name, description: 'x'.repeat(5000) })),
    'search',
  ],
  ['a name of 64 characters', [{ name: `group.${'a'.repeat(58)}` }], `group_${'a'.repeat(58)}`],
  ['a name of 65 characters', [{ name: `group.${'a'.repeat(59)}` }], 'search'],
])('the tool list of a key is limited in size with %s', async (_, endpoints, first) => {
  serve(endpoints);
  const names = await toolNames();
  expect(names[0]).toBe(first);
  if (first === 'search') expect(names).toEqual(['search', 'describe', 'run']);
  else expect(names).toHaveLength(endpoints.length);
});

describe('search, describe and run', () => {
  const SHOP = [
    { name: 'orders.daily', description: 'Orders of a shop per day.' },
    { name: 'orders.late', description: 'Late parcels of a shop.' },
    { name: 'shop.visits', description: 'Who looked, and did not order.' },
  ];
  beforeEach(() => serve([...many(41), ...SHOP], { project: parameter() }));

  it('find endpoints by words, those with the word in their name first', async () => {
    const found = await answerOf('search', { query: 'orders, per DAY!' });
    expect(found).toEqual({ found: SHOP.slice(0, 2), matches: 2 });
    expect(await answerOf('search', { query: 'zebra' })).toEqual({ found: [], matches: 0 });
    for (const args of [{}, { query: null }]) {
      expect(await answerOf('search', args)).toMatchObject({
        found: { length: 20, 0: { name: 'group.e100' } },
        matches: 44,
      });
    }
  });

  it('describe and run an endpoint by either of its names', async () => {
    const described = await answerOf('describe', { name: 'orders.daily' });
    expect(described).toMatchObject({
      name: 'orders.daily',
      description: expect.stringMatching(/^Orders of a shop per day\.\n\nColumns/) as string,
      arguments: { properties: { project: { description: 'A parameter.' }, limit: {} } },
    });
    expect(await answerOf('describe', { name: 'orders_daily' })).toEqual(described);
    const run = { name: 'orders.daily', arguments: { project: 'b', limit: 5 } };
    const rows = { result: [{ count: 1 }], truncated: false, rows: 1 };
    expect(await answerOf('run', run)).toEqual(rows);
    expect(service.queryRunner.requests[0]?.parameters).toEqual({ project: 'b' });
  });

  it.each([
    ['run', { nmae: 'orders.daily' }, 'nmae is not an argument of this tool; did you mean name?'],
    ['run', {}, 'name must be a string'],
    ['describe', { name: 7 }, 'name must be a string'],
  ])('%s explains what is wrong with %j', async (tool, args, text) => {
    expect(await answerOf(tool, args)).toContain(text);
  });

  it('reveal nothing about endpoints that a key may not use', async () => {
    service.keyStore.add(OTHER_KEY, { name: 'other', endpoints: ['shop.visits'] });
    expect(await answerOf('search', { query: 'shop' }, OTHER_KEY)).toMatchObject({ matches: 1 });
    const absent =
      'There is no such endpoint for this API key or token. Find one with the tool "search".';
    for (const tool of ['describe', 'run']) {
      for (const name of ['orders.daily', 'no.such']) {
        expect(await answerOf(tool, { name }, OTHER_KEY)).toBe(absent);
      }
    }
  });

  it('reveal nothing about an endpoint that rejects every call of the key', async () => {
    service.keyStore.add(OTHER_KEY, { endpoints: ['*'], parameters: { other: ['a'] } });
    const name = 'orders.daily';
    for (const [tool, args] of [
      ['describe', { name }],
      ['run', { name, arguments: { columns: ['none'], none: 1 } }],
      ['orders_daily', { columns: ['none'], none: 1 }],
    ] as const) {
      expect(await answerOf(tool, args, OTHER_KEY)).toContain(
        'This API key or token cannot call this endpoint with any parameter values.',
      );
    }
  });
});
