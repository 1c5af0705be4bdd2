-- Pipe syntax.

-- FROM alone is a query of all columns
FROM logs.produce |> ORDER BY item, sales
--> { "item": "apples", "sales": "2", "category": "fruit" }
--> { "item": "apples", "sales": "7", "category": "fruit" }
--> { "item": "bananas", "sales": "5", "category": "fruit" }
--> { "item": "carrots", "sales": "8", "category": "vegetable" }

-- WHERE, then AGGREGATE with GROUP BY, then WHERE on its result
FROM produce
  |> WHERE sales > 0
  |> AGGREGATE SUM(sales) AS total_sales, COUNT(*) AS num_sales GROUP BY item
  |> WHERE num_sales > 1
--> { "item": "apples", "total_sales": "9", "num_sales": "2" }

-- AGGREGATE without GROUP BY gives one row
FROM produce |> AGGREGATE COUNT(*) AS n, SUM(sales) AS total
--> { "n": "4", "total": "22" }

-- GROUP AND ORDER BY orders by the groups
FROM produce |> AGGREGATE SUM(sales) AS total GROUP AND ORDER BY category DESC
--> { "category": "vegetable", "total": "8" }
--> { "category": "fruit", "total": "14" }

-- EXTEND adds columns, SET replaces, and DROP removes
FROM produce |> WHERE item = 'carrots' |> EXTEND sales * 2 AS twice |> SET sales = sales + 1 |> DROP category
--> { "item": "carrots", "sales": "9", "twice": "16" }

-- SELECT, ORDER BY and LIMIT in any order
FROM produce |> ORDER BY sales DESC |> LIMIT 2 |> SELECT item, sales |> ORDER BY sales
--> { "item": "apples", "sales": "7" }
--> { "item": "carrots", "sales": "8" }

-- JOIN takes the input as its left side
FROM produce |> AGGREGATE SUM(sales) AS total GROUP BY item
  |> LEFT JOIN (SELECT 'apples' AS item, 123 AS id) AS ids USING (item) |> SELECT item, total, id |> ORDER BY item
--> ["apples", "9", "123"]
--> ["bananas", "5", null]
--> ["carrots", "8", null]

-- AS names the rows so far
FROM produce |> AGGREGATE MAX(sales) AS top GROUP BY category |> AS best |> SELECT best.category, best.top |> ORDER BY top
--> ["fruit", "7"]
--> ["vegetable", "8"]

-- a pipe may follow any query, also in parentheses and in WITH
WITH t AS (SELECT 1 AS x UNION ALL SELECT 2 |> WHERE x > 1) SELECT (FROM t |> AGGREGATE COUNT(*)), x FROM t
--> ["1", "2"]

-- UNION ALL adds the rows of queries, DISTINCT leaves duplicates out
SELECT 1 AS x |> UNION ALL (SELECT 1), (SELECT 2) |> DISTINCT |> ORDER BY x
--> ["1"]
--> ["2"]

-- PIVOT and window functions
FROM produce |> EXTEND RANK() OVER (ORDER BY sales DESC) AS place |> WHERE place = 1 |> SELECT category, sales |> PIVOT (SUM(sales) FOR category IN ('fruit', 'vegetable'))
--> { "fruit": null, "vegetable": "8" }

-- JOIN keeps the names of the tables, also after a filter
FROM produce AS p |> WHERE p.sales > 5 |> JOIN (SELECT 'apples' AS item, 'a' AS code) AS c ON p.item = c.item |> SELECT p.sales, c.code
--> { "sales": "7", "code": "a" }

-- FULL JOIN after a filter keeps the rows that only the right side has
FROM produce |> WHERE sales > 7 |> FULL JOIN (SELECT 'figs' AS item) AS c USING (item) |> SELECT item, sales |> ORDER BY item
--> ["carrots", "8"]
--> ["figs", null]

-- a group has an alias, an order and a limit
FROM produce |> AGGREGATE COUNT(*) AS n, MAX(sales) DESC GROUP AND ORDER BY category AS kind |> LIMIT 1 OFFSET 1
--> { "kind": "vegetable", "n": "1", "f0_": "8" }

-- a name of EXTEND is seen by the next operators, with the name of the table
FROM produce AS p |> EXTEND sales * 2 AS twice |> WHERE p.sales > 2 AND twice < 16 |> AGGREGATE SUM(twice)
--> ["24"]

-- SELECT DISTINCT after ORDER BY, and a later order
FROM produce |> ORDER BY sales |> SELECT DISTINCT category |> ORDER BY category DESC
--> ["vegetable"]
--> ["fruit"]

-- SELECT of another column under the name by which ORDER BY ordered
FROM produce |> ORDER BY sales |> SELECT 100 - sales AS sales, item |> LIMIT 2
--> ["98", "apples"]
--> ["95", "bananas"]

-- WHERE takes window functions, after the filter before it
FROM produce |> WHERE sales > 2 |> WHERE ROW_NUMBER() OVER (PARTITION BY category ORDER BY sales) = 1 |> ORDER BY item
--> ["bananas", "5", "fruit"]
--> ["carrots", "8", "vegetable"]

-- WHERE takes subqueries with window functions of their own
FROM produce |> WHERE sales IN (SELECT 1 + ROW_NUMBER() OVER (ORDER BY x) FROM UNNEST([5, 6]) AS x) |> SELECT item, sales
--> ["apples", "2"]

-- WHERE takes window functions inside of others, and subqueries beside them
FROM produce |> WHERE IF(ROW_NUMBER() OVER (ORDER BY sales) = 2, TRUE, EXISTS (SELECT x FROM UNNEST([sales - 8]) AS x WHERE x = 0)) |> SELECT sales |> ORDER BY sales
--> ["5"]
--> ["8"]

-- a value of UNNEST keeps its name behind EXTEND
FROM UNNEST([1, 2]) AS x |> EXTEND x * 2 AS y |> WHERE x > 1
--> ["2", "4"]
