// Pipe syntax.
import type { RowsCase } from './case.ts';

export const pipes: RowsCase[] = [
  {
    name: 'FROM alone is a query of all columns',
    sql: 'FROM logs.produce |> ORDER BY item, sales',
    columns: ['item', 'sales', 'category'],
    rows: [
      ['apples', '2', 'fruit'],
      ['apples', '7', 'fruit'],
      ['bananas', '5', 'fruit'],
      ['carrots', '8', 'vegetable'],
    ],
  },
  {
    name: 'WHERE, then AGGREGATE with GROUP BY, then WHERE on its result',
    sql: `FROM produce
      |> WHERE sales > 0
      |> AGGREGATE SUM(sales) AS total_sales, COUNT(*) AS num_sales GROUP BY item
      |> WHERE num_sales > 1`,
    columns: ['item', 'total_sales', 'num_sales'],
    rows: [['apples', '9', '2']],
  },
  {
    name: 'AGGREGATE without GROUP BY gives one row',
    sql: 'FROM produce |> AGGREGATE COUNT(*) AS n, SUM(sales) AS total',
    columns: ['n', 'total'],
    rows: [['4', '22']],
  },
  {
    name: 'GROUP AND ORDER BY orders by the groups',
    sql: 'FROM produce |> AGGREGATE SUM(sales) AS total GROUP AND ORDER BY category DESC',
    columns: ['category', 'total'],
    rows: [
      ['vegetable', '8'],
      ['fruit', '14'],
    ],
  },
  {
    name: 'EXTEND adds columns, SET replaces, DROP and RENAME',
    sql: `FROM produce |> WHERE item = 'carrots' |> EXTEND sales * 2 AS twice |> SET sales = sales + 1 |> DROP category |> RENAME item AS name`,
    columns: ['name', 'sales', 'twice'],
    rows: [['carrots', '9', '16']],
  },
  {
    name: 'SELECT, ORDER BY and LIMIT in any order',
    sql: 'FROM produce |> ORDER BY sales DESC |> LIMIT 2 |> SELECT item, sales |> ORDER BY sales',
    columns: ['item', 'sales'],
    rows: [
      ['apples', '7'],
      ['carrots', '8'],
    ],
  },
  {
    name: 'JOIN takes the input as its left side',
    sql: `FROM produce |> AGGREGATE SUM(sales) AS total GROUP BY item
      |> LEFT JOIN (SELECT 'apples' AS item, 123 AS id) AS ids USING (item) |> SELECT item, total, id |> ORDER BY item`,
    rows: [
      ['apples', '9', '123'],
      ['bananas', '5', null],
      ['carrots', '8', null],
    ],
  },
  {
    name: 'AS names the rows so far',
    sql: 'FROM produce |> AGGREGATE MAX(sales) AS top GROUP BY category |> AS best |> SELECT best.category, best.top |> ORDER BY top',
    rows: [
      ['fruit', '7'],
      ['vegetable', '8'],
    ],
  },
  {
    name: 'a pipe may follow any query, also in parentheses and in WITH',
    sql: 'WITH t AS (SELECT 1 AS x UNION ALL SELECT 2 |> WHERE x > 1) SELECT (FROM t |> AGGREGATE COUNT(*)), x FROM t',
    rows: [['1', '2']],
  },
  {
    name: 'UNION ALL adds the rows of queries, DISTINCT leaves duplicates out',
    sql: 'SELECT 1 AS x |> UNION ALL (SELECT 1), (SELECT 2) |> DISTINCT |> ORDER BY x',
    rows: [['1'], ['2']],
  },
  {
    name: 'PIVOT and window functions',
    sql: `FROM produce |> EXTEND RANK() OVER (ORDER BY sales DESC) AS place |> WHERE place = 1 |> SELECT category, sales |> PIVOT (SUM(sales) FOR category IN ('fruit', 'vegetable'))`,
    columns: ['fruit', 'vegetable'],
    rows: [[null, '8']],
  },
  {
    name: 'JOIN keeps the names of the tables, also after a filter',
    sql: `FROM produce AS p |> WHERE p.sales > 5 |> JOIN (SELECT 'apples' AS item, 'a' AS code) AS c ON p.item = c.item |> SELECT p.sales, c.code`,
    columns: ['sales', 'code'],
    rows: [['7', 'a']],
  },
  {
    name: 'FULL JOIN after a filter keeps the rows that only the right side has',
    sql: `FROM produce |> WHERE sales > 7 |> FULL JOIN (SELECT 'figs' AS item) AS c USING (item) |> SELECT item, sales |> ORDER BY item`,
    rows: [
      ['carrots', '8'],
      ['figs', null],
    ],
  },
  {
    name: 'a group has an alias, an order and a limit',
    sql: 'FROM produce |> AGGREGATE COUNT(*) AS n, MAX(sales) DESC GROUP AND ORDER BY category AS kind |> LIMIT 1 OFFSET 1',
    columns: ['kind', 'n', 'f0_'],
    rows: [['vegetable', '1', '8']],
  },
  {
    name: 'a name of EXTEND is seen by the next operators, with the name of the table',
    sql: 'FROM produce AS p |> EXTEND sales * 2 AS twice |> WHERE p.sales > 2 AND twice < 16 |> AGGREGATE SUM(twice)',
    rows: [['24']],
  },
  {
    name: 'SELECT DISTINCT after ORDER BY, and a later order',
    sql: 'FROM produce |> ORDER BY sales |> SELECT DISTINCT category |> ORDER BY category DESC',
    rows: [['vegetable'], ['fruit']],
  },
  {
    name: 'SELECT of another column under the name by which ORDER BY ordered',
    sql: 'FROM produce |> ORDER BY sales |> SELECT 100 - sales AS sales, item |> LIMIT 2',
    rows: [
      ['98', 'apples'],
      ['95', 'bananas'],
    ],
  },
  {
    name: 'WHERE takes window functions, after the filter before it',
    sql: 'FROM produce |> WHERE sales > 2 |> WHERE ROW_NUMBER() OVER (PARTITION BY category ORDER BY sales) = 1 |> ORDER BY item',
    rows: [
      ['bananas', '5', 'fruit'],
      ['carrots', '8', 'vegetable'],
    ],
  },
  {
    name: 'RENAME of all columns keeps their order',
    sql: 'FROM produce |> RENAME sales AS n, item AS name, category AS kind |> ORDER BY n |> LIMIT 1',
    columns: ['name', 'n', 'kind'],
    rows: [['apples', '2', 'fruit']],
  },
  {
    name: 'a value of UNNEST keeps its name behind EXTEND',
    sql: 'FROM UNNEST([1, 2]) AS x |> EXTEND x * 2 AS y |> WHERE x > 1',
    rows: [['2', '4']],
  },
];
