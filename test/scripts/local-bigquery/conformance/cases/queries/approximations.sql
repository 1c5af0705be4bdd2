-- Approximate aggregates and HLL++ sketches, on inputs so small that the answer is exact.

-- APPROX_QUANTILES gives the minimum, the quantiles and the maximum
SELECT APPROX_QUANTILES(x, 2), APPROX_QUANTILES(x, 100)[OFFSET(90)], APPROX_QUANTILES(x, 1) FROM UNNEST([1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x
--> [["1", "5", "10"], "9", ["1", "10"]]

-- APPROX_QUANTILES leaves NULL out unless it respects NULLS; DISTINCT counts each value once
SELECT FORMAT('%T', APPROX_QUANTILES(x, 2)), FORMAT('%T', APPROX_QUANTILES(x, 2 RESPECT NULLS)), FORMAT('%T', APPROX_QUANTILES(DISTINCT x, 2)),
  FORMAT('%T', APPROX_QUANTILES(DISTINCT x, 2 RESPECT NULLS)) FROM UNNEST([NULL, NULL, 1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x
--> ["[1, 5, 10]", "[NULL, 4, 10]", "[1, 6, 10]", "[NULL, 6, 10]"]

-- quantiles of expressions, text and dates; in HAVING and ORDER BY
SELECT g, APPROX_QUANTILES(IF(x > 1, x, NULL) /* not 1, nor NULL */, 1), APPROX_QUANTILES(CONCAT('n', x, ','), 2)[OFFSET(1)], APPROX_QUANTILES(DATE_ADD(DATE '2026-01-01', INTERVAL x DAY), 1)[OFFSET(0)]
  FROM UNNEST([STRUCT('a' AS g, 3 AS x), ('a', 1), ('a', 2), ('b', 9), ('c', 0)]) GROUP BY g
  HAVING APPROX_QUANTILES(x, 1)[OFFSET(1)] > 0 ORDER BY APPROX_QUANTILES(x, 1)[OFFSET(1)] DESC
--> ["b", ["9", "9"], "n9,", "2026-01-10"]
--> ["a", ["2", "3"], "n2,", "2026-01-02"]

-- an element of the quantiles in arithmetic, and quantiles of a subquery
SELECT IF(COUNT(*) > 1, 1 + APPROX_QUANTILES(x, 100)[SAFE_OFFSET(99)], 0), APPROX_QUANTILES(x, 100)[SAFE_OFFSET(95)],
  APPROX_QUANTILES((SELECT MAX(y) FROM UNNEST([x, 5]) AS y), 1)[SAFE_OFFSET(0)] FROM UNNEST(GENERATE_ARRAY(1, 1000)) AS x
--> ["991", "950", "5"]

-- without values APPROX_QUANTILES is NULL and APPROX_COUNT_DISTINCT 0
SELECT APPROX_QUANTILES(x, 2) IS NULL, APPROX_COUNT_DISTINCT(x) FROM UNNEST([CAST(NULL AS INT64)]) AS x
--> ["true", "0"]

-- APPROX_COUNT_DISTINCT counts values and leaves NULL out
SELECT APPROX_COUNT_DISTINCT(x), APPROX_COUNT_DISTINCT(IF(x > 1, x, NULL)) FROM UNNEST([0, 1, 1, 2, 3, 5]) AS x
--> ["5", "3"]

-- APPROX_TOP_COUNT gives the most frequent values
SELECT APPROX_TOP_COUNT(x, 2) FROM UNNEST(['apple', 'apple', 'pear', 'pear', 'pear', 'banana']) AS x
--> [[{ "value": "pear", "count": "3" }, { "value": "apple", "count": "2" }]]

-- APPROX_TOP_COUNT counts NULL, in each group
SELECT g, APPROX_TOP_COUNT(x, 3) FROM UNNEST([STRUCT(1 AS g, 'a' AS x), (1, NULL), (1, NULL), (2, 'b')]) GROUP BY g ORDER BY g
--> ["1", [{ "value": null, "count": "2" }, { "value": "a", "count": "1" }]]
--> ["2", [{ "value": "b", "count": "1" }]]

-- APPROX_TOP_SUM gives the values of the greatest weight
SELECT APPROX_TOP_SUM(x, weight, 2) FROM UNNEST([STRUCT('apple' AS x, 3 AS weight), ('pear', 2), ('apple', 0), ('banana', 5), ('pear', 4)])
--> [[{ "value": "pear", "sum": "6" }, { "value": "banana", "sum": "5" }]]

-- APPROX_TOP_SUM leaves a weight of NULL out, unless a value has no other
SELECT g, APPROX_TOP_SUM(x, weight, 2)
  FROM UNNEST([STRUCT(1 AS g, 'apple' AS x, 1 AS weight), (1, 'pear', 0), (1, 'pear', NULL), (2, 'fig', 0), (2, NULL, NULL)]) GROUP BY g ORDER BY g
--> ["1", [{ "value": "apple", "sum": "1" }, { "value": "pear", "sum": "0" }]]
--> ["2", [{ "value": "fig", "sum": "0" }, { "value": null, "sum": null }]]

-- an HLL++ sketch is extracted to a count
SELECT HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x)), HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x, 10)) FROM UNNEST([1, 2, 2, 3, NULL]) AS x
--> ["3", "3"]

-- HLL_COUNT.MERGE counts the union of sketches
SELECT HLL_COUNT.MERGE(sketch), HLL_COUNT.EXTRACT(HLL_COUNT.MERGE_PARTIAL(sketch))
  FROM (SELECT g, HLL_COUNT.INIT(x) AS sketch FROM UNNEST([STRUCT('a' AS g, 1 AS x), ('a', 2), ('b', 2), ('b', 3)]) GROUP BY g)
--> ["3", "3"]

-- HLL_COUNT without values
SELECT HLL_COUNT.INIT(x) IS NULL, HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x)) FROM UNNEST([CAST(NULL AS INT64)]) AS x
--> ["true", "0"]

-- Quantiles of quantiles.
SELECT approx_quantiles(p, 1)[SAFE_OFFSET(1)] FROM (
  SELECT APPROX_QUANTILES(x, 2)[SAFE_OFFSET(1)] AS p FROM UNNEST(GENERATE_ARRAY(1, 9)) AS x GROUP BY MOD(x, 3))
--> ["6"]

-- The name of an approximate aggregate in a string and as a column.
SELECT 'APPROX_QUANTILES(x, 2)', approx_quantiles -- APPROX_QUANTILES(x, 2)
FROM (SELECT 'a' AS approx_quantiles)
--> ["APPROX_QUANTILES(x, 2)","a"]
