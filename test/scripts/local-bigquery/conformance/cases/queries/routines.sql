-- Routines: CREATE TEMP FUNCTION and what its arguments and its body may be.

-- a function takes values of columns
CREATE TEMP FUNCTION twice(x INT64) AS (x * 2); SELECT x, twice(x) FROM UNNEST([1, 2]) AS x ORDER BY twice(-x)
--> ["2", "4"]
--> ["1", "2"]

-- a body may be a query with WITH, over rows
CREATE TEMP FUNCTION f(x INT64) AS ((WITH t AS (SELECT 1 AS a UNION ALL SELECT 10) SELECT SUM(a) FROM t) + x);
  SELECT f(1), f(x) FROM UNNEST([5]) AS x
--> ["12", "16"]

-- an argument may be a literal NULL
CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 AS (IFNULL(x, 7)); SELECT f(NULL), f(1)
--> ["7", "1"]

-- a literal NULL has the declared type of its argument
CREATE TEMP FUNCTION f(s STRING, d DATE) AS (s IS NULL AND d IS NULL); SELECT f(NULL, NULL)
--> ["true"]

-- an argument may be a literal []
CREATE TEMP FUNCTION f(list ARRAY<STRING>) AS (CONCAT(ARRAY_LENGTH(list), ':', ARRAY_TO_STRING(list, ',')));
  SELECT f([]), f(['a', 'b'])
--> ["0:", "2:a,b"]

-- a function calls functions that are declared before it
CREATE TEMP FUNCTION inc(x INT64) AS (x + 1); CREATE TEMP FUNCTION inc2(x INT64) AS (inc(inc(x)));
  CREATE TEMP FUNCTION inc4(x INT64) AS (inc2(inc2(x))); SELECT inc4(0), inc(inc4(inc2(0)))
--> ["4", "7"]

-- arguments may have names
CREATE TEMP FUNCTION minus(a INT64, b INT64) AS (a - b); SELECT minus(b => 1, a => 5), minus(5, b => 1)
--> ["4", "4"]

-- ANY TYPE takes each type, and the result follows it
CREATE TEMP FUNCTION addFourAndDivideAny(x ANY TYPE, y ANY TYPE) AS ((x + 4) / y);
  SELECT addFourAndDivideAny(3, 4), addFourAndDivideAny(NUMERIC '1.5', 2)
--> ["1.75", "2.75"]

-- ANY TYPE takes arrays and structs
CREATE TEMP FUNCTION last_of(list ANY TYPE) AS (list[ORDINAL(ARRAY_LENGTH(list))]);
  SELECT last_of([1, 2]), last_of(['a']), last_of([STRUCT(1 AS a), STRUCT(2 AS a)]).a
--> ["2", "a", "2"]

-- STRUCT and ARRAY are types of arguments and of results
CREATE TEMP FUNCTION moved(p STRUCT<x INT64, y INT64>, step INT64) RETURNS STRUCT<x INT64, y INT64> AS (STRUCT(p.x + step, p.y + step));
  CREATE TEMP FUNCTION countdown(n INT64) RETURNS ARRAY<INT64> AS (ARRAY(SELECT i FROM UNNEST(GENERATE_ARRAY(1, n)) AS i ORDER BY i DESC));
  SELECT moved((1, 2), 10), moved(STRUCT(1, 2), 1).y, countdown(3)
--> [{ "x": "11", "y": "12" }, "3", ["3", "2", "1"]]

-- arguments and results coerce to the declared types
CREATE TEMP FUNCTION half(x FLOAT64) RETURNS FLOAT64 AS (x / 2); CREATE TEMP FUNCTION one() RETURNS FLOAT64 AS (1);
  CREATE TEMP FUNCTION day_after(d DATE) AS (DATE_ADD(d, INTERVAL 1 DAY)); SELECT half(3), one(), day_after('2026-02-28')
--> ["1.5", "1.0", "2026-03-01"]

-- an aggregate function aggregates its arguments, except those that are NOT AGGREGATE
CREATE TEMP AGGREGATE FUNCTION scaled_sum(dividend FLOAT64, divisor FLOAT64 NOT AGGREGATE) RETURNS FLOAT64 AS (SUM(dividend) / divisor);
  SELECT scaled_sum(x, 2) FROM UNNEST([1, 2, 3]) AS x
--> ["3.0"]

-- an aggregate function works in each group
CREATE TEMP AGGREGATE FUNCTION spread(x INT64) RETURNS INT64 AS (MAX(x) - MIN(x));
  SELECT category, spread(sales) FROM logs.produce GROUP BY category ORDER BY category
--> ["fruit", "5"]
--> ["vegetable", "0"]

-- a function is used in WHERE, in GROUP BY, inside aggregates and in joins
CREATE TEMP FUNCTION is_even(x INT64) AS (MOD(x, 2) = 0);
  SELECT is_even(a), COUNT(*), SUM(IF(is_even(b), 1, 0)) FROM UNNEST([1, 2, 3, 4]) AS a JOIN UNNEST([1, 2]) AS b ON is_even(a) = is_even(b)
  WHERE NOT is_even(a + 1) OR a < 3 GROUP BY is_even(a) ORDER BY 1
--> ["false", "1", "0"]
--> ["true", "2", "2"]

-- a body may aggregate over an argument
CREATE TEMP FUNCTION median(list ARRAY<FLOAT64>) AS ((SELECT PERCENTILE_CONT(x, 0.5) OVER () FROM UNNEST(list) AS x LIMIT 1));
  CREATE TEMP FUNCTION total(list ARRAY<INT64>) AS ((SELECT SUM(x) FROM UNNEST(list) AS x)); SELECT median([1, 2, 10, 20]), total([1, 2]), total([])
--> ["6.0", "3", null]

-- a body may read a table
CREATE TEMP FUNCTION sold(name STRING) AS ((SELECT SUM(sales) FROM produce WHERE item = name)); SELECT sold('apples'), sold('figs')
--> ["9", null]

-- an argument may have the name of a column of the query
CREATE TEMP FUNCTION plus_one(sales INT64) AS (sales + 1); SELECT plus_one(sales), sales FROM produce WHERE plus_one(sales) > 8 ORDER BY sales
--> ["9", "8"]

-- CREATE TEMPORARY FUNCTION and a quoted name are the same function
CREATE TEMPORARY FUNCTION `my_f`() RETURNS STRING AS ("x"); SELECT my_f(), `my_f`()
--> ["x", "x"]

-- a body may read a table by its qualified name
CREATE TEMP FUNCTION sold(name STRING) AS ((SELECT SUM(sales) FROM logs.produce WHERE item = name)); SELECT sold('apples')
--> ["9"]

-- a query of WITH does not change what a body reads
CREATE TEMP FUNCTION total() AS ((SELECT SUM(sales) FROM produce)); WITH produce AS (SELECT 1 AS sales) SELECT total(), SUM(sales) FROM produce
--> ["22", "1"]

-- a body may have a window, an approximation and JSON
CREATE TEMP FUNCTION top(list ARRAY<INT64>) AS ((SELECT x FROM UNNEST(list) AS x QUALIFY ROW_NUMBER() OVER (ORDER BY x DESC) = 1));
  CREATE TEMP FUNCTION middle(list ARRAY<INT64>) AS ((SELECT APPROX_QUANTILES(x, 2)[OFFSET(1)] FROM UNNEST(list) AS x));
  CREATE TEMP FUNCTION field(j JSON, name STRING) AS (JSON_VALUE(j[name]));
  SELECT top([1, 3, 2]), middle([5, 1, 3]), field(JSON '{"a": "x"}', 'a')
--> ["3", "3", "x"]

-- an argument is used more than once, and not at all
CREATE TEMP FUNCTION f(a INT64, b STRING, c FLOAT64) AS (a * a + a); SELECT f(x + 1, "", 1) FROM UNNEST([2]) AS x
--> ["12"]

-- an argument is read in a subquery over a table
CREATE TEMP FUNCTION above(threshold INT64) AS (ARRAY(SELECT item FROM produce WHERE sales > threshold ORDER BY item)); SELECT above(6), above(100)
--> [["apples", "carrots"], []]

-- an aggregate function may approximate and call others; its arguments have names
CREATE TEMP AGGREGATE FUNCTION names(x STRING, sales INT64) AS (MAX_BY(x, sales));
  CREATE TEMP AGGREGATE FUNCTION middle(x FLOAT64) AS (APPROX_QUANTILES(x, 2)[OFFSET(1)]);
  CREATE TEMP AGGREGATE FUNCTION twice(n INT64 NOT AGGREGATE, x INT64) AS (middle(x) * n);
  SELECT names(item, sales), twice(x => sales, n => 2), ANY_VALUE(category HAVING MAX sales) FROM produce
--> ["carrots", "10.0", "vegetable"]

-- an argument of a declared type beside one of ANY TYPE
CREATE TEMP FUNCTION f(x INT64, y ANY TYPE, z ARRAY<STRING>) AS (FORMAT('%T %T %T', x, y, z)); SELECT f(NULL, 'a', []), f(1, 2.5, NULL)
--> ["NULL \"a\" []", "1 2.5 NULL"]

-- the fields of a STRUCT may have the names of keywords
CREATE TEMP FUNCTION f(p STRUCT<`from` INT64, `order` STRING>) RETURNS STRUCT<`select` FLOAT64> AS (STRUCT(p.`from`)); SELECT f((1, NULL)), f(NULL)
--> [{ "select": "1.0" }, { "select": null }]

-- NULL and [] are results of a declared type
CREATE TEMP FUNCTION a() RETURNS ARRAY<STRING> AS ([]); CREATE TEMP FUNCTION b() RETURNS DATE AS (NULL); SELECT a(), b(), SAFE.a()
--> [[], null, []]

-- a body with WITH RECURSIVE that reads no argument in it
CREATE TEMP FUNCTION f(x INT64) AS ((WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT SUM(n) FROM r) + x); SELECT f(1)
--> ["7"]

-- a table in the body beside a query of WITH that has its name
CREATE TEMP FUNCTION f() AS ((
    WITH produce AS (SELECT 1 AS sales) SELECT SUM(p.sales) + ANY_VALUE(produce.sales) FROM logs.produce AS p, produce));
  SELECT f()
--> ["23"]
