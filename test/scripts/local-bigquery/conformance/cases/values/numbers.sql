-- Numbers and conditions: operators, SAFE functions, comparison with NULL, bits, buckets.

-- operators bind as the reference orders them
SELECT 1 + 2 * 3, -2 * -3, 10 - 4 - 3, 1 << 3 | 1, 5 & 3 ^ 1, NOT TRUE OR TRUE, 2 BETWEEN 1 AND 3 AND FALSE
--> ["7", "6", "3", "9", "0", "true", "false"]

-- AND, OR and NOT know three values
SELECT NULL AND FALSE, NULL AND TRUE, NULL OR TRUE, NULL OR FALSE, NOT CAST(NULL AS BOOL), NULL IS NOT TRUE
--> ["false", null, "true", null, null, "true"]

-- IS DISTINCT FROM treats NULL as a value
SELECT NULL IS DISTINCT FROM NULL, 1 IS DISTINCT FROM NULL, 1 IS NOT DISTINCT FROM 1, 1 = CAST(NULL AS INT64)
--> ["false", "true", "true", null]

-- CASE, IF, IFNULL, NULLIF and COALESCE
SELECT CASE WHEN FALSE THEN 'a' WHEN NULL THEN 'b' ELSE 'c' END, CASE 2 WHEN 1 THEN 'x' END, IF(NULL, 1, 2), IFNULL(NULL, 3), NULLIF(4, 4), COALESCE(NULL, NULL, 5)
--> ["c", null, "2", "3", null, "5"]

-- a branch that is not taken raises no error
SELECT IF(TRUE, 1, 1 / 0), CASE WHEN x = 0 THEN 0 ELSE 1 / x END, COALESCE(x, ERROR('never')) FROM UNNEST([0]) AS x
--> ["1.0", "0.0", "0"]

-- NaN is equal to nothing; ordering puts it before all numbers, after NULL
SELECT FORMAT('%t', x), x = x, IS_NAN(x) FROM UNNEST([1.0, CAST('nan' AS FLOAT64), CAST('-inf' AS FLOAT64), NULL]) AS x ORDER BY x
--> ["NULL", null, null]
--> ["nan", "false", "true"]
--> ["-inf", "true", "false"]
--> ["1.0", "true", "false"]

-- NUMERIC keeps decimals exact where FLOAT64 does not
SELECT 0.1 + 0.2 = 0.3, NUMERIC '0.1' + NUMERIC '0.2' = NUMERIC '0.3', NUMERIC '1' / 3, NUMERIC '10' * BIGNUMERIC '0.1'
--> ["false", "true", "0.333333333", "1"]

-- CBRT of a cube is exact
SELECT CBRT(27), CBRT(-8)
--> ["3.0", "-2.0"]

-- distances between vectors
SELECT COSINE_DISTANCE([1.0, 2.0], [2.0, 4.0]) < 1e-9, EUCLIDEAN_DISTANCE([1.0, 2.0], [4.0, 6.0])
--> ["true", "5.0"]
