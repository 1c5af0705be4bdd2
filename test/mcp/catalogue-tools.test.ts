// Tests of the tools of a key with many endpoints: search, describe and run.
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { leaveBodies, post, rpc } from './mcp-client.ts';
import { createQueryServer } from '../support/world.ts';

leaveBodies();

interface Made {
  name: string;
  description?: string;
}

function catalogueOf(endpoints: readonly Made[], parameters = {}) {
  const tree = new FakeSqlTree();
  for (const [index, endpoint] of endpoints.entries()) {
    const id = `11111111-2222-4333-8444-${String(index).padStart(12, '0')}`;
    tree.endpoint({ id, parameters, ...endpoint });
  }
  return tree.catalogue();
}

const many = (count: number): Made[] =>
  Array.from({ length: count }, (_, index) => ({ name: `group.e${index + 100}` }));

const SHOP = [
  { name: 'orders.daily', description: 'Orders of a shop per day.' },
  { name: 'orders.late', description: 'Late parcels of a shop.' },
  { name: 'shop.visits', description: 'Who looked, and did not order.' },
];
const catalogue = catalogueOf([...many(41), ...SHOP], { project: parameter() });
it.each(stepsBeside(import.meta.filename))('%s', (_, steps) =>
  runScenario(steps, { mcp: 'on', catalogue }),
);

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
  const service = createQueryServer({ mcp: 'on', catalogue: catalogueOf(endpoints) });
  const answer = await post(service.server, rpc('tools/list'));
  const { result } = answer.body as { result: { tools: { name: string }[] } };
  const names = result.tools.map(({ name }) => name);
  expect(names[0]).toBe(first);
  if (first === 'search') expect(names).toEqual(['search', 'describe', 'run']);
  else expect(names).toHaveLength(endpoints.length);
});
