// Tests what `check` finds out of each query: the tables and slow clocks that its answer depends on, or why it runs each time.
import { join } from 'node:path';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { checkSources } from '../../../scripts/check/check-sources.ts';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const engine = await sharedEngine();
const tree = new FakeSqlTree();
const FROM = 'SELECT COUNT(*) AS count FROM orders WHERE';

const AGAIN = 'in each run: ';
const { queries = [] } = readExpectations('test/scripts/check/depends-on.sql');
const CASES = [
  ...queries,
  // A comment ends with a carriage return too.
  ['-- Old.\r ts > CURRENT_TIMESTAMP()', `${AGAIN}CURRENT_TIMESTAMP`],
  ['# Old.\r RAND() > 0.5', `${AGAIN}RAND`],
].map(
  ([sql = '', expected = '']) =>
    [/^(SELECT|CREATE|WITH|FROM) /.test(sql) ? sql : `${FROM} ${sql}`, expected] as const,
);

let found: Map<string, string>;

beforeAll(async () => {
  const list = 'day DATE, ts TIMESTAMP, note STRING, system_time TIMESTAMP, current_date DATE';
  tree.source('orders', list).source('prices', list);
  const routine =
    'CREATE TEMP FUNCTION any_type(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM prices));';
  tree.write('routines/any_type.sql', routine);
  CASES.forEach(([sql], index) => {
    const id = endpointDefinition().id.replace(/^1+/, String(10_000_000 + index));
    const zone = parameter({ example: 'UTC' });
    const parameters = sql.includes('@zone') ? { zone } : {};
    tree.endpoint({ id, name: `case.n${index}`, parameters }, sql);
  });
  const batched = { id: endpointDefinition().id, name: 'case.batched' };
  const parameters = { note: parameter({ required: true }) };
  const warming = { batchOver: ['note'], maxKeys: 100 };
  tree.endpoint(
    { ...batched, parameters, warming },
    `${FROM} note = @note`,
    // As `npm run new -- --warm` writes it.
    `SELECT keys.key AS key, COUNT(*) AS count
     FROM orders INNER JOIN UNNEST(@keys) AS keys ON orders.note = keys.note
     GROUP BY keys.key ORDER BY keys.key`,
  );
  const { sources } = await checkSources(join(tree.directory, 'sources'), []);
  found = new Map();
  for (const inspected of inspectCatalogue(tree.directory).endpoints) {
    const { endpoint, faults, runsAgain } = await checkEndpoint(engine, sources, inspected);
    const { dependsOn } = endpoint ?? {};
    const tables = dependsOn?.sources.map(({ table }) => table).sort();
    const clocks = dependsOn?.clocks.map(({ unit, timeZone }) => `; ${unit} ${timeZone}`);
    const depends = `${tables?.join(', ')}${clocks?.join('')}`;
    const text = runsAgain ? `${AGAIN}${runsAgain.message}` : depends;
    found.set(inspected.folder, faults.map(({ message }) => message).join() || text);
  }
});

it.each(CASES.map((one, index) => [...one, index] as const))('%s: %s', (_, expected, index) => {
  expect(found.get(`case.n${index}`)).toBe(expected);
});

it('finds that a warm.sql over @keys depends only on its tables', () => {
  expect(found.get('case.batched')).toBe('orders');
});
