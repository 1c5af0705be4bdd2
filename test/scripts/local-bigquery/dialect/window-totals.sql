-- Queries with windows that are not rewritten alone, and their rows.

-- # rows

--- The window of a query with groups is over these, of which there is one here.
SELECT COUNT(*), SUM(1) OVER () FROM t
--> [["400","1"]]

SELECT MAX(id) AS m, COUNT(*) OVER () AS n FROM t ORDER BY SUM(x)
--> [["399","1"]]

SELECT p, COUNT(*) OVER () FROM t GROUP BY p ORDER BY p LIMIT 1
--> [[null,"3"]]

SELECT p, SUM(COUNT(*)) OVER (ORDER BY p) FROM t GROUP BY p ORDER BY p
--> [[null,"100"],["a","200"],["b","400"]]

--- A WITH query hides another one of its name.
WITH w AS (SELECT 1 AS a) SELECT (SELECT MAX(s) FROM (WITH w AS (SELECT 5 AS a) SELECT SUM(a) OVER () AS s FROM w)) FROM w
--> [["5"]]

SELECT id FROM t WHERE id < 9 QUALIFY COUNT(*) OVER () = 9 AND SUM(id) OVER (ORDER BY id) = 3
--> [["2"]]

--- Outside SELECT, its names hide columns; and chance gives other values each time.
SELECT -id AS id FROM t WHERE id < 3 QUALIFY SUM(id) OVER (ORDER BY id) < -2 ORDER BY SUM(id) OVER (ORDER BY id)
--> [["-1"],["0"]]

WITH w AS (SELECT id, RAND() AS r FROM t) SELECT COUNTIF(s < r) FROM (SELECT r, SUM(r) OVER (ORDER BY id) AS s FROM w)
--> [["0"]]

CREATE TEMP FUNCTION r() AS (RAND()); SELECT COUNTIF(s < r) FROM (SELECT r, MAX(r) OVER (PARTITION BY p) AS s FROM (SELECT p, r() AS r FROM t))
--> [["0"]]

SELECT (SELECT SUM(v) OVER () FROM UNNEST([id, 1]) AS v LIMIT 1) FROM t WHERE id = 7
--> [["8"]]

SELECT SUM(n) OVER (ORDER BY n) > 3 FROM UNNEST([1, 2, 3]) AS n
--> [["false"],["false"],["true"]]
