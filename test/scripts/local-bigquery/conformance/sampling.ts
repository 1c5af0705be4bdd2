// TABLESAMPLE: which rows it takes is open, so these cases ask for what holds of any sample.
import type { RowsCase } from './case.ts';

export const sampling: RowsCase[] = [
  {
    name: 'a sample has no more rows than its table',
    sql: 'SELECT COUNT(*) BETWEEN 0 AND 4 FROM logs.produce TABLESAMPLE SYSTEM (50 PERCENT)',
    rows: [['true']],
  },
  {
    name: 'a sample holds rows of its table only',
    sql: 'SELECT COUNT(*) FROM logs.produce TABLESAMPLE SYSTEM (50 PERCENT) WHERE sales NOT IN (2, 5, 7, 8)',
    rows: [['0']],
  },
  {
    name: 'a sample of 100 percent is the table',
    sql: 'SELECT COUNT(*), SUM(sales) FROM logs.produce TABLESAMPLE SYSTEM (100 PERCENT)',
    rows: [['4', '22']],
  },
  {
    name: 'no row comes twice',
    sql: 'SELECT COUNT(*) = COUNT(DISTINCT sales) FROM logs.produce TABLESAMPLE SYSTEM (75 PERCENT)',
    rows: [['true']],
  },
  {
    name: 'a sample of a table with an alias joins other tables',
    sql: 'SELECT COUNT(*) <= 4 FROM logs.produce AS p TABLESAMPLE SYSTEM (50 PERCENT) JOIN logs.produce AS q ON p.sales = q.sales',
    rows: [['true']],
  },
  {
    name: 'a sample of no percent is empty',
    sql: 'SELECT COUNT(*) FROM logs.produce TABLESAMPLE SYSTEM (0 PERCENT)',
    rows: [['0']],
  },
];
