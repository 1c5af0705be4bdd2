-- Queries by their rewrite, as BigQuery's users write them, and below "--=" the same in plain GoogleSQL.
-- {t} and {u} are tables of a INT64, b STRING and s, a STRUCT of both; differential.json has the values of the other names.

-- # an expression of GROUP BY
SELECT {key} AS k, COUNT(*) AS n, SUM({number}) AS total, TO_JSON_STRING({key}) AS shown,
  RANK() OVER (ORDER BY COUNT(*), TO_JSON_STRING({key})) AS place
FROM {t} AS t WHERE {filter} GROUP BY {key} HAVING ({key}) IS NOT NULL OR COUNT(*) > 1 ORDER BY {key}
--=
SELECT k, n, total, TO_JSON_STRING(k), RANK() OVER (ORDER BY n, TO_JSON_STRING(k)) FROM (
  SELECT k, COUNT(*) AS n, SUM(v) AS total FROM (SELECT {key} AS k, {number} AS v FROM {t} AS t WHERE {filter}) GROUP BY k)
WHERE k IS NOT NULL OR n > 1

-- # IN a subquery
SELECT i, a, b, {x} {not}IN (SELECT {x} FROM {u} AS t WHERE {filter}) FROM (SELECT *, ROW_NUMBER() OVER () AS i FROM {t} AS t) AS t
--=
SELECT i, ANY_VALUE(a HAVING MAX a IS NOT NULL), ANY_VALUE(b HAVING MAX b IS NOT NULL), {not}CASE
    WHEN LOGICAL_OR(x = y) THEN TRUE WHEN COUNTIF(found AND (x = y) IS NULL) > 0 THEN NULL ELSE FALSE END
FROM (SELECT *, {x} AS x, ROW_NUMBER() OVER () AS i FROM {t} AS t)
LEFT JOIN (SELECT {x} AS y, TRUE AS found FROM {u} AS t WHERE {filter}) ON TRUE GROUP BY i

-- # subqueries that are evaluated once
WITH w AS (SELECT * FROM {u} AS t WHERE {filter}) SELECT a, b, (SELECT MAX({number}) FROM w AS t),
  EXISTS (SELECT 1 FROM w WHERE a > 1), ARRAY_LENGTH(ARRAY(SELECT b FROM w)) FROM {t} AS t WHERE a < (SELECT MAX(a) FROM w) OR b = 'y'
--=
SELECT t.a, t.b, m, found, n FROM {t} AS t CROSS JOIN (SELECT MAX({number}) AS m, COUNTIF(a > 1) > 0 AS found, COUNT(*) AS n, MAX(a) AS most
  FROM {u} AS t WHERE {filter}) WHERE t.a < most OR t.b = 'y'

-- # subqueries of one row outside
WITH w AS (SELECT * FROM {u} AS t WHERE {filter}) SELECT i, (SELECT SUM(v.a) FROM w AS v WHERE v.b = o.b AND {x:v} = {x:o}),
  EXISTS (SELECT 1 FROM w v WHERE v.a > 0 AND {x:o} = {x:v} AND o.s.b = v.b AND v.a >= o.a)
FROM (SELECT *, ROW_NUMBER() OVER () AS i FROM {t} AS t) AS o
--=
SELECT i, SUM(IF(x = y AND v.b = o.b, v.a, NULL)), LOGICAL_OR(IFNULL(v.a > 0 AND x = y AND v.b = o.b AND v.a >= o.a, FALSE))
FROM (SELECT *, {x} AS x, ROW_NUMBER() OVER () AS i FROM {t} AS t) AS o
LEFT JOIN (SELECT *, {x} AS y FROM {u} AS t WHERE {filter}) AS v ON TRUE GROUP BY i

-- # GROUP BY ALL
SELECT {key} AS k, COUNT(*) AS n, UPPER(b) AS l, SUM({number}) + 1 AS total FROM {t} AS t WHERE {filter} GROUP BY ALL HAVING n > 0 ORDER BY n
--=
SELECT k, n, l, total FROM (SELECT k, l, COUNT(*) AS n, SUM(v) + 1 AS total FROM (
  SELECT {key} AS k, UPPER(b) AS l, {number} AS v FROM {t} AS t WHERE {filter}) GROUP BY k, l)

-- # ANY_VALUE, MAX_BY and MIN_BY, where rows of equal order have equal values
SELECT b, ANY_VALUE(NULLIF(y, {lost}) * 10 HAVING MAX y), ANY_VALUE(NULLIF(y, {lost}) HAVING MIN y), MAX_BY(y * 2, y), MIN_BY(y * 2, y),
  ANY_VALUE(y) IS NULL, ANY_VALUE(y) BETWEEN MIN(y) AND MAX(y), ANY_VALUE(b), ANY_VALUE(ANY_VALUE(b)) OVER (PARTITION BY b)
FROM (SELECT b, {number} AS y FROM {t} AS t WHERE {filter}) GROUP BY b
--=
SELECT b, MAX(IF(y = {lost}, NULL, y)) * 10, MIN(IF(y = {lost}, NULL, y)), MAX(y) * 2, MIN(y) * 2,
  COUNT(y) = 0, IF(COUNT(y) = 0, NULL, TRUE), b AS c, b AS d
FROM (SELECT b, {number} AS y FROM {t} AS t WHERE {filter}) GROUP BY b

-- # approximate aggregates
SELECT b, TO_JSON_STRING(q), c, (SELECT SUM(count) FROM UNNEST(top)), h FROM (
  SELECT b, APPROX_QUANTILES({distinct}x, {parts}) AS q, APPROX_COUNT_DISTINCT(x) AS c,
    APPROX_TOP_COUNT(x, 100) AS top, HLL_COUNT.EXTRACT(HLL_COUNT.INIT(x)) AS h FROM (SELECT b, {number} AS x FROM {t} AS t) GROUP BY b)
--=
WITH r AS (SELECT b, {number} AS x FROM {t} AS t)
SELECT b, IFNULL(MAX(quantiles), 'null'), COUNT(DISTINCT x), COUNT(*), COUNT(DISTINCT x) FROM r LEFT JOIN (
  SELECT b AS c, TO_JSON_STRING(ARRAY_AGG(x ORDER BY q)) AS quantiles FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY x) AS place, COUNT(*) OVER (PARTITION BY b) AS n
    FROM (SELECT {distinct}b, x FROM r WHERE x IS NOT NULL))
  JOIN UNNEST(GENERATE_ARRAY(0, {parts})) AS q ON place = GREATEST(CAST(CEIL(q * n / {parts}) AS INT64), 1) GROUP BY c)
ON b = c OR b IS NULL AND c IS NULL GROUP BY b

-- # routines with queries and aggregates
CREATE TEMP FUNCTION most(x INT64, y INT64) AS ((SELECT MAX(v) FROM (SELECT x AS v UNION ALL SELECT y)));
CREATE TEMP AGGREGATE FUNCTION span(x INT64) AS (MAX(x) - MIN(x));
SELECT {text} AS k, span(most({number}, a)), span(a) + COUNT(*) FROM {t} AS t WHERE {filter} GROUP BY k
--=
SELECT k, MAX(v) - MIN(v), MAX(a) - MIN(a) + COUNT(*) FROM (SELECT {text} AS k, a, IF(x IS NULL OR a > x, a, x) AS v
  FROM (SELECT *, {number} AS x FROM {t} AS t WHERE {filter}) AS t) GROUP BY k
