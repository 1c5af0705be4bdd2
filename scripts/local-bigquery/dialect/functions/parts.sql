-- Functions that missing.sql, replaced.sql and rewritten queries call; missing.sql describes how they are written.

-- The `number + 1` nearest-rank quantiles of sorted items. Element 0 is the minimum, element `number` the maximum.
CREATE TEMP FUNCTION local_quantiles_of_sorted_array(items ANY TYPE, number ANY TYPE) AS (
  IF(ARRAY_LENGTH(items) > 0, ARRAY(
    SELECT items[OFFSET(GREATEST(DIV(quantile * ARRAY_LENGTH(items) + number - 1, number) - 1, 0))]
    FROM UNNEST(GENERATE_ARRAY(0, number)) AS quantile
    ORDER BY quantile
  ), NULL)
);

CREATE TEMP FUNCTION local_hll_number(sketches STRING) AS (
  IF(sketches IS NULL, 0, (SELECT COUNT(DISTINCT digest) FROM UNNEST(SPLIT(sketches, ',')) AS digest))
);

CREATE TEMP FUNCTION local_hll_union(sketches STRING) AS (
  IF(sketches IS NULL, NULL, (
    SELECT CAST(STRING_AGG(digest, ',' ORDER BY digest) AS BYTES)
    FROM (SELECT DISTINCT digest FROM UNNEST(SPLIT(sketches, ',')) AS digest)
  ))
);

-- The items with the largest numbers, first ones first.
CREATE TEMP FUNCTION local_top_counts(items ANY TYPE, number INT64) AS (
  ARRAY(
    SELECT AS STRUCT value, count
    FROM (
      SELECT element.item AS value, COUNT(*) AS count,
        ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, MIN(place)) AS rank
      FROM UNNEST(items) AS element WITH OFFSET AS place
      GROUP BY value
    )
    WHERE rank <= number
    ORDER BY rank
  )
);

CREATE TEMP FUNCTION local_top_sums(items ANY TYPE, number INT64) AS (
  ARRAY(
    SELECT AS STRUCT value, sum
    FROM (
      SELECT element.item AS value, SUM(element.weight) AS sum,
        ROW_NUMBER() OVER (ORDER BY SUM(element.weight) DESC, MIN(place)) AS rank
      FROM UNNEST(items) AS element WITH OFFSET AS place
      GROUP BY value
    )
    WHERE rank <= number
    ORDER BY rank
  )
);

CREATE TEMP FUNCTION local_json_items(items JSON) AS (
  JSON_QUERY_ARRAY(IF(
    JSON_TYPE(items) = 'array',
    items,
    PARSE_JSON(CAST(ERROR('The provided JSON input is not an array') AS STRING))
  ))
);

-- Each key with the number of objects and of arrays around it.
CREATE TEMP FUNCTION local_json_keys(parts ARRAY<STRING>) AS (
  ARRAY(
    SELECT AS STRUCT place, level, lists, REGEXP_REPLACE(part, r'^"(\w+)":$|^(".*"):$', r'\1\2') AS name
    FROM (
      SELECT place, part,
        COUNTIF(part = '{') OVER before_it - COUNTIF(part = '}') OVER before_it AS level,
        COUNTIF(part = '[') OVER before_it - COUNTIF(part = ']') OVER before_it AS lists
      FROM UNNEST(parts) AS part WITH OFFSET AS place
      WINDOW before_it AS (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE ENDS_WITH(part, '":')
  )
);

CREATE TEMP FUNCTION local_json_paths(keys ANY TYPE, depth INT64, mode STRING) AS (
  IF(depth IS NULL, NULL, ARRAY(
    SELECT DISTINCT (
      SELECT STRING_AGG(name, '.' ORDER BY level)
      FROM (
        SELECT outer_key.level, ARRAY_AGG(outer_key.name ORDER BY outer_key.place DESC LIMIT 1)[OFFSET(0)] AS name
        FROM UNNEST(keys) AS outer_key
        WHERE outer_key.place <= inner_key.place AND outer_key.level <= inner_key.level
        GROUP BY outer_key.level
      )
    ) AS path
    FROM UNNEST(keys) AS inner_key
    WHERE inner_key.level <= depth
      AND CASE mode WHEN 'strict' THEN inner_key.lists = 0 WHEN 'lax' THEN inner_key.lists <= inner_key.level ELSE TRUE END
    ORDER BY path
  ))
);
