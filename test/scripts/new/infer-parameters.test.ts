// Tests of the types of undeclared parameters, which GoogleSQL's analyzer infers from each use.
import { inferParameters } from '../../../scripts/new/infer-parameters.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { columns } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

const engine = await sharedEngine();

const TABLES = [
  {
    name: 'orders',
    fields: columns('id STRING, day DATE, amount NUMERIC, share FLOAT64, huge BIGNUMERIC'),
  },
];
const { queries = [] } = readExpectations('test/scripts/new/infer-parameters.sql');
const where = (condition: string): string => `SELECT id FROM orders WHERE ${condition}`;

it.each(queries)('%s', async (sql, types) => {
  const found = [...(await inferParameters(engine, sql, TABLES)).types];
  expect(
    found
      .map((one) => one.join(' '))
      .sort()
      .join(', '),
  ).toBe(types);
});

it.each([
  [where('TIME(TIMESTAMP(day)) = @t'), '@t would be TIME, which is not a parameter type'],
  [
    where('@a = day OR @a = amount'),
    'No matching signature for operator = for argument types: DATE, NUMERIC',
  ],
])('%s is rejected', async (sql, fault) => {
  await expect(inferParameters(engine, sql, TABLES)).rejects.toThrow(fault);
});

it('reports an error at its position, even if parameters were renamed for the analysis', async () => {
  const sql = where('@a IS NULL OR amount >= @a\n OR ARRAY_LENGTH(@b) = 0 AND nix = 1');
  await expect(inferParameters(engine, sql, TABLES)).rejects.toThrow(
    'Unrecognized name: nix at [2:30]',
  );
});
