-- Set operations: UNION, INTERSECT and EXCEPT, by position and by name.

-- UNION ALL keeps duplicates, UNION DISTINCT does not
SELECT 'all' AS kind, COUNT(*) FROM (SELECT 1 AS x UNION ALL SELECT 1 UNION ALL SELECT 2)
  UNION ALL SELECT 'distinct', COUNT(*) FROM (SELECT 1 AS x UNION DISTINCT SELECT 1 UNION DISTINCT SELECT 2) ORDER BY kind
--> ["all", "3"]
--> ["distinct", "2"]

-- columns match by position; names are those of the first query
SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2 AS b, 'y' AS a ORDER BY a
--> { "a": "1", "b": "x" }
--> { "a": "2", "b": "y" }

-- INTERSECT DISTINCT keeps what both have
SELECT * FROM UNNEST([1, 2, 2, 3, NULL]) AS x INTERSECT DISTINCT SELECT * FROM UNNEST([2, 2, 3, 4, NULL]) ORDER BY x
--> [null]
--> ["2"]
--> ["3"]

-- EXCEPT DISTINCT takes away what the second has
SELECT * FROM UNNEST([1, 1, 2, 3, NULL]) AS x EXCEPT DISTINCT SELECT * FROM UNNEST([2, NULL]) ORDER BY x
--> ["1"]
--> ["3"]

-- columns take their supertype
SELECT 1 AS x UNION ALL SELECT 2.5 UNION ALL SELECT NULL ORDER BY x
--> [null]
--> ["1.0"]
--> ["2.5"]

-- parentheses decide the order; LIMIT in them counts one part
(SELECT 1 AS x UNION ALL SELECT 2) EXCEPT DISTINCT (SELECT 2 UNION ALL (SELECT * FROM UNNEST([9, 1]) AS y ORDER BY y DESC LIMIT 1)) ORDER BY x
--> ["1"]

-- UNION ALL BY NAME matches columns by name
SELECT 1 AS a, 'x' AS b UNION ALL BY NAME SELECT 'y' AS b, 2 AS a ORDER BY a
--> { "a": "1", "b": "x" }
--> { "a": "2", "b": "y" }

-- UNION ALL BY NAME of three queries, whose NULLs take the type of the last one
CREATE TEMP FUNCTION f(x INT64) AS (x);
  WITH w AS (SELECT NULL AS a, 1 AS b) SELECT * FROM w UNION ALL BY NAME SELECT 2 AS b, NULL AS A UNION ALL BY NAME (SELECT 7 AS a, f(3) AS b) ORDER BY b LIMIT 3
--> { "a": null, "b": "1" }
--> { "a": null, "b": "2" }
--> { "a": "7", "b": "3" }

-- FULL UNION ALL BY NAME fills missing columns with NULL
SELECT 1 AS a, 2 AS b FULL UNION ALL BY NAME SELECT 3 AS b, 4 AS c ORDER BY b
--> { "a": "1", "b": "2", "c": null }
--> { "a": null, "b": "3", "c": "4" }

-- LEFT UNION ALL BY NAME keeps the columns of the first query
SELECT 1 AS a, 2 AS b LEFT UNION ALL BY NAME SELECT 3 AS b, 4 AS c ORDER BY b
--> { "a": "1", "b": "2" }
--> { "a": null, "b": "3" }

-- UNION ALL CORRESPONDING keeps the columns that both have
SELECT 1 AS a, 2 AS b UNION ALL CORRESPONDING SELECT 3 AS b, 4 AS c ORDER BY b
--> { "b": "2" }
--> { "b": "3" }

-- UNION DISTINCT compares structs and treats NULL as equal to NULL
SELECT COUNT(*) FROM (SELECT CAST(NULL AS INT64) AS x, STRUCT(1 AS a) AS s UNION DISTINCT SELECT NULL, STRUCT(1))
--> ["1"]
