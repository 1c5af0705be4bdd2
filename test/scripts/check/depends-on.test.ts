// Tests what `check` finds out of each query: the tables and slow clocks that its answer depends on, or why it runs each time.
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { source } from '../../support/sql/columns.ts';
import { FakeSqlTree, parameter } from '../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const engine = await sharedEngine();
const COUNT = 'SELECT COUNT(*) AS count FROM orders WHERE';

/** The tables and clocks of the one endpoint, or why it runs in each run, or its faults. */
async function dependsOn(definition: object, sql: string, warm?: string): Promise<string> {
  const sources = ['orders', 'prices'].map((name) =>
    source(name, 'day DATE, ts TIMESTAMP, note STRING, system_time TIMESTAMP, current_date DATE'),
  );
  const routine =
    'CREATE TEMP FUNCTION any_type(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM prices));';
  const tree = new FakeSqlTree()
    .write('routines/any_type.sql', routine)
    .endpoint({ ...definition }, sql, warm);
  const [inspected] = inspectCatalogue(tree.directory).endpoints;
  if (inspected === undefined) throw new Error('There is no endpoint.');
  const { endpoint, faults, runsAgain } = await checkEndpoint(engine, sources, inspected);
  if (faults.length > 0) return faults.map(({ message }) => message).join();
  if (runsAgain) return `in each run: ${runsAgain.message}`;
  const tables = endpoint?.dependsOn?.sources.map(({ table }) => table).sort();
  const clocks = endpoint?.dependsOn?.clocks.map(({ unit, timeZone }) => `; ${unit} ${timeZone}`);
  return `${tables?.join(', ')}${clocks?.join('')}`;
}

it.each([
  ...(readExpectations('test/scripts/check/depends-on.sql').queries ?? []),
  // A comment ends with a carriage return too.
  ['-- Old.\r ts > CURRENT_TIMESTAMP()', 'in each run: CURRENT_TIMESTAMP'],
  ['# Old.\r RAND() > 0.5', 'in each run: RAND'],
] as const)('%s: %s', async (sql, expected) => {
  const zone = parameter({ example: 'UTC' });
  const parameters = sql.includes('@zone') ? { zone } : {};
  const query = /^(SELECT|CREATE|WITH|FROM) /.test(sql) ? sql : `${COUNT} ${sql}`;
  expect(await dependsOn({ parameters }, query)).toBe(expected);
});

it('finds that a warm.sql over @keys depends only on its tables', async () => {
  const parameters = { note: parameter({ required: true }) };
  const warming = { batchOver: ['note'], maxKeys: 100 };
  const found = await dependsOn(
    { parameters, warming },
    `${COUNT} note = @note`,
    // As `npm run new -- --warm` writes it.
    `SELECT keys.key AS key, COUNT(*) AS count
     FROM orders INNER JOIN UNNEST(@keys) AS keys ON orders.note = keys.note
     GROUP BY keys.key ORDER BY keys.key`,
  );
  expect(found).toBe('orders');
});
