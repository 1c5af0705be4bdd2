-- Structs: constructors, names of fields, comparison, SELECT AS STRUCT and AS VALUE.

-- STRUCT names its fields with AS
SELECT STRUCT(1 AS a, 'b' AS b, [1, 2] AS list) AS s
--> { "s": { "a": "1", "b": "b", "list": ["1", "2"] } }

-- STRUCT takes the name of a column, and numbers fields without a name
SELECT STRUCT(x, x + 1) FROM (SELECT 1 AS x)
--> [{ "x": "1", "_field_2": "2" }]

-- a typed STRUCT coerces its values
SELECT STRUCT<a FLOAT64, b DATE>(1, '2026-01-02')
--> [{ "a": "1.0", "b": "2026-01-02" }]

-- a field of a struct in a struct is reached with dots
SELECT s.a.b, s.a FROM (SELECT STRUCT(STRUCT(7 AS b) AS a) AS s)
--> { "b": "7", "a": { "b": "7" } }

-- s.* gives each field as a column
SELECT s.* FROM (SELECT STRUCT(1 AS a, 'x' AS c) AS s)
--> { "a": "1", "c": "x" }

-- tuples are equal field by field
SELECT (1, 'a') = (1, 'a'), (1, 'a') = (1, 'b'), (1, NULL) = (1, 2), (1, NULL) = (2, 2)
--> ["true", "false", null, "false"]

-- IN compares tuples
SELECT (1, 2) IN ((1, 2), (3, 4)), (1, 3) IN ((1, 2), (3, 4))
--> ["true", "false"]

-- SELECT AS STRUCT makes one value of a row
SELECT ARRAY(SELECT AS STRUCT n, n * 2 AS twice FROM UNNEST([1, 2]) AS n ORDER BY n)
--> [[{ "n": "1", "twice": "2" }, { "n": "2", "twice": "4" }]]

-- SELECT AS VALUE makes the row itself the struct
SELECT t.a, t.b FROM (SELECT AS VALUE STRUCT(1 AS a, 'x' AS b)) AS t
--> { "a": "1", "b": "x" }

-- a NULL struct is not a struct of NULLs
SELECT s IS NULL, s.a FROM UNNEST([CAST(NULL AS STRUCT<a INT64>), STRUCT(NULL)]) AS s WITH OFFSET AS n ORDER BY n
--> ["true", null]
--> ["false", null]

-- a name of a table is its row
SELECT t FROM (SELECT 1 AS a, 'b' AS b) AS t
--> { "t": { "a": "1", "b": "b" } }

-- GROUP BY groups equal structs
SELECT s.a, COUNT(*) FROM UNNEST([STRUCT(1 AS a, 2 AS b), (1, 2), (2, 2)]) AS s GROUP BY s ORDER BY s.a
--> ["1", "2"]
--> ["2", "1"]

-- SELECT AS STRUCT answers the fields as columns
SELECT AS STRUCT item, sales AS n FROM produce WHERE sales > 6 ORDER BY n
--> { "item": "apples", "n": "7" }
--> { "item": "carrots", "n": "8" }
