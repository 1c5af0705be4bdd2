// The query itself: ORDER BY, LIMIT, DISTINCT, aliases, names, comments, values in place of tables.
import type { RowsCase } from './case.ts';

export const queries: RowsCase[] = [
  {
    name: 'LIMIT and OFFSET count after ORDER BY',
    sql: 'SELECT x FROM UNNEST([5, 3, 1, 4, 2]) AS x ORDER BY x DESC LIMIT 2 OFFSET 1',
    rows: [['4'], ['3']],
  },
  {
    name: 'ORDER BY sees columns that are not selected, aliases and numbers',
    sql: 'SELECT item, sales * -1 AS minus FROM produce ORDER BY category DESC, minus, 1 LIMIT 2',
    rows: [
      ['carrots', '-8'],
      ['apples', '-7'],
    ],
  },
  {
    name: 'SELECT DISTINCT leaves equal rows out',
    sql: 'SELECT DISTINCT item, category FROM produce ORDER BY item',
    rows: [
      ['apples', 'fruit'],
      ['bananas', 'fruit'],
      ['carrots', 'vegetable'],
    ],
  },
  {
    name: 'columns without a name are f0_, f1_',
    sql: 'SELECT 1, 2 AS two, MAX(x) FROM UNNEST([3]) AS x',
    columns: ['f0_', 'two', 'f1_'],
    rows: [['1', '2', '3']],
  },
  {
    name: 'names of columns have any letter case; the result has that of the query',
    sql: 'SELECT ITEM, Sales AS `Sales of it` FROM produce AS P WHERE p.SALES = 8',
    columns: ['ITEM', 'Sales of it'],
    rows: [['carrots', '8']],
  },
  {
    name: 'comments have three forms; a trailing comma and semicolon are fine',
    sql: 'SELECT 1 AS a, -- one\n 2 AS b, # two\n /* three\n */ 3 AS c, ; -- end',
    columns: ['a', 'b', 'c'],
    rows: [['1', '2', '3']],
  },
  {
    name: 'WHERE, GROUP BY, HAVING, QUALIFY and ORDER BY follow in this order',
    sql: `SELECT category, COUNT(*) AS n FROM produce WHERE sales > 2 GROUP BY category HAVING n > 0
      QUALIFY ROW_NUMBER() OVER (ORDER BY n DESC) = 1 ORDER BY n LIMIT 1`,
    rows: [['fruit', '2']],
  },
  {
    name: 'an alias of a column is not seen in WHERE, but its column is',
    sql: 'SELECT -x AS x FROM UNNEST([1, 2]) AS x WHERE x > 1 ORDER BY x',
    rows: [['-2']],
  },
  {
    name: 'text orders by code points',
    sql: "SELECT x FROM UNNEST(['b', 'a', 'B', 'é', 'Z', '']) AS x ORDER BY x",
    rows: [[''], ['B'], ['Z'], ['a'], ['b'], ['é']],
  },
  {
    name: 'COLLATE compares without letter case',
    sql: "SELECT COLLATE('Orange', 'und:ci') = 'orange', 'a' < 'B', COLLATE('a', 'und:ci') < 'B'",
    rows: [['true', 'false', 'true']],
  },
  {
    name: 'SELECT * of two tables gives the columns of both',
    sql: 'SELECT * FROM (SELECT 1 AS a) CROSS JOIN (SELECT 2 AS b)',
    columns: ['a', 'b'],
    rows: [['1', '2']],
  },
  {
    name: 'WITH OFFSET without a name is offset',
    sql: "SELECT x, offset FROM UNNEST(['a', 'b']) AS x WITH OFFSET ORDER BY offset",
    columns: ['x', 'offset'],
    rows: [
      ['a', '0'],
      ['b', '1'],
    ],
  },
  {
    name: 'FOR SYSTEM_TIME AS OF the present reads the table as it is',
    sql: 'SELECT COUNT(*) FROM logs.produce FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()',
    rows: [['4']],
  },
  {
    name: 'a table in full, in backquotes, with a dash in the project',
    sql: 'SELECT (SELECT COUNT(*) FROM `test-project.logs.produce`), (SELECT COUNT(*) FROM test-project.logs.produce), (SELECT MAX(p.sales) FROM `test-project`.logs.produce AS p)',
    rows: [['4', '4', '8']],
  },
  {
    name: 'chained functions take the value before the dot',
    sql: "SELECT ('Two birds').UPPER().REPLACE('BIRDS', 'frogs'), (item).LENGTH() FROM produce WHERE sales = 8",
    rows: [['TWO frogs', '7']],
  },
  {
    name: 'a quoted identifier may be a keyword',
    sql: 'SELECT `select`.`from` FROM (SELECT 1 AS `from`) AS `select`',
    columns: ['from'],
    rows: [['1']],
  },
  {
    name: 'GROUP BY ALL of a constant alone makes one group of all rows',
    sql: "SELECT 'all' AS name FROM UNNEST([1, 2]) GROUP BY ALL",
    rows: [['all']],
  },
  {
    name: 'a table beside a query of WITH RECURSIVE that has its name',
    sql: `WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 2),
      produce AS (SELECT 'none' AS item)
      SELECT COUNT(*), COUNTIF(item = 'none') FROM logs.produce, r`,
    rows: [['8', '0']],
  },
];
