-- Arrays: subscripts, generated arrays, ARRAY_AGG and its options, functions of arrays.

-- OFFSET counts from 0, ORDINAL from 1
SELECT [10, 20, 30][OFFSET(0)], [10, 20, 30][ORDINAL(1)], [10, 20, 30][ORDINAL(3)]
--> ["10", "10", "30"]

-- a bare index counts from 0
SELECT [1, 2][0], [[1, 2][1]][0]
--> ["1", "2"]

-- SAFE_OFFSET and SAFE_ORDINAL give NULL outside of the array
SELECT [1, 2][SAFE_OFFSET(1)], [1, 2][SAFE_OFFSET(2)], [1, 2][SAFE_OFFSET(-1)], [1, 2][SAFE_ORDINAL(0)]
--> ["2", null, null, null]

-- GENERATE_ARRAY includes its end, and steps in either direction
SELECT GENERATE_ARRAY(1, 5), GENERATE_ARRAY(0, 10, 4), GENERATE_ARRAY(3, 1, -1), GENERATE_ARRAY(2, 1),
  GENERATE_ARRAY(0, 1, 0.5)
--> [["1", "2", "3", "4", "5"], ["0", "4", "8"], ["3", "2", "1"], [], ["0.0", "0.5", "1.0"]]

-- GENERATE_DATE_ARRAY steps by days or months
SELECT GENERATE_DATE_ARRAY('2026-02-27', '2026-03-01'), GENERATE_DATE_ARRAY('2026-01-15', '2026-04-14', INTERVAL 1 MONTH)
--> [["2026-02-27", "2026-02-28", "2026-03-01"], ["2026-01-15", "2026-02-15", "2026-03-15"]]

-- GENERATE_TIMESTAMP_ARRAY steps by hours
SELECT GENERATE_TIMESTAMP_ARRAY('2026-01-01 00:00:00+00', '2026-01-01 13:00:00+00', INTERVAL 6 HOUR)
--> [["2026-01-01T00:00:00Z", "2026-01-01T06:00:00Z", "2026-01-01T12:00:00Z"]]

-- ARRAY_AGG orders, limits and leaves out NULL
SELECT ARRAY_AGG(x IGNORE NULLS ORDER BY x DESC), ARRAY_AGG(x IGNORE NULLS ORDER BY x LIMIT 2),
  ARRAY_AGG(DISTINCT x IGNORE NULLS ORDER BY x)
  FROM UNNEST([2, 1, NULL, 3, 1]) AS x
--> [["3", "2", "1", "1"], ["1", "1"], ["1", "2", "3"]]

-- ARRAY_AGG of no rows is NULL, which is written as an empty array
SELECT ARRAY_AGG(x), ARRAY_AGG(x) IS NULL FROM UNNEST(CAST([] AS ARRAY<INT64>)) AS x
--> [[], "true"]

-- ARRAY_CONCAT_AGG joins arrays and skips NULL
SELECT ARRAY_CONCAT_AGG(a ORDER BY n)
  FROM (SELECT 1 AS n, [1, 2] AS a UNION ALL SELECT 2, NULL UNION ALL SELECT 3, [3])
--> [["1", "2", "3"]]

-- ARRAY of a subquery keeps its order
SELECT ARRAY(SELECT x * x FROM UNNEST([3, 1, 2]) AS x ORDER BY x DESC), ARRAY(SELECT x FROM UNNEST([1]) AS x WHERE x > 1)
--> [["9", "4", "1"], []]

-- ARRAY_CONCAT, ARRAY_REVERSE and ARRAY_LENGTH
SELECT ARRAY_CONCAT([1], [2, 3], []), ARRAY_REVERSE([1, 2, 3]), ARRAY_LENGTH([NULL, 1]), ARRAY_LENGTH(NULL)
--> [["1", "2", "3"], ["3", "2", "1"], "2", null]

-- ARRAY_TO_STRING leaves NULL out, or writes a text for it
SELECT ARRAY_TO_STRING(['a', NULL, 'b'], '-'), ARRAY_TO_STRING(['a', NULL], '-', '*'), ARRAY_TO_STRING([], '-')
--> ["a-b", "a-*", ""]

-- IN UNNEST finds an element; a NULL element leaves it open
SELECT 2 IN UNNEST([1, 2]), 3 IN UNNEST([1, 2]), 3 IN UNNEST([1, NULL]), 3 IN UNNEST(CAST([] AS ARRAY<INT64>))
--> ["true", "false", null, "false"]

-- WITH OFFSET counts elements from 0
SELECT x, n FROM UNNEST(['a', 'b']) AS x WITH OFFSET AS n ORDER BY n DESC
--> ["b", "1"]
--> ["a", "0"]

-- ARRAY_FIRST, ARRAY_LAST and ARRAY_SLICE
SELECT ARRAY_FIRST([5, 6, 7]), ARRAY_LAST([5, 6, 7]), ARRAY_SLICE([1, 2, 3, 4], 1, 2), ARRAY_SLICE([1, 2, 3, 4], -2, -1)
--> ["5", "7", ["2", "3"], ["3", "4"]]

-- an array of structs is an array of records
SELECT [STRUCT(1 AS id, 'a' AS name), (2, 'b')]
--> [[{ "id": "1", "name": "a" }, { "id": "2", "name": "b" }]]
