-- WITH and WITH RECURSIVE.

-- WITH names queries for those that follow
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT a.x, b.x AS y FROM a, b
--> ["1", "2"]

-- a WITH inside hides the one outside
WITH a AS (SELECT 1 AS x) SELECT (WITH a AS (SELECT 2 AS x) SELECT x FROM a), x FROM a
--> ["2", "1"]

-- WITH RECURSIVE counts until its condition ends it
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 2 FROM t WHERE n < 6) SELECT n FROM t ORDER BY n
--> ["1"]
--> ["3"]
--> ["5"]
--> ["7"]

-- a recursive query follows a tree and carries a path
WITH RECURSIVE edges AS (SELECT * FROM UNNEST([STRUCT('a' AS parent, 'b' AS child), ('a', 'c'), ('b', 'd')])),
  reached AS (SELECT 'a' AS node, 'a' AS path, 0 AS depth
    UNION ALL SELECT child, CONCAT(path, '/', child), depth + 1 FROM reached JOIN edges ON parent = node)
  SELECT node, path, depth FROM reached ORDER BY path
--> ["a", "a", "0"]
--> ["b", "a/b", "1"]
--> ["d", "a/b/d", "2"]
--> ["c", "a/c", "1"]

-- each step sees the rows of the step before only
WITH RECURSIVE t AS (SELECT x, 0 AS step FROM UNNEST([1, 10]) AS x UNION ALL SELECT x * 2, step + 1 FROM t WHERE step < 2)
  SELECT step, SUM(x), COUNT(*) FROM t GROUP BY step ORDER BY step
--> ["0", "11", "2"]
--> ["1", "22", "2"]
--> ["2", "44", "2"]

-- a query after the recursive one may use it twice
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3), squares AS (SELECT n * n AS s FROM t)
  SELECT (SELECT SUM(n) FROM t), (SELECT SUM(s) FROM squares)
--> ["6", "14"]

-- the names of WITH may come in any order when one is recursive
WITH RECURSIVE later AS (SELECT SUM(n) AS s FROM first_three), first_three AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM first_three WHERE n < 3) SELECT s FROM later
--> ["6"]

-- the Fibonacci numbers
WITH RECURSIVE fib AS (SELECT 0 AS a, 1 AS b UNION ALL SELECT b, a + b FROM fib WHERE b < 20) SELECT ARRAY_AGG(a ORDER BY a, b) FROM fib
--> [["0", "1", "1", "2", "3", "5", "8", "13"]]
