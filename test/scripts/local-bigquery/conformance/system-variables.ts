// System variables: the project is test-project, the default dataset logs.
import type { RowsCase } from './case.ts';

export const systemVariables: RowsCase[] = [
  {
    name: '@@project_id is the project of the job',
    sql: 'SELECT @@project_id',
    rows: [['test-project']],
  },
  {
    name: 'a system variable is an expression',
    sql: "SELECT CONCAT(@@project_id, '.logs'), LENGTH(@@project_id), UPPER(@@project_id)",
    rows: [['test-project.logs', '12', 'TEST-PROJECT']],
  },
  {
    name: 'a system variable decides in WHERE and CASE',
    sql: "SELECT CASE @@project_id WHEN 'test-project' THEN 'here' ELSE 'elsewhere' END FROM UNNEST([1]) WHERE @@project_id LIKE 'test-%'",
    rows: [['here']],
  },
  {
    name: 'a system variable has any letter case',
    sql: 'SELECT @@PROJECT_ID, @@Project_Id',
    rows: [['test-project', 'test-project']],
  },
  {
    name: 'a system variable is an argument of a function',
    sql: "CREATE TEMP FUNCTION greet(name STRING) AS (CONCAT('hello ', name)); SELECT greet(@@project_id)",
    rows: [['hello test-project']],
  },
  {
    name: '@@time_zone begins as UTC',
    sql: 'SELECT @@time_zone',
    rows: [['UTC']],
  },
  {
    name: '@@project_id in text and comments is left alone',
    sql: 'SELECT \'@@project_id\', /* @@project_id */ "@@nothing"',
    rows: [['@@project_id', '@@nothing']],
  },
];
