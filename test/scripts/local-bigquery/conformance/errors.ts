// Errors: the message, and the line and column of the author's text.
import type { ErrorCase } from './case.ts';

export const errors: ErrorCase[] = [
  {
    name: 'an unknown column',
    sql: 'SELECT nope FROM logs.produce',
    error: 'Unrecognized name: nope at [1:8]',
  },
  {
    name: 'a misspelt column, with a proposal',
    sql: 'SELECT item,\n  sale\nFROM logs.produce',
    error: 'Unrecognized name: sale; Did you mean sales? at [2:3]',
  },
  {
    name: 'columns count characters, not bytes',
    sql: "SELECT 'é→😀', nope",
    error: 'Unrecognized name: nope at [1:15]',
  },
  {
    name: 'an unknown field of a struct',
    sql: 'SELECT s.b FROM (SELECT STRUCT(1 AS a) AS s)',
    error: 'Field name b does not exist in STRUCT<a INT64> at [1:10]',
  },
  {
    name: 'an unknown function',
    sql: 'SELECT 1 +\n\n  frobnicate(2)',
    error: 'Function not found: frobnicate at [3:3]',
  },
  {
    name: 'an unknown table',
    sql: 'SELECT 1 FROM logs.nothing',
    error: 'Not found: Table test-project:logs.nothing was not found in location US at [1:15]',
  },
  {
    name: 'operands of types that do not fit',
    sql: "SELECT TRUE AND 'a'",
    error:
      'No matching signature for operator AND for argument types: BOOL, STRING. Supported signature: BOOL AND ([BOOL, ...]) at [1:8]',
  },
  {
    name: 'a comparison of types that do not fit',
    sql: "SELECT DATE '2026-01-01' = 1",
    error:
      'No matching signature for operator = for argument types: DATE, INT64. Supported signature: ANY = ANY at [1:8]',
  },
  {
    name: 'WHERE of a number',
    sql: 'SELECT 1 FROM logs.produce\nWHERE sales',
    error: 'WHERE clause should return type BOOL, but returns INT64 at [2:7]',
  },
  {
    name: 'a literal that cannot be cast',
    sql: "SELECT DATE '2026-01-01' = 'apple'",
    error: 'Could not cast literal "apple" to type DATE at [1:28]',
  },
  {
    name: 'a type that cannot be cast',
    sql: "SELECT CAST(DATE '2026-01-01' AS INT64)",
    error: 'Invalid cast from DATE to INT64 at [1:13]',
  },
  {
    name: 'a column that is neither grouped nor aggregated',
    sql: 'SELECT category, item, SUM(sales) FROM logs.produce GROUP BY category',
    error:
      'SELECT list expression references column item which is neither grouped nor aggregated at [1:18]',
  },
  {
    name: 'an aggregate in WHERE',
    sql: 'SELECT 1 FROM logs.produce WHERE SUM(sales) > 1',
    error: 'Aggregate function SUM not allowed in WHERE clause at [1:34]',
  },
  {
    name: 'WHERE without FROM',
    sql: 'SELECT 1 WHERE TRUE',
    error: 'Query without FROM clause cannot have a WHERE clause at [1:10]',
  },
  {
    name: 'an ambiguous column',
    sql: 'SELECT x FROM (SELECT 1 AS x) AS a, (SELECT 2 AS x) AS b',
    error: 'Column name x is ambiguous at [1:8]',
  },
  {
    name: 'an unexpected word',
    sql: 'SELECT 1 FORM t',
    error: 'Syntax error: Expected end of input but got identifier "t" at [1:15]',
  },
  {
    name: 'an empty SELECT list',
    sql: 'SELECT FROM logs.produce',
    error: 'Syntax error: SELECT list must not be empty at [1:8]',
  },
  {
    name: 'a string without an end',
    sql: "SELECT 'abc",
    error: 'Syntax error: Unclosed string literal at [1:8]',
  },
  {
    name: 'set operations of different width',
    sql: 'SELECT 1\nUNION ALL\nSELECT 2, 3',
    error:
      'Queries in UNION ALL have mismatched column count; query 1 has 1 column, query 2 has 2 columns at [3:1]',
  },
  {
    name: 'two columns of one name in the result',
    sql: 'SELECT 1 AS a, 2 AS A',
    error: 'Duplicate column names in the result are not supported. Found duplicate(s): A',
  },
  {
    name: 'division by zero',
    sql: 'SELECT 1 / x FROM UNNEST([0]) AS x',
    error: 'division by zero: 1 / 0',
  },
  {
    name: 'a sum beyond INT64',
    sql: 'SELECT x + 1 FROM UNNEST([9223372036854775807]) AS x',
    error: 'int64 overflow: 9223372036854775807 + 1',
  },
  {
    name: 'a cast out of range',
    sql: 'SELECT CAST(x AS INT64) FROM UNNEST([1e20]) AS x',
    error: 'int64 out of range: 1e+20',
  },
  {
    name: 'a cast of text that is no number',
    sql: "SELECT CAST(x AS INT64) FROM UNNEST(['apple']) AS x",
    error: 'Bad int64 value: apple',
  },
  {
    name: 'an array index out of bounds',
    sql: 'SELECT list[OFFSET(2)] FROM (SELECT [1, 2] AS list)',
    error: 'Array index 2 is out of bounds',
  },
  {
    name: 'an ordinal out of bounds',
    sql: 'SELECT list[ORDINAL(0)] FROM (SELECT [1, 2] AS list)',
    error: 'Array index 0 is out of bounds',
  },
  {
    name: 'a scalar subquery of two rows',
    sql: 'SELECT (SELECT x FROM UNNEST([1, 2]) AS x)',
    error: 'Scalar subquery produced more than one element',
  },
  {
    name: 'ERROR gives its own message',
    sql: "SELECT IF(x > 1, ERROR(CONCAT('too large: ', x)), x) FROM UNNEST([2]) AS x",
    error: 'too large: 2',
  },
  {
    name: 'an error in the body of a function is at its place in the text',
    sql: 'CREATE TEMP FUNCTION f(x INT64) AS (x + nope);\nSELECT f(1)',
    error: 'Unrecognized name: nope at [1:41]',
  },
  {
    name: 'an error after a function is at its place in the text',
    sql: 'CREATE TEMP FUNCTION f(x INT64) AS (x);\nSELECT f(1),\n  f(nope)',
    error: 'Unrecognized name: nope at [3:5]',
  },
  {
    name: 'a NULL in an array of the result',
    sql: 'SELECT [1, NULL] AS list',
    error: 'Array cannot have a null element; error in writing field list',
  },
  {
    name: 'a window function without OVER',
    sql: 'SELECT PERCENTILE_CONT(x, 0.5) FROM UNNEST([1, 2]) AS x',
    error: 'Analytic function PERCENTILE_CONT cannot be called without an OVER clause at [1:8]',
  },
  {
    name: 'a rank without OVER',
    sql: 'SELECT x,\n  RANK()\nFROM UNNEST([1, 2]) AS x',
    error: 'Analytic function RANK cannot be called without an OVER clause at [2:3]',
  },
  {
    name: 'an unknown column in pipe syntax, behind what moves to the front',
    sql: 'FROM logs.produce\n|> WHERE sales > 1\n|> AGGREGATE SUM(nope) AS n GROUP BY item',
    error: 'Unrecognized name: nope at [3:18]',
  },
  {
    name: 'an unknown column before and behind GROUP BY ALL',
    sql: 'SELECT item, COUNT(*) FROM logs.produce GROUP BY ALL HAVING nope > 1',
    error: 'Unrecognized name: nope at [1:61]',
  },
  {
    name: 'an unknown column behind BY NAME, on a line with a tab',
    sql: 'SELECT 1 AS a UNION ALL BY NAME\tSELECT nope AS a',
    error: 'Unrecognized name: nope at [1:40]',
  },
  {
    name: 'an unknown column in a chain of functions',
    sql: "SELECT ('a').UPPER().REPLACE('A', nope)",
    error: 'Unrecognized name: nope at [1:35]',
  },
  {
    name: 'a wrong type and a wrong name of an argument of a routine',
    sql: "CREATE TEMP FUNCTION f(x INT64, y STRING) AS (x);\nSELECT f('a', 'b')",
    error:
      'No matching signature for function f for argument types: STRING, STRING. Supported signature: F(INT64, STRING) at [2:8]',
  },
  {
    name: 'a call of MAX_BY with one argument',
    sql: 'SELECT MAX_BY(x) FROM UNNEST([1]) AS x',
    error:
      'Number of arguments does not match for aggregate function max_by. Supported signature: MAX_BY(ANY, ANY) at [1:8]',
  },
  {
    name: 'an unknown column behind the second BY NAME of a text',
    sql: 'SELECT 1 AS a UNION ALL BY NAME SELECT 2 AS a UNION ALL BY NAME SELECT nope AS a',
    error: 'Unrecognized name: nope at [1:72]',
  },
  {
    name: 'ORDER BY of a column that the pipe has left out',
    sql: 'FROM produce\n|> SELECT item\n|> ORDER BY sales',
    error: 'Unrecognized name: sales at [3:13]',
  },
  {
    name: 'ORDER BY of a column that the pipe has dropped',
    sql: 'FROM produce |> DROP sales |> ORDER BY sales',
    error: 'Unrecognized name: sales at [1:40]',
  },
  {
    name: 'an aggregate in ORDER BY of a pipe',
    sql: 'FROM produce |> ORDER BY COUNT(*)',
    error: 'Aggregate function COUNT not allowed in ORDER BY clause at [1:26]',
  },
  {
    name: 'the name of a table that is in brackets here',
    sql: "FROM produce AS p |> JOIN (SELECT 'figs' AS name) AS c ON c.name = p.item |> EXTEND 1 AS x |> WHERE p.sales > 1",
    error:
      'Not run locally: the name p of a table, behind an operator that the local engine knows as a subquery, is not in it (name the column alone, or SELECT it before) at [1:101]; run the query on BigQuery, or write it without',
  },
  {
    name: 'arrays that are compared',
    sql: 'SELECT [1] = [1]',
    error: 'Equality is not defined for arguments of type ARRAY<INT64> at [1:8]',
  },
  {
    name: 'EXCEPT ALL',
    sql: 'SELECT 1 EXCEPT ALL SELECT 2',
    error: 'EXCEPT ALL is not supported: use EXCEPT DISTINCT at [1:10]',
  },
  {
    name: 'a place in an expression of ROLLUP is that of the author',
    sql: 'SELECT COUNT(*)\nFROM produce\nGROUP BY ROLLUP (UPPER(nope))',
    error: 'Unrecognized name: nope at [3:24]',
  },
  {
    name: 'an expression of GROUP BY that is a part of no other',
    sql: 'SELECT 3 * sales * 2 FROM produce GROUP BY sales * 2',
    error:
      'SELECT list expression references column sales which is neither grouped nor aggregated at [1:12]',
  },
  {
    name: 'PARTITION BY of an array',
    sql: 'SELECT COUNT(*) OVER (PARTITION BY tags) FROM orders',
    error: 'Partitioning by expressions of type ARRAY<STRING> is not allowed',
  },
  {
    name: 'IS DISTINCT FROM of arrays',
    sql: 'SELECT [1] IS DISTINCT FROM [2]',
    error: 'IS DISTINCT FROM is not defined for arguments of type ARRAY<INT64> at [1:8]',
  },
];
