-- Queries that fail, each with its message after "--! ": a line and a column are those of the author's text, from one.

-- # errors

SELECT nope FROM logs.produce
--! Unrecognized name: nope at [1:8]

SELECT item,
  sale
FROM logs.produce
--! Unrecognized name: sale; Did you mean sales? at [2:3]

SELECT 'é→😀', nope
--! Unrecognized name: nope at [1:15]

SELECT s.b FROM (SELECT STRUCT(1 AS a) AS s)
--! Field name b does not exist in STRUCT<a INT64> at [1:10]

SELECT 1 +

  frobnicate(2)
--! Function not found: frobnicate at [3:3]

SELECT 1 FROM logs.nothing
--! Not found: Table test-project:logs.nothing was not found in location US at [1:15]

SELECT DATE '2026-01-01' = 1
--! No matching signature for operator = for argument types: DATE, INT64. Supported signature: ANY = ANY at [1:8]

SELECT 1 WHERE TRUE
--! Query without FROM clause cannot have a WHERE clause at [1:10]

SELECT 1 FORM t
--! Syntax error: Expected end of input but got identifier "t" at [1:15]

SELECT 1 AS a, 2 AS A
--! Duplicate column names in the result are not supported. Found duplicate(s): A

SELECT 1 / x FROM UNNEST([0]) AS x
--! division by zero: 1 / 0

SELECT CAST(x AS INT64) FROM UNNEST([1e20]) AS x
--! int64 out of range: 1e+20

SELECT list[OFFSET(2)] FROM (SELECT [1, 2] AS list)
--! Array index 2 is out of bounds

SELECT list[ORDINAL(0)] FROM (SELECT [1, 2] AS list)
--! Array index 0 is out of bounds

SELECT (SELECT x FROM UNNEST([1, 2]) AS x)
--! Scalar subquery produced more than one element

SELECT IF(x > 1, ERROR(CONCAT('too large: ', x)), x) FROM UNNEST([2]) AS x
--! too large: 2

SELECT 1 || 2 FROM logs.produce
--! No matching signature for operator || for argument types: INT64, INT64. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY at [1:8]

SELECT sales || item FROM logs.produce
--! No matching signature for operator || for argument types: INT64, STRING. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY at [1:8]

SELECT item || DATE '2026-01-01' FROM logs.produce
--! No matching signature for operator || for argument types: STRING, DATE. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY at [1:8]

SELECT item || 1.5 FROM logs.produce
--! No matching signature for operator || for argument types: STRING, FLOAT64. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY at [1:8]

SELECT item || (sales > 1) FROM logs.produce
--! No matching signature for operator || for argument types: STRING, BOOL. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY at [1:8]

SELECT CAST(sales AS STRING) || CURRENT_DATE() || 'a' FROM logs.produce
--! No matching signature for operator || for argument types: STRING, DATE. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY at [1:8]

SELECT 1, ARRAY_AGG(sales IGNORE NULLS) OVER (ORDER BY sales ROWS 1 PRECEDING) FROM produce
--! IGNORE NULLS and RESPECT NULLS are not allowed for analytic function ARRAY_AGG at [1:21]

SELECT ARRAY_AGG(item RESPECT NULLS) OVER () FROM produce
--! IGNORE NULLS and RESPECT NULLS are not allowed for analytic function ARRAY_AGG at [1:18]

SELECT STRING_AGG(item IGNORE NULLS) OVER () FROM produce
--! IGNORE NULLS and RESPECT NULLS are not allowed for analytic function STRING_AGG at [1:8]

SELECT ANY_VALUE(item RESPECT NULLS) OVER () FROM produce
--! IGNORE NULLS and RESPECT NULLS are not allowed for analytic function ANY_VALUE at [1:8]

SELECT COUNT(DISTINCT tags) FROM logs.orders
--! Aggregate functions with DISTINCT cannot be used with arguments of type ARRAY<STRING> at [1:8]

SELECT id, COUNT(DISTINCT [id]) FROM logs.orders GROUP BY id
--! Aggregate functions with DISTINCT cannot be used with arguments of type ARRAY<INT64> at [1:12]

CREATE TEMP FUNCTION f(x INT64) AS (x + nope);
SELECT f(1)
--! Unrecognized name: nope at [1:41]

CREATE TEMP FUNCTION f(x INT64) AS (x);
SELECT f(1),
  f(nope)
--! Unrecognized name: nope at [3:5]

SELECT x,
  RANK()
FROM UNNEST([1, 2]) AS x
--! Analytic function RANK cannot be called without an OVER clause at [2:3]

FROM logs.produce
|> WHERE sales > 1
|> AGGREGATE SUM(nope) AS n GROUP BY item
--! Unrecognized name: nope at [3:18]

SELECT item, COUNT(*) FROM logs.produce GROUP BY ALL HAVING nope > 1
--! Unrecognized name: nope at [1:61]

CREATE TEMP FUNCTION f(x INT64, y STRING) AS (x);
SELECT f('a', 'b')
--! No matching signature for function f for argument types: STRING, STRING. Supported signature: F(INT64, STRING) at [2:8]

SELECT MAX_BY(x) FROM UNNEST([1]) AS x
--! Number of arguments does not match for aggregate function max_by. Supported signature: MAX_BY(ANY, ANY) at [1:8]

FROM produce
|> SELECT item
|> ORDER BY sales
--! Unrecognized name: sales at [3:13]

SELECT [1] = [1]
--! Equality is not defined for arguments of type ARRAY<INT64> at [1:8]

SELECT 1 EXCEPT ALL SELECT 2
--! EXCEPT ALL is not supported: use EXCEPT DISTINCT at [1:10]

SELECT COUNT(*)
FROM produce
GROUP BY ROLLUP (UPPER(nope))
--! Unrecognized name: nope at [3:24]

-- ROLLUP (UPPER(item)) is no reason here.
SELECT category, item FROM produce GROUP BY category
--! SELECT list expression references column item which is neither grouped nor aggregated at [2:18]

SELECT 'CUBE (UPPER(x))' AS e, category, item FROM produce GROUP BY category
--! SELECT list expression references column item which is neither grouped nor aggregated at [1:42]

SELECT category, item FROM produce GROUP BY ROLLUP (category)
--! SELECT list expression references column item which is neither grouped nor aggregated at [1:18]

SELECT 3 * sales * 2 FROM produce GROUP BY sales * 2
--! SELECT list expression references column sales which is neither grouped nor aggregated at [1:12]

SELECT STRUCT([1] AS a) IS NOT DISTINCT FROM STRUCT([1] AS a)
--! IS DISTINCT FROM is not defined for arguments of type STRUCT<a ARRAY<INT64>> at [1:8]

SET x = 1; SELECT x
--! Syntax error (only a single SELECT runs locally, not a script): Unexpected keyword SET at [1:1]

SELECT COUNT(*) OVER (PARTITION BY tags) FROM orders
--! Partitioning by expressions of type ARRAY<STRING> is not allowed

CREATE TEMP FUNCTION g(y ANY TYPE) AS (CONCAT('a', UPPER(y)));
CREATE TEMP FUNCTION f(y ANY TYPE) RETURNS STRING AS (
  g(y)
);
SELECT f(1)
--! Invalid function f at [5:8]; Analysis of function f failed; Invalid function g; Analysis of function g failed; No matching signature for function UPPER for argument types: INT64. Supported signatures: UPPER(STRING); UPPER(BYTES)

SELECT MAX_BY(1, tags) FROM orders
--! MAX_BY takes no arguments of these types at [1:8]

SELECT lines.item FROM orders
--! Cannot access field item on a value with type ARRAY<STRUCT<item STRING, count INT64>> at [1:14]

SELECT [1.5, 'a']
--! Array elements of types {FLOAT64, STRING} do not have a common supertype at [1:8]

SELECT CAST(1 AS DOUBLE)
--! Type not found: DOUBLE at [1:18]

FROM produce |> SET nope = 1
--! Column nope does not exist at [1:21]

FROM produce |> DROP nope
--! Column nope does not exist at [1:22]

SELECT * EXCEPT (nope) FROM produce
--! Column nope in SELECT * EXCEPT list does not exist at [1:18]

SELECT UPPER(item =1 item) FROM produce GROUP BY ROLLUP (item)
--! Syntax error: Expected ")" but got identifier "item" at [1:22]

SELECT TIMESTAMP_SUB(TIMESTAMP '2026-01-01', INTERVAL 9223372036854775807 DAY)
--! The interval of TIMESTAMP_SUB is too large

SELECT TIMESTAMP_ADD(TIMESTAMP '2026-01-01', INTERVAL 992233720 DAY)
--! The interval of TIMESTAMP_ADD is too large

SELECT DATE_SUB(DATE '2026-01-01', INTERVAL 9999999 DAY)
--! Subtracting 9999999 DAY from date 2026-01-01 causes overflow

SELECT COSINE_DISTANCE([0.0], [1.0])
--! Cannot compute cosine distance against zero vector.

SELECT ERROR('this is not supported yet')
--! this is not supported yet

SELECT CAST(DATE '2026-01-01' AS STRING FORMAT 'Q')
--! DATE does not support 'Q'

SELECT DATE(TIMESTAMP '2026-01-01', 'Europe/Berln')
--! Invalid time zone: Europe/Berln

SELECT JSON_VALUE(JSON '{}', 'a')
--! JSONPath must start with '$'

SELECT ERROR('wrong at [1:2]')
--! wrong at [1:2]

SELECT category, APPROX_TOP_COUNT(DISTINCT item, 2)
FROM produce
GROUP BY category
--! Not run locally: the local engine cannot evaluate it: Syntax error: Unexpected keyword DISTINCT; run the query on BigQuery, or rewrite it without this

CREATE TEMP FUNCTION f(item ANY TYPE) AS ((
  SELECT ANY_VALUE(z) FROM (SELECT APPROX_QUANTILES(x, 1) OVER () AS z FROM UNNEST([item]) AS x)));
SELECT f(1)
--! Not run locally: the local engine cannot evaluate it: Function APPROX_QUANTILES does not support an OVER clause; run the query on BigQuery, or rewrite it without this

SELECT * FROM (SELECT item, sales FROM produce)
  PIVOT(MAX_BY(sales, sales) FOR item IN ('apples'))
--! Not run locally: the local engine cannot evaluate it: Use of HAVING inside an aggregate function used as a PIVOT expression is not supported; run the query on BigQuery, or rewrite it without this

CREATE TEMP AGGREGATE FUNCTION s(x INT64) AS (SUM(x) * 2);
SELECT * FROM (SELECT item, sales FROM produce)
PIVOT(s(sales) FOR item IN ('apples'))
--! Not run locally: the local engine cannot evaluate it: PIVOT expression must be an aggregate function call; run the query on BigQuery, or rewrite it without this

CREATE TEMP FUNCTION nothing() AS (1);
CREATE TEMP FUNCTION initcap(s STRING) AS (s);
SELECT 1
--! Function initcap has the name of a built-in function, which the local BigQuery cannot replace: give it another name at [2:22]

CREATE TEMP FUNCTION nothing() AS (1);
CREATE TEMP FUNCTION InitCap(s STRING) AS (s);
SELECT 1
--! Function InitCap has the name of a built-in function, which the local BigQuery cannot replace: give it another name at [2:22]

CREATE TEMP FUNCTION nothing() AS (1);
CREATE TEMP FUNCTION `if`(s STRING) AS (s);
SELECT 1
--! Function if has the name of a built-in function, which the local BigQuery cannot replace: give it another name at [2:22]

CREATE TEMP FUNCTION nothing() AS (1);
CREATE TEMP FUNCTION ceiling(s STRING) AS (s);
SELECT 1
--! Function ceiling has the name of a built-in function, which the local BigQuery cannot replace: give it another name at [2:22]

CREATE TEMP FUNCTION nothing() AS (1);
CREATE TEMP FUNCTION generate_uuid(s STRING) AS (s);
SELECT 1
--! Function generate_uuid has the name of a built-in function, which the local BigQuery cannot replace: give it another name at [2:22]
