// Tests of the types of undeclared parameters, which GoogleSQL's analyzer infers from each use.
import { inferParameters } from '../../../scripts/new/infer-parameters.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { columns } from '../../support/sql/columns.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const engine = await sharedEngine();

const TABLES = [
  {
    name: 'orders',
    fields: columns('id STRING, day DATE, amount NUMERIC, share FLOAT64, huge BIGNUMERIC'),
  },
];
const { queries = [] } = readExpectations('test/scripts/new/infer-parameters.sql');
const where = (condition: string): string => `SELECT id FROM orders WHERE ${condition}`;

it.each([...queries, ...cases<string[]>('rejected')])(
  'the types in %s',
  expectLast(async (sql: string) => {
    const { types } = await inferParameters(engine, sql, TABLES);
    return Array.from(types, (one) => one.join(' '))
      .sort()
      .join(', ');
  }),
);

it('takes a stated type', async () => {
  const sql = 'SELECT x, @b AS b FROM UNNEST(@a) AS x WHERE @c IS NULL';
  const stated = new Map([
    ['a', 'ARRAY<INT64>'],
    ['b', 'DATE'],
    ['c', 'BOOL'],
  ] as const);
  const { types } = await inferParameters(engine, sql, TABLES, stated);
  expect(Object.fromEntries(types)).toEqual(Object.fromEntries(stated));
  const wrong = inferParameters(engine, where('day = @a'), TABLES, new Map([['a', 'BOOL']]));
  await expect(wrong).rejects.toThrow('No matching signature for operator =');
});

it('reports an error at its position, even if parameters were renamed for the analysis', async () => {
  const sql = where('@a IS NULL OR amount >= @a\n OR ARRAY_LENGTH(@b) = 0 AND nix = 1');
  await expect(inferParameters(engine, sql, TABLES)).rejects.toThrow(
    'Unrecognized name: nix at [2:30]',
  );
});
