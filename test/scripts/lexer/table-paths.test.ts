// Names of tables in a query, in each way in which BigQuery takes them.
import { tablePaths } from '../../../scripts/lexer/sql-text.ts';

it.each<[string, string[]]>([
  ['SELECT a FROM orders', ['SELECT', 'a', 'FROM', 'orders']],
  ['FROM crm.customers', ['FROM', 'crm|customers']],
  ['FROM `crm.customers`', ['FROM', 'crm|customers']],
  ['FROM `acme-crm`.crm.`order list`', ['FROM', 'acme-crm|crm|order list']],
  ['FROM my-project-12.crm . customers', ['FROM', 'my-project-12|crm|customers']],
  ['FROM `example.com:acme.crm.customers`', ['FROM', 'example|com:acme|crm|customers']],
  ['FROM `a.events_2026*`', ['FROM', 'a|events_2026*']],
  ["'FROM x' -- FROM y\n/* `z` */ 1", ['1']],
  ['"it`s" `b`', ['b']],
])('%s', (sql, paths) => {
  expect(tablePaths(sql).map(({ parts }) => parts.join('|'))).toEqual(paths);
});

it('returns the position of a path', () => {
  const sql = "SELECT 'é', x FROM `a`.b";
  const { start = 0, end = 0 } = tablePaths(sql).at(-1) ?? {};
  expect(sql.slice(start, end)).toBe('`a`.b');
});
