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

-- UNION ALL CORRESPONDING keeps the columns that both have
SELECT 1 AS a, 2 AS b UNION ALL CORRESPONDING SELECT 3 AS b, 4 AS c ORDER BY b
--> { "b": "2" }
--> { "b": "3" }

-- UNION DISTINCT compares structs and treats NULL as equal to NULL
SELECT COUNT(*) FROM (SELECT CAST(NULL AS INT64) AS x, STRUCT(1 AS a) AS s UNION DISTINCT SELECT NULL, STRUCT(1))
--> ["1"]
