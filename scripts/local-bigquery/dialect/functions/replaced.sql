-- Functions that the engine analyses but cannot run, as SQL that it can run; missing.sql describes how they are written.
-- A call of one becomes a call of `local_` and its name.

CREATE TEMP AGGREGATE FUNCTION APPROX_TOP_COUNT(expression ANY TYPE, number INT64 NOT AGGREGATE) AS (
  local_top_counts(ARRAY_AGG(STRUCT(expression AS item)), number)
);

CREATE TEMP AGGREGATE FUNCTION APPROX_TOP_SUM(expression ANY TYPE, weight ANY TYPE, number INT64 NOT AGGREGATE) AS (
  local_top_sums(ARRAY_AGG(STRUCT(expression AS item, weight AS weight)), number)
);

CREATE TEMP FUNCTION GENERATE_UUID() AS (
  REGEXP_REPLACE(
    TO_HEX(MD5(CONCAT(CAST(RAND() AS STRING), '/', CAST(RAND() AS STRING)))),
    r'^(.{8})(.{4}).(.{3}).(.{3})(.{12})$',
    r'\1-\2-4\3-a\4-\5'
  )
);

-- The engine's own CBRT misses whole numbers by the last digit.
CREATE TEMP FUNCTION CBRT(x FLOAT64) AS (
  SIGN(x) * IF(
    POW(ROUND(POW(ABS(x), 1 / 3)), 3) = ABS(x),
    ROUND(POW(ABS(x), 1 / 3)),
    POW(ABS(x), 1 / 3)
  )
);

CREATE TEMP FUNCTION SESSION_USER() AS (
  'local@example.com'
);

CREATE TEMP FUNCTION RANGE_CONTAINS(r ANY TYPE, v ANY TYPE) AS (
  IF(
    r IS NULL OR v IS NULL,
    NULL,
    COALESCE(RANGE_START(r) <= v, TRUE) AND COALESCE(v < RANGE_END(r), TRUE)
  )
);

-- RANGE_CONTAINS has this name in an analysed query, where its second argument is a range.
CREATE TEMP FUNCTION LOCAL_RANGE_CONTAINS_RANGE(r ANY TYPE, v ANY TYPE) AS (
  IF(
    r IS NULL OR v IS NULL,
    NULL,
    (RANGE_START(r) IS NULL OR COALESCE(RANGE_START(r) <= RANGE_START(v), FALSE))
    AND (RANGE_END(r) IS NULL OR COALESCE(RANGE_END(v) <= RANGE_END(r), FALSE))
  )
);

-- A sketch is the list of its distinct values, so that every count is exact.
CREATE TEMP AGGREGATE FUNCTION HLL_COUNT.INIT(input ANY TYPE, precision INT64 NOT AGGREGATE DEFAULT 15) AS (
  local_hll_union(STRING_AGG(
    IF(input IS NULL, NULL, FORMAT('%x', FARM_FINGERPRINT(TO_JSON_STRING(input)))), ','))
);

CREATE TEMP AGGREGATE FUNCTION HLL_COUNT.MERGE(sketch BYTES) AS (
  local_hll_number(STRING_AGG(CAST(sketch AS STRING), ','))
);

CREATE TEMP AGGREGATE FUNCTION HLL_COUNT.MERGE_PARTIAL(sketch BYTES) AS (
  local_hll_union(STRING_AGG(CAST(sketch AS STRING), ','))
);

CREATE TEMP FUNCTION HLL_COUNT.EXTRACT(sketch BYTES) AS (
  local_hll_number(CAST(sketch AS STRING))
);
