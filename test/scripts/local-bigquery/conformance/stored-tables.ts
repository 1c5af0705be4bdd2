// Stored tables: whole rows, nested and repeated fields, names, columns that only some parts need.
import type { RowsCase } from './case.ts';

export const storedTables: RowsCase[] = [
  {
    name: 'SELECT * gives every column, with records and lists',
    sql: 'SELECT * FROM logs.orders WHERE id = 1',
    columns: ['id', 'at', 'price', 'tags', 'buyer', 'lines'],
    rows: [
      [
        '1',
        '2026-01-01T10:00:00Z',
        '1.5',
        ['new', 'gift'],
        { name: 'Ada', age: '36' },
        [
          { item: 'apples', count: '2' },
          { item: 'bananas', count: '1' },
        ],
      ],
    ],
  },
  {
    name: 'a record that is missing is NULL, and so are its fields; a list is empty',
    sql: 'SELECT id, buyer IS NULL, buyer.name, ARRAY_LENGTH(lines), price FROM orders ORDER BY id',
    rows: [
      ['1', 'false', 'Ada', '2', '1.5'],
      ['2', 'false', 'Bob', '0', '20'],
      ['3', 'true', null, '1', null],
    ],
  },
  {
    name: 'the alias of a table is its whole row',
    sql: 'SELECT p, TO_JSON_STRING(p) FROM produce AS p WHERE sales = 8',
    rows: [
      [
        { item: 'carrots', sales: '8', category: 'vegetable' },
        '{"item":"carrots","sales":8,"category":"vegetable"}',
      ],
    ],
  },
  {
    name: 'a whole row in an aggregate and in ARRAY',
    sql: 'SELECT ARRAY_AGG(p ORDER BY sales DESC LIMIT 1), (SELECT COUNT(q) FROM orders AS q) FROM produce AS p',
    rows: [[[{ item: 'carrots', sales: '8', category: 'vegetable' }], '3']],
  },
  {
    name: 'the fields of a list of records',
    sql: `SELECT o.id, l.item, l.count, n FROM orders AS o, o.lines AS l WITH OFFSET AS n ORDER BY id, n`,
    rows: [
      ['1', 'apples', '2', '0'],
      ['1', 'bananas', '1', '1'],
      ['3', 'apples', '5', '0'],
    ],
  },
  {
    name: 'LEFT JOIN of a list keeps rows without elements',
    sql: 'SELECT id, tag FROM orders LEFT JOIN UNNEST(tags) AS tag ORDER BY id, tag',
    rows: [
      ['1', 'gift'],
      ['1', 'new'],
      ['2', null],
      ['3', 'new'],
    ],
  },
  {
    name: 'subqueries over lists of the row',
    sql: `SELECT id, (SELECT SUM(count) FROM UNNEST(lines)), EXISTS (SELECT 1 FROM UNNEST(lines) WHERE item = 'bananas'), 'new' IN UNNEST(tags), lines[SAFE_OFFSET(1)].item
      FROM orders ORDER BY id`,
    rows: [
      ['1', '3', 'true', 'true', 'bananas'],
      ['2', null, 'false', 'false', null],
      ['3', '5', 'false', 'true', null],
    ],
  },
  {
    name: 'stored tables join by USING and by ON',
    sql: `SELECT item, SUM(count), SUM(sales) FROM orders, UNNEST(lines) JOIN (SELECT item, SUM(sales) AS sales FROM produce GROUP BY item) USING (item)
      GROUP BY item ORDER BY item`,
    rows: [
      ['apples', '7', '18'],
      ['bananas', '1', '5'],
    ],
  },
  {
    name: 'PIVOT of a stored table groups by every other column',
    sql: "SELECT * FROM produce PIVOT (SUM(sales) FOR category IN ('fruit', 'vegetable')) ORDER BY item",
    columns: ['item', 'fruit', 'vegetable'],
    rows: [
      ['apples', '9', null],
      ['bananas', '5', null],
      ['carrots', null, '8'],
    ],
  },
  {
    name: 'SELECT * EXCEPT, of a WITH query too',
    sql: 'WITH p AS (SELECT * FROM logs.produce) SELECT * EXCEPT (item), p.item AS last FROM p WHERE sales > 7',
    columns: ['sales', 'category', 'last'],
    rows: [['8', 'vegetable', 'carrots']],
  },
  {
    name: 'a query of WITH hides the table of its name, but not its qualified name',
    sql: 'WITH produce AS (SELECT 100 AS sales) SELECT (SELECT SUM(sales) FROM produce), (SELECT SUM(sales) FROM logs.produce)',
    rows: [['100', '22']],
  },
  {
    name: 'a query of WITH has the name of the table it reads',
    sql: 'WITH produce AS (SELECT sales FROM logs.produce WHERE sales > 5) SELECT COUNT(*) FROM produce',
    rows: [['2']],
  },
  {
    name: 'the last part of the name of a table is its alias',
    sql: 'SELECT produce.item FROM logs.produce WHERE produce.sales = 8',
    rows: [['carrots']],
  },
  {
    name: 'an alias hides the name of the table',
    sql: 'SELECT orders.item, produce.id FROM produce AS orders, logs.orders AS produce WHERE orders.sales = 8 AND produce.id = 1',
    rows: [['carrots', '1']],
  },
  {
    name: 'a table read twice',
    sql: 'SELECT a.item, b.sales FROM produce AS a JOIN produce AS b ON a.item = b.item AND a.sales < b.sales',
    rows: [['apples', '7']],
  },
  {
    name: 'COUNT(*) and a constant need no column',
    sql: 'SELECT COUNT(*), (SELECT COUNT(*) FROM orders), EXISTS (SELECT * FROM orders WHERE FALSE) FROM produce',
    rows: [['4', '3', 'false']],
  },
  {
    name: 'UNNEST of a path without UNNEST',
    sql: 'SELECT COUNT(*), COUNT(DISTINCT tag) FROM logs.orders AS o CROSS JOIN o.tags AS tag',
    rows: [['3', '2']],
  },
  {
    name: 'ORDER BY and WHERE on fields of records',
    sql: 'SELECT id, buyer.* FROM orders WHERE buyer.name IS NOT NULL ORDER BY buyer.name DESC',
    columns: ['id', 'name', 'age'],
    rows: [
      ['2', 'Bob', null],
      ['1', 'Ada', '36'],
    ],
  },
  {
    name: 'a table in text, in a comment and in a quoted alias is left alone',
    sql: "SELECT 'logs.produce' AS `logs_produce`, /* logs.produce */ COUNT(*) FROM logs.produce -- logs.produce",
    columns: ['logs_produce', 'f0_'],
    rows: [['logs.produce', '4']],
  },
  {
    name: 'WITH has the name of the table that it reads',
    sql: 'WITH produce AS (SELECT * FROM logs.produce WHERE sales > 6), again AS (SELECT sales FROM produce) SELECT COUNT(*), SUM(sales) FROM again',
    rows: [['2', '15']],
  },
  {
    name: 'FOR SYSTEM_TIME AS OF stands after the alias, in joins and before WHERE',
    sql: `SELECT COUNT(*) FROM produce AS a FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
      JOIN logs.produce FOR SYSTEM_TIME AS OF (TIMESTAMP '2026-01-01') ON a.item = produce.item WHERE a.sales > 5`,
    rows: [['3']],
  },
];
