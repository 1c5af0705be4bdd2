-- Aggregates: their modifiers, NULL, and GROUP BY in all its forms.

-- aggregates leave NULL out; COUNT(*) does not
SELECT COUNT(*), COUNT(x), SUM(x), AVG(x), MIN(x), MAX(x) FROM UNNEST([1, NULL, 4]) AS x
--> ["3", "2", "5", "2.5", "1", "4"]

-- without rows COUNT is 0, and everything else NULL
SELECT COUNT(x), SUM(x), AVG(x), MAX(x), COUNTIF(x > 0), LOGICAL_OR(x > 0), STRING_AGG('a') FROM UNNEST(CAST([] AS ARRAY<INT64>)) AS x
--> ["0", null, null, null, "0", null, null]

-- ANY_VALUE ignores NULL
SELECT ANY_VALUE(x), ANY_VALUE(y) FROM (SELECT NULL AS x, CAST(NULL AS INT64) AS y UNION ALL SELECT 7, NULL UNION ALL SELECT NULL, NULL)
--> ["7", null]

-- HAVING MAX and HAVING MIN take only the rows of the largest and smallest value
SELECT ANY_VALUE(fruit HAVING MAX sold), ANY_VALUE(fruit HAVING MIN sold), SUM(n HAVING MAX sold)
  FROM UNNEST([STRUCT('apple' AS fruit, 10 AS sold, 1 AS n), ('pear', 2, 2), ('fig', NULL, 4), ('apple', 10, 8)])
--> ["apple", "pear", "9"]

-- MAX_BY and MIN_BY are short for it
SELECT MAX_BY(fruit, sold), MIN_BY(fruit, sold) FROM UNNEST([STRUCT('apple' AS fruit, 10 AS sold), ('pear', 2), ('fig', 4)])
--> ["apple", "pear"]

-- STRING_AGG takes DISTINCT, ORDER BY and LIMIT
SELECT STRING_AGG(DISTINCT x, '&' ORDER BY x DESC LIMIT 2), STRING_AGG(x, '' ORDER BY LENGTH(x), x)
  FROM UNNEST(['b', NULL, 'a', 'b', 'cc']) AS x
--> ["cc&b", "abbcc"]

-- COUNTIF counts what is true; DISTINCT counts each value once
SELECT COUNTIF(x < 0), COUNT(DISTINCT IF(x > 0, x, NULL)), COUNT(DISTINCT x) FROM UNNEST([5, -2, 3, -2, NULL, 0]) AS x
--> ["2", "2", "4"]

-- LOGICAL_AND and LOGICAL_OR leave NULL out
SELECT LOGICAL_AND(x), LOGICAL_OR(x), LOGICAL_OR(NOT x) FROM UNNEST([TRUE, NULL, TRUE]) AS x
--> ["true", "true", "false"]

-- BIT_AND, BIT_OR and BIT_XOR
SELECT BIT_AND(x), BIT_OR(x), BIT_XOR(x), BIT_XOR(DISTINCT x) FROM UNNEST([0xF001, 0x00A1, 0x00A1]) AS x
--> ["1", "61601", "61441", "61600"]

-- DISTINCT sums each value once
SELECT SUM(DISTINCT x), AVG(DISTINCT x), SUM(x) FROM UNNEST([1, 1, 3]) AS x
--> ["4", "2.0", "5"]

-- variance, deviation, correlation and covariance
SELECT VAR_SAMP(x), VAR_POP(x), COVAR_POP(x, y), CORR(x, y), VARIANCE(IF(x = 2, x, NULL))
  FROM UNNEST([STRUCT(2.0 AS x, 1.0 AS y), (4, 2), (6, 3)])
--> ["4.0", "2.6666666666666665", "1.3333333333333333", "1.0", null]

-- GROUP BY ALL groups by every column that is no aggregate
SELECT item, category, SUM(sales) AS total FROM logs.produce GROUP BY ALL ORDER BY item
--> { "item": "apples", "category": "fruit", "total": "9" }
--> { "item": "bananas", "category": "fruit", "total": "5" }
--> { "item": "carrots", "category": "vegetable", "total": "8" }

-- GROUP BY takes a number, an alias or an expression; NULL is one group
SELECT MOD(x, 2) AS odd, COUNT(*) FROM UNNEST([1, 2, 3, NULL, NULL]) AS x GROUP BY 1 HAVING COUNT(*) > 1 ORDER BY odd
--> [null, "2"]
--> ["1", "2"]

-- an expression of GROUP BY, again in SELECT, HAVING, a window and ORDER BY
SELECT UPPER(item), CONCAT(UPPER(p.item), '!') AS loud, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*), UPPER(item)) AS place
  FROM produce AS p GROUP BY UPPER(p.item) HAVING UPPER(item) < 'C' ORDER BY UPPER(item) DESC
--> { "f0_": "BANANAS", "loud": "BANANAS!", "n": "1", "place": "1" }
--> { "f0_": "APPLES", "loud": "APPLES!", "n": "2", "place": "2" }

-- an expression of GROUP BY inside others, where it is one by itself
SELECT sales * 2 + 1 AS a, (sales * 2) * 10 AS b, 1 + sales * 2 AS c, sales * 2 > 9 AND TRUE AS d, sales * 2 * 3 AS e,
  IF(sales * 2 > 5, sales * 2, 0) AS f, [sales * 2][OFFSET(0)] AS g FROM produce WHERE sales = 5 GROUP BY sales * 2
--> ["11", "100", "11", "true", "30", "10", "10"]

-- ROLLUP of an expression without a name, which WHERE keeps from failing
SELECT CASE WHEN 10 / (sales - 2) > 2 THEN 'a' ELSE 'b' END, COUNT(*) AS n FROM produce WHERE sales != 2
  GROUP BY ROLLUP (CASE WHEN 10 / (sales - 2) > 2 THEN 'a' ELSE 'b' END) ORDER BY n
--> { "f0_": "a", "n": "1" }
--> { "f0_": "b", "n": "2" }
--> { "f0_": null, "n": "3" }

-- GROUPING by the name of the table, with ORDER BY
SELECT p.category, GROUPING(p.category) AS all_of_them FROM produce AS p GROUP BY ROLLUP (p.category) ORDER BY all_of_them, p.category
--> ["fruit", "0"]
--> ["vegetable", "0"]
--> [null, "1"]

-- ROLLUP adds subtotals and a total
SELECT category, item, SUM(sales), GROUPING(category), GROUPING(item) FROM logs.produce
  GROUP BY ROLLUP (category, item) ORDER BY 4, 1, 5, 2
--> ["fruit", "apples", "9", "0", "0"]
--> ["fruit", "bananas", "5", "0", "0"]
--> ["fruit", null, "14", "0", "1"]
--> ["vegetable", "carrots", "8", "0", "0"]
--> ["vegetable", null, "8", "0", "1"]
--> [null, null, "22", "1", "1"]

-- ROLLUP alone, over one column
SELECT category, SUM(sales), COUNT(*) FROM logs.produce GROUP BY ROLLUP (category) ORDER BY category
--> [null, "22", "4"]
--> ["fruit", "14", "3"]
--> ["vegetable", "8", "1"]

-- ROLLUP of several columns drops them from the right
SELECT a, b, SUM(n) FROM UNNEST([STRUCT('x' AS a, 'p' AS b, 1 AS n), ('x', 'q', 2), ('y', 'p', 4)])
  GROUP BY ROLLUP (a, b) HAVING SUM(n) > 1 ORDER BY a, b
--> [null, null, "7"]
--> ["x", null, "3"]
--> ["x", "q", "2"]
--> ["y", null, "4"]
--> ["y", "p", "4"]

-- GROUPING SETS of lists of columns
SELECT a, b, SUM(n) FROM UNNEST([STRUCT('x' AS a, 'p' AS b, 1 AS n), ('x', 'q', 2), ('y', 'p', 4)])
  GROUP BY GROUPING SETS ((a, b), a) ORDER BY a, b
--> ["x", null, "3"]
--> ["x", "p", "1"]
--> ["x", "q", "2"]
--> ["y", null, "4"]
--> ["y", "p", "4"]

-- HAVING MAX works in each group, also for ARRAY_AGG and STRING_AGG
SELECT category, ARRAY_AGG(item HAVING MAX sales), STRING_AGG(item HAVING MIN sales), COUNT(* ) FROM produce GROUP BY category ORDER BY category
--> ["fruit", ["apples"], "apples", "3"]
--> ["vegetable", ["carrots"], "carrots", "1"]

-- ANY_VALUE HAVING MAX ignores NULL among the rows of the largest value
SELECT ANY_VALUE(x HAVING MAX n) FROM UNNEST([STRUCT(CAST(NULL AS INT64) AS x, 1 AS n), (7, 1), (8, 0)])
--> ["7"]

-- GROUPING SETS groups several times over
SELECT category, item, SUM(sales) FROM logs.produce
  GROUP BY GROUPING SETS (category, item, ()) ORDER BY category, item
--> [null, null, "22"]
--> [null, "apples", "9"]
--> [null, "bananas", "5"]
--> [null, "carrots", "8"]
--> ["fruit", null, "14"]
--> ["vegetable", null, "8"]

-- CUBE groups by every subset
SELECT a, b, COUNT(*) FROM UNNEST([STRUCT(1 AS a, 2 AS b), (1, 3)]) GROUP BY CUBE (a, b) ORDER BY a, b
--> [null, null, "2"]
--> [null, "2", "1"]
--> [null, "3", "1"]
--> ["1", null, "2"]
--> ["1", "2", "1"]
--> ["1", "3", "1"]

-- ORDER BY puts NULL first, or last on request; DESC the other way round
SELECT ARRAY_TO_STRING(ARRAY_AGG(IFNULL(CAST(x AS STRING), '-') ORDER BY x), ''), ARRAY_TO_STRING(ARRAY_AGG(IFNULL(CAST(x AS STRING), '-') ORDER BY x DESC), ''),
  ARRAY_TO_STRING(ARRAY_AGG(IFNULL(CAST(x AS STRING), '-') ORDER BY x NULLS LAST), '')
  FROM UNNEST([2, NULL, 1]) AS x
--> ["-12", "21-", "12-"]

-- ANY_VALUE as a window function leaves NULL out
SELECT o, ANY_VALUE(x) OVER (ORDER BY o), ANY_VALUE(list) OVER w FROM UNNEST([STRUCT(NULL AS x, 1 AS o, [1] AS list), (5, 2, [2])]) WINDOW w AS (ORDER BY o ROWS CURRENT ROW) ORDER BY o
--> ["1", null, ["1"]]
--> ["2", "5", ["2"]]

-- MAX_BY stands beside aggregates with an order and a condition
SELECT category, MAX_BY(item, sales), MIN_BY(item, sales), STRING_AGG(item, ',' ORDER BY sales DESC LIMIT 2), ANY_VALUE(item HAVING MIN sales)
  FROM produce GROUP BY category ORDER BY category
--> ["fruit", "apples", "apples", "apples,bananas", "apples"]
--> ["vegetable", "carrots", "carrots", "carrots", "carrots"]

-- GROUP BY ALL leaves out constants and window functions, and takes expressions
SELECT UPPER(category) AS kind, 1 AS one, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS total, (SELECT 2) AS two
  FROM produce GROUP BY ALL ORDER BY kind
--> ["FRUIT", "1", "3", "4", "2"]
--> ["VEGETABLE", "1", "1", "4", "2"]

-- GROUP BY ALL without a column is one group
SELECT COUNT(*), SUM(sales) FROM produce GROUP BY ALL
--> ["4", "22"]

-- GROUPING SETS by aliases, numbers and expressions, with HAVING and a window
SELECT LEFT(item, 1) AS letter, category AS kind, SUM(sales) AS n, RANK() OVER (ORDER BY SUM(sales) DESC) AS place,
  IF(GROUPING(category) = 1, 'all', produce.category) AS label
  FROM produce GROUP BY GROUPING SETS ((letter, produce.category), 2, ()) HAVING SUM(sales) > 5 ORDER BY n DESC, letter
--> [null, null, "22", "1", "all"]
--> [null, "fruit", "14", "2", "fruit"]
--> ["a", "fruit", "9", "3", "fruit"]
--> [null, "vegetable", "8", "4", "vegetable"]
--> ["c", "vegetable", "8", "4", "vegetable"]

-- GROUPING SETS takes ROLLUP and CUBE, and equal sets twice
SELECT category, COUNT(*) FROM produce GROUP BY GROUPING SETS (ROLLUP (category), CUBE (category)) ORDER BY 1, 2
--> [null, "4"]
--> [null, "4"]
--> ["fruit", "3"]
--> ["fruit", "3"]
--> ["vegetable", "1"]
--> ["vegetable", "1"]

-- ROLLUP keeps a column and a field of the same name apart
SELECT name, buyer.name AS buyer_name, COUNT(*)
  FROM UNNEST([STRUCT('p' AS name, STRUCT('q' AS name) AS buyer), ('p', STRUCT('r'))])
  GROUP BY ROLLUP (name, buyer.name) ORDER BY name, buyer_name
--> [null, null, "2"]
--> ["p", null, "2"]
--> ["p", "q", "1"]
--> ["p", "r", "1"]

-- ROLLUP of columns named like a type and a part of a date
SELECT date, EXTRACT(DAY FROM day), DATE_TRUNC(day, DAY), DATE_ADD(day, INTERVAL 1 DAY), IF(date = DATE '2026-01-01', DATE(date), day), COUNT(*)
  FROM UNNEST([STRUCT(DATE '2026-01-01' AS date, DATE '2026-01-05' AS day)])
  GROUP BY ROLLUP (date, day) HAVING day IS NOT NULL
--> ["2026-01-01", "5", "2026-01-05", "2026-01-06", "2026-01-01", "1"]

-- ROLLUP of a column named like an argument
CREATE TEMP FUNCTION f(a STRING) AS (UPPER(a));
  SELECT f(a => a) AS large, COUNT(*) FROM UNNEST([STRUCT('x' AS a)]) GROUP BY ROLLUP (a) ORDER BY large
--> [null, "1"]
--> ["X", "1"]

-- ROLLUP over no rows is its total
SELECT category, COUNT(*) AS n, SUM(sales), GROUPING(category) AS g, IFNULL(category, 'all') AS label FROM produce WHERE FALSE GROUP BY ROLLUP (category)
--> { "category": null, "n": "0", "f0_": null, "g": "1", "label": "all" }

-- CUBE over no rows is its total, also of expressions, with HAVING, a window, ORDER BY and LIMIT
SELECT UPPER(p.item) AS item, COUNT(DISTINCT sales) AS n, ARRAY_AGG(sales) AS list, RANK() OVER (ORDER BY COUNT(*)) AS place
  FROM produce AS p WHERE sales > 100 GROUP BY CUBE (UPPER(p.item), category) HAVING GROUPING(category) = 1 ORDER BY UPPER(p.item), n LIMIT 9
--> [null, "0", [], "1"]

-- GROUPING SETS over no rows have a row for each set (), and none for others
SELECT category, COUNT(*) FROM produce WHERE FALSE GROUP BY GROUPING SETS ((), category, ()) UNION ALL
  SELECT category, COUNT(*) + 100 FROM produce WHERE FALSE GROUP BY GROUPING SETS (category, (category, item))
--> [null, "0"]
--> [null, "0"]

-- GROUPING SETS (()) over no rows is one row, and GROUP BY () too
SELECT COUNT(*) FROM produce WHERE FALSE GROUP BY GROUPING SETS (()) UNION ALL SELECT COUNT(*) + 1 FROM produce WHERE FALSE GROUP BY () ORDER BY 1
--> ["0"]
--> ["1"]

-- HAVING may leave the total of no rows out
SELECT category, COUNT(*) FROM produce WHERE FALSE GROUP BY ROLLUP (category) HAVING COUNT(*) > 0

-- a total over no rows without an aggregate, and after a set operation with its own ORDER BY and LIMIT
SELECT 'last' AS name, 5 AS n UNION ALL SELECT 'first', 1 FROM produce WHERE FALSE GROUP BY ROLLUP (category) ORDER BY n LIMIT 2
--> ["first", "1"]
--> ["last", "5"]

-- ORDER BY of a set operation does not refer to the keys of its last query
SELECT 'z' AS category, 9 AS n UNION ALL SELECT category, COUNT(*) FROM produce GROUP BY ROLLUP (category) ORDER BY category DESC LIMIT 2
--> ["z", "9"]
--> ["vegetable", "1"]

-- totals over no rows in WITH, in JOIN, in an ARRAY, in a correlated subquery and of totals
WITH totals AS (SELECT category, COUNT(*) AS n FROM produce WHERE item = 'none' GROUP BY ROLLUP (category))
SELECT (SELECT COUNT(*) FROM totals) AS c, joined.n, ARRAY(SELECT SUM(sales) IS NULL FROM produce WHERE FALSE GROUP BY CUBE (item, category)) AS list,
  (SELECT COUNT(*) FROM produce WHERE item = CAST(one AS STRING) GROUP BY ROLLUP (sales)) AS own,
  (SELECT STRING_AGG(CAST(m AS STRING)) FROM (SELECT n, COUNT(*) AS m FROM totals GROUP BY ROLLUP (n))) AS again
FROM UNNEST([0]) AS one JOIN totals AS joined ON joined.n = one
--> ["1", "0", ["true"], "0", "1,1"]

-- a total over rows is not added again
SELECT category, MAX(sales) FROM produce WHERE sales < 3 GROUP BY ROLLUP (category) ORDER BY 1
--> [null, "2"]
--> ["fruit", "2"]
