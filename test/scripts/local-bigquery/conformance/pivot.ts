// PIVOT and UNPIVOT.
import type { RowsCase } from './case.ts';

const sold = `WITH sold AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS sales, 'Q1' AS quarter, 2020 AS year),
  ('Kale', 23, 'Q2', 2020), ('Kale', 2, 'Q1', 2021), ('Apple', 77, 'Q1', 2020), ('Apple', 1, 'Q1', 2021)]))`;
const wide = `WITH wide AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS q1, 23 AS q2, 45 AS q3, 3 AS q4), ('Apple', 77, 0, NULL, 2)]))`;

export const pivot: RowsCase[] = [
  {
    name: 'PIVOT turns values into columns, grouped by all other columns',
    sql: `${sold} SELECT * FROM sold PIVOT (SUM(sales) FOR quarter IN ('Q1', 'Q2')) ORDER BY product, year`,
    columns: ['product', 'year', 'Q1', 'Q2'],
    rows: [
      ['Apple', '2020', '77', null],
      ['Apple', '2021', '1', null],
      ['Kale', '2020', '51', '23'],
      ['Kale', '2021', '2', null],
    ],
  },
  {
    name: 'PIVOT of a subquery groups by its columns only',
    sql: `${sold} SELECT * FROM (SELECT product, sales, quarter FROM sold) PIVOT (SUM(sales) FOR quarter IN ('Q1', 'Q2', 'Q3')) ORDER BY product`,
    columns: ['product', 'Q1', 'Q2', 'Q3'],
    rows: [
      ['Apple', '78', null, null],
      ['Kale', '53', '23', null],
    ],
  },
  {
    name: 'PIVOT with two aggregates names columns by their aliases',
    sql: `${sold} SELECT * FROM (SELECT product, sales, quarter FROM sold) PIVOT (SUM(sales) AS total, COUNT(*) AS n FOR quarter IN ('Q1', 'Q2' AS second)) ORDER BY product`,
    columns: ['product', 'total_Q1', 'n_Q1', 'total_second', 'n_second'],
    rows: [
      ['Apple', '78', '2', null, '0'],
      ['Kale', '53', '2', '23', '1'],
    ],
  },
  {
    name: 'PIVOT over integers names columns with an underscore',
    sql: `${sold} SELECT * FROM (SELECT sales, year FROM sold) PIVOT (SUM(sales) FOR year IN (2020, 2021))`,
    columns: ['_2020', '_2021'],
    rows: [['151', '3']],
  },
  {
    name: 'a pivot may have an alias',
    sql: `${sold} SELECT p.Q1 FROM (SELECT sales, quarter FROM sold) PIVOT (MAX(sales) FOR quarter IN ('Q1')) AS p`,
    columns: ['Q1'],
    rows: [['77']],
  },
  {
    name: 'UNPIVOT turns columns into rows, without those of NULL',
    sql: `${wide} SELECT * FROM wide UNPIVOT (sales FOR quarter IN (q1, q2, q3, q4)) ORDER BY product, quarter`,
    columns: ['product', 'sales', 'quarter'],
    rows: [
      ['Apple', '77', 'q1'],
      ['Apple', '0', 'q2'],
      ['Apple', '2', 'q4'],
      ['Kale', '51', 'q1'],
      ['Kale', '23', 'q2'],
      ['Kale', '45', 'q3'],
      ['Kale', '3', 'q4'],
    ],
  },
  {
    name: 'UNPIVOT INCLUDE NULLS keeps them, and AS labels a column',
    sql: `${wide} SELECT product, quarter, sales FROM wide UNPIVOT INCLUDE NULLS (sales FOR quarter IN (q3 AS 'third', q4 AS 'fourth')) WHERE product = 'Apple' ORDER BY quarter`,
    rows: [
      ['Apple', 'fourth', '2'],
      ['Apple', 'third', null],
    ],
  },
  {
    name: 'UNPIVOT takes several columns at once',
    sql: `${wide} SELECT product, half, a, b FROM wide UNPIVOT ((a, b) FOR half IN ((q1, q2) AS 1, (q3, q4) AS 2)) ORDER BY product, half`,
    rows: [
      ['Apple', '1', '77', '0'],
      ['Apple', '2', null, '2'],
      ['Kale', '1', '51', '23'],
      ['Kale', '2', '45', '3'],
    ],
  },
];
