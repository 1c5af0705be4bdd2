-- Functions of BigQuery that the engine does not know. A query may define its own by the same name.
-- CREATE TEMP [AGGREGATE] FUNCTION name(argument type [NOT AGGREGATE] [DEFAULT value], …) [RETURNS type] AS (
-- ANY TYPE is any type, NOT AGGREGATE has one value for all rows of an aggregate, DEFAULT may be left out of a call.
-- With {type} in its name, a definition defines one function for each of BOOL, FLOAT64, INT64 and STRING.

CREATE TEMP AGGREGATE FUNCTION MAX_BY(x ANY TYPE, y ANY TYPE) AS (
  ANY_VALUE(x HAVING MAX y)
);

CREATE TEMP AGGREGATE FUNCTION MIN_BY(x ANY TYPE, y ANY TYPE) AS (
  ANY_VALUE(x HAVING MIN y)
);

CREATE TEMP FUNCTION CONTAINS_SUBSTR(expression ANY TYPE, search_value_literal STRING) AS (
  IF(
    expression IS NULL,
    NULL,
    STRPOS(
      NORMALIZE_AND_CASEFOLD(FORMAT('%t', expression), NFKC),
      NORMALIZE_AND_CASEFOLD(search_value_literal, NFKC)
    ) > 0
  )
);

CREATE TEMP FUNCTION COSINE_DISTANCE(a ARRAY<FLOAT64>, b ARRAY<FLOAT64>) AS (
  IF(ARRAY_LENGTH(a) != ARRAY_LENGTH(b), ERROR('Array arguments must have the same length'), (
    SELECT IF(
      SUM(x * x) * SUM(y * y) = 0,
      ERROR('Cannot compute cosine distance against zero vector.'),
      1 - SUM(x * y) / SQRT(SUM(x * x) * SUM(y * y))
    )
    FROM UNNEST(a) AS x WITH OFFSET AS place JOIN UNNEST(b) AS y WITH OFFSET AS other ON place = other
  ))
);

CREATE TEMP FUNCTION EUCLIDEAN_DISTANCE(a ARRAY<FLOAT64>, b ARRAY<FLOAT64>) AS (
  IF(ARRAY_LENGTH(a) != ARRAY_LENGTH(b), ERROR('Array arguments must have the same length'), (
    SELECT SQRT(SUM((x - y) * (x - y)))
    FROM UNNEST(a) AS x WITH OFFSET AS place JOIN UNNEST(b) AS y WITH OFFSET AS other ON place = other
  ))
);

CREATE TEMP FUNCTION {type}_ARRAY(items JSON) AS (
  IF(items IS NULL, CAST(NULL AS ARRAY<{type}>), ARRAY(
    SELECT {type}(item) FROM UNNEST(local_json_items(items)) AS item WITH OFFSET AS place ORDER BY place
  ))
);

CREATE TEMP FUNCTION LAX_{type}_ARRAY(items JSON) AS (
  IF(items IS NULL OR JSON_TYPE(items) != 'array', CAST(NULL AS ARRAY<{type}>), ARRAY(
    SELECT LAX_{type}(item) FROM UNNEST(local_json_items(items)) AS item WITH OFFSET AS place ORDER BY place
  ))
);

CREATE TEMP FUNCTION JSON_KEYS(json_expr JSON, max_depth INT64 DEFAULT 1000, mode STRING DEFAULT 'strict') RETURNS ARRAY<STRING> AS (
  local_json_paths(
    local_json_keys(REGEXP_EXTRACT_ALL(TO_JSON_STRING(json_expr), r'"(?:[^"\\]|\\.)*":?|[{}\[\]]')),
    IF(json_expr IS NULL, NULL, max_depth),
    mode
  )
);
