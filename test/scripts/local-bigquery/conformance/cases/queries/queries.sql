-- The query itself: ORDER BY, LIMIT, DISTINCT, aliases, names, comments, values in place of tables.

-- LIMIT and OFFSET count after ORDER BY
SELECT x FROM UNNEST([5, 3, 1, 4, 2]) AS x ORDER BY x DESC LIMIT 2 OFFSET 1
--> ["4"]
--> ["3"]

-- ORDER BY sees columns that are not selected, aliases and numbers
SELECT item, sales * -1 AS minus FROM produce ORDER BY category DESC, minus, 1 LIMIT 2
--> ["carrots", "-8"]
--> ["apples", "-7"]

-- SELECT DISTINCT leaves equal rows out
SELECT DISTINCT item, category FROM produce ORDER BY item
--> ["apples", "fruit"]
--> ["bananas", "fruit"]
--> ["carrots", "vegetable"]

-- columns without a name are f0_, f1_
SELECT 1, 2 AS two, MAX(x) FROM UNNEST([3]) AS x
--> { "f0_": "1", "two": "2", "f1_": "3" }

-- names of columns have any letter case; the result has that of the query
SELECT ITEM, Sales AS `Sales of it` FROM produce AS P WHERE p.SALES = 8
--> { "ITEM": "carrots", "Sales of it": "8" }

-- comments have three forms; a trailing comma and semicolon are fine
SELECT 1 AS a, -- one
 2 AS b, # two
 /* three
 */ 3 AS c, ; -- end
--> { "a": "1", "b": "2", "c": "3" }

-- WHERE, GROUP BY, HAVING, QUALIFY and ORDER BY follow in this order
SELECT category, COUNT(*) AS n FROM produce WHERE sales > 2 GROUP BY category HAVING n > 0
  QUALIFY ROW_NUMBER() OVER (ORDER BY n DESC) = 1 ORDER BY n LIMIT 1
--> ["fruit", "2"]

-- an alias of a column is not seen in WHERE, but its column is
SELECT -x AS x FROM UNNEST([1, 2]) AS x WHERE x > 1 ORDER BY x
--> ["-2"]

-- text orders by code points
SELECT x FROM UNNEST(['b', 'a', 'B', 'é', 'Z', '']) AS x ORDER BY x
--> [""]
--> ["B"]
--> ["Z"]
--> ["a"]
--> ["b"]
--> ["é"]

-- COLLATE compares without letter case
SELECT COLLATE('Orange', 'und:ci') = 'orange', 'a' < 'B', COLLATE('a', 'und:ci') < 'B'
--> ["true", "false", "true"]

-- SELECT * of two tables gives the columns of both
SELECT * FROM (SELECT 1 AS a) CROSS JOIN (SELECT 2 AS b)
--> { "a": "1", "b": "2" }

-- WITH OFFSET without a name is offset
SELECT x, offset FROM UNNEST(['a', 'b']) AS x WITH OFFSET ORDER BY offset
--> { "x": "a", "offset": "0" }
--> { "x": "b", "offset": "1" }

-- a table in full, in backquotes, with a dash in the project
SELECT (SELECT COUNT(*) FROM `test-project.logs.produce`), (SELECT COUNT(*) FROM test-project.logs.produce), (SELECT MAX(p.sales) FROM `test-project`.logs.produce AS p)
--> ["4", "4", "8"]

-- a quoted identifier may be a keyword
SELECT `select`.`from` FROM (SELECT 1 AS `from`) AS `select`
--> { "from": "1" }

-- GROUP BY ALL of a constant alone makes one group of all rows
SELECT 'all' AS name FROM UNNEST([1, 2]) GROUP BY ALL
--> ["all"]

-- a table beside a query of WITH RECURSIVE that has its name
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 2),
  produce AS (SELECT 'none' AS item)
  SELECT COUNT(*), COUNTIF(item = 'none') FROM logs.produce, r
--> ["8", "0"]
