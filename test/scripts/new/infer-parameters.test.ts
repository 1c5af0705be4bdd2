// Tests of the types of undeclared parameters, which GoogleSQL's analyzer infers from each use.
import { inferParameters } from '../../../scripts/new/infer-parameters.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { columns } from '../../support/sql/columns.ts';

const engine = await sharedEngine();

const TABLES = [
  {
    name: 'orders',
    fields: columns('id STRING, day DATE, amount NUMERIC, share FLOAT64, huge BIGNUMERIC'),
  },
];
const where = (condition: string): string => `SELECT id FROM orders WHERE ${condition}`;

it.each(
  Object.entries<Record<string, string>>({
    [where('amount >= @a')]: { a: 'NUMERIC' },
    [where('@a IS NULL OR amount >= @a')]: { a: 'NUMERIC' },
    [where('amount >= @a AND @a IS NOT NULL')]: { a: 'NUMERIC' },
    [where('@a = 0 OR amount >= @a')]: { a: 'NUMERIC' },
    [where('amount >= @a OR share >= @a')]: { a: 'FLOAT64' },
    [where('huge = @a')]: { a: 'NUMERIC' },
    [where("@a = '' OR id = @a")]: { a: 'STRING' },
    [where('@a IS NULL')]: { a: 'STRING' },
    [where('ARRAY_LENGTH(@a) = 0')]: { a: 'ARRAY<STRING>' },
    [where('ARRAY_LENGTH(@a) = 0 OR day IN UNNEST(@a)')]: { a: 'ARRAY<DATE>' },
    [where('amount > COALESCE(@a, 0)')]: { a: 'INT64' },
    [where('day >= DATE_SUB(CURRENT_DATE(), INTERVAL @days DAY) AND day < @end')]: {
      days: 'INT64',
      end: 'DATE',
    },
    [where('IF(@a, amount > 1, TRUE)')]: { a: 'BOOL' },
    [where('TIMESTAMP(day) > @a')]: { a: 'TIMESTAMP' },
    [where('DATETIME(day) > @a')]: { a: 'DATETIME' },
    [`${where('TRUE')} LIMIT @n`]: { n: 'INT64' },
    'SELECT IFNULL(@n, 10) AS a, IFNULL(@s, id) AS b, @c AS c FROM orders': {
      n: 'INT64',
      s: 'STRING',
      c: 'STRING',
    },
    'SELECT share * @r AS x FROM orders GROUP BY share * @r': { r: 'FLOAT64' },
    'CREATE TEMP FUNCTION next(n INT64) AS (n + 1); SELECT next(@n) AS n, @s AS s FROM orders': {
      n: 'INT64',
      s: 'STRING',
    },
    'SELECT share * @r AS x FROM orders WHERE @r IS NOT NULL GROUP BY share * @r': { r: 'FLOAT64' },
    "SELECT id, '@no', -- @none\n @`a` AS a FROM orders WHERE @A IS NULL AND id = @a": {
      a: 'STRING',
    },
  }),
)('%s', async (sql, types) => {
  expect(Object.fromEntries((await inferParameters(engine, sql, TABLES)).types)).toEqual(types);
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
