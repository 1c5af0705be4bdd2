// Tests of the tools of a key with many endpoints: search, describe and run.
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { leaveBodies, listTools } from './mcp-client.ts';
import { createQueryServer } from '../support/world.ts';

leaveBodies();

function catalogueOf(endpoints: readonly Record<string, unknown>[]) {
  const tree = new FakeSqlTree();
  for (const endpoint of endpoints) tree.endpoint(endpoint);
  return tree.catalogue();
}

const many = (count: number, fields = {}) =>
  Array.from({ length: count }, (_, index) => ({ name: `group.e${index + 100}`, ...fields }));

const parameters = { project: parameter() };
const catalogue = catalogueOf([
  ...many(41, { parameters }),
  { name: 'orders.daily', description: 'Orders of a shop per day.', parameters },
  { name: 'orders.late', description: 'Late parcels of a shop.', parameters },
  { name: 'shop.visits', description: 'Who looked, and did not order.', parameters },
]);
it.each(stepsBeside(import.meta.filename))('%s', (_, steps) =>
  runScenario(steps, { mcp: 'on', catalogue }),
);

it.each([
  ['40 endpoints', many(40), 'group_e100'],
  ['41 endpoints', many(41), 'search'],
  ['descriptions of more than 48 kB', many(10, { description: 'x'.repeat(5000) }), 'search'],
  ['a name of 64 characters', [{ name: `group.${'a'.repeat(58)}` }], `group_${'a'.repeat(58)}`],
  ['a name of 65 characters', [{ name: `group.${'a'.repeat(59)}` }], 'search'],
])('the tool list of a key is limited in size with %s', async (_, endpoints, first) => {
  const service = createQueryServer({ mcp: 'on', catalogue: catalogueOf(endpoints) });
  const names = (await listTools(service.server)).map(({ name }) => name);
  expect(names[0]).toBe(first);
  if (first === 'search') expect(names).toEqual(['search', 'describe', 'run']);
  else expect(names).toHaveLength(endpoints.length);
});
