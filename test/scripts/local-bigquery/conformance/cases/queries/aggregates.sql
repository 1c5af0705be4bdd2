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

-- HAVING MAX works in each group, also for ARRAY_AGG and STRING_AGG
SELECT category, ARRAY_AGG(item HAVING MAX sales), STRING_AGG(item HAVING MIN sales), COUNT(* ) FROM produce GROUP BY category ORDER BY category
--> ["fruit", ["apples"], "apples", "3"]
--> ["vegetable", ["carrots"], "carrots", "1"]

-- ANY_VALUE HAVING MAX ignores NULL among the rows of the largest value
SELECT ANY_VALUE(x HAVING MAX n) FROM UNNEST([STRUCT(CAST(NULL AS INT64) AS x, 1 AS n), (7, 1), (8, 0)])
--> ["7"]

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

