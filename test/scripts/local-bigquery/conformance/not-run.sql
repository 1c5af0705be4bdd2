-- What docs/reference/local-sql.md lists as not run locally: below the beginning of each item, queries and their reasons.

-- # routines in JavaScript or Python

CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE js AS 'return 1'; SELECT f()
--! function f is written in JavaScript

CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 LANGUAGE python OPTIONS (entry_point = 'f') AS r'def f(x): return x'; SELECT f(1)
--! function f is written in Python

CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 REMOTE WITH CONNECTION us.c OPTIONS (endpoint = 'https://example.com'); SELECT f(1)
--! the connection us.c exists only in BigQuery at [1:70]

CREATE TEMP TABLE FUNCTION f(x INT64) AS (SELECT x AS y); SELECT * FROM f(1)
--! it defines a table function

SELECT * FROM ML.PREDICT(MODEL m, (SELECT 1 AS x))
--! the table-valued function ML.PREDICT exists only in BigQuery at [1:15]

SELECT * FROM EXTERNAL_QUERY('eu.c', 'SELECT 1')
--! the table-valued function EXTERNAL_QUERY exists only in BigQuery at [1:15]

SELECT table_name FROM logs.INFORMATION_SCHEMA.TABLES
--! the table logs.INFORMATION_SCHEMA.TABLES exists only in BigQuery at [1:24]

SELECT ST_GEOGPOINT(1, 2)
--! the function ST_GEOGPOINT is not supported locally

SELECT AEAD.ENCRYPT(KEYS.NEW_KEYSET('AEAD_AES_GCM_256'), 'a', 'b')
--! the function KEYS.NEW_KEYSET is not supported locally

CREATE TEMP TABLE t AS SELECT 1 AS x; SELECT x FROM t
--! it creates a temporary table, but only a single SELECT runs here (use WITH) at [1:53]

SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1, delta = 1, privacy_unit_column = item) COUNT(*) FROM produce
--! WITH DIFFERENTIAL_PRIVACY is not supported locally at [1:13]

-- # a routine whose `WITH` uses

CREATE TEMP FUNCTION f(x INT64) AS ((WITH t AS (SELECT x AS a) SELECT a FROM t)); SELECT f(1)
--! a routine whose WITH uses the arguments of the routine is not supported locally (write subqueries)

CREATE TEMP FUNCTION f(x INT64) AS ((WITH RECURSIVE r AS (SELECT x AS n UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT SUM(n) FROM r)); SELECT f(1)
--! a routine whose WITH uses the arguments of the routine is not supported locally (write subqueries)

-- # `ROLLUP`, `CUBE` and `GROUPING SETS`

SELECT category, COUNT(*) FROM produce GROUP BY ROLLUP (category)
--! ROLLUP, CUBE and GROUPING SETS are not supported locally at [1:49]

SELECT 'CUBE (x)', GROUPING(item) FROM produce GROUP BY GROUPING SETS (cube(item), ())
--! ROLLUP, CUBE and GROUPING SETS are not supported locally at [1:57]

CREATE TEMP FUNCTION f(x ANY TYPE) AS ((SELECT COUNT(*) FROM (SELECT n FROM UNNEST([x]) AS n GROUP BY CUBE (n))));
SELECT f(1)
--! ROLLUP, CUBE and GROUPING SETS are not supported locally at [1:103]

SELECT UPPER(item), COUNT(*) FROM produce GROUP BY ROLLUP (UPPER(item)) ORDER BY UPPER(item)
--! an expression of ROLLUP, CUBE or GROUPING SETS elsewhere in the query is not supported locally at [1:88]

-- # `GAP_FILL`, `RANGE_SESSIONIZE`

SELECT * FROM GAP_FILL(TABLE logs.produce)
--! the table-valued function GAP_FILL exists only in BigQuery at [1:15]

SELECT * FROM RANGE_SESSIONIZE(TABLE logs.produce)
--! the table-valued function RANGE_SESSIONIZE exists only in BigQuery at [1:15]

SELECT * FROM VECTOR_SEARCH(TABLE logs.produce)
--! the table-valued function VECTOR_SEARCH exists only in BigQuery at [1:15]

SELECT * FROM APPENDS(TABLE logs.produce)
--! the table-valued function APPENDS exists only in BigQuery at [1:15]

SELECT * FROM CHANGES(TABLE logs.produce)
--! the table-valued function CHANGES exists only in BigQuery at [1:15]

SELECT SEARCH('a', 'b')
--! the function SEARCH exists only in BigQuery at [1:8]

-- # `EDIT_DISTANCE`, `TO_BASE32`

SELECT EDIT_DISTANCE('a', 'b')
--! the function EDIT_DISTANCE exists only in BigQuery at [1:8]

SELECT TO_BASE32(b'a')
--! the function TO_BASE32 is not supported locally

SELECT FROM_BASE32('MFRGG===')
--! the function FROM_BASE32 is not supported locally

SELECT KLL_QUANTILES.INIT_INT64(x) FROM UNNEST([1]) AS x
--! the function KLL_QUANTILES.INIT_INT64 exists only in BigQuery at [1:8]

SELECT JSON_FLATTEN(JSON '[]')
--! the function JSON_FLATTEN exists only in BigQuery at [1:8]

SELECT DOUBLE(JSON '1')
--! the function DOUBLE exists only in BigQuery at [1:8]

SELECT BAG_OF_WORDS(['a'])
--! the function BAG_OF_WORDS exists only in BigQuery at [1:8]

SELECT TF_IDF(['a']) OVER ()
--! the function TF_IDF exists only in BigQuery at [1:8]

SELECT TEXT_ANALYZE('a')
--! the function TEXT_ANALYZE exists only in BigQuery at [1:8]

SELECT JSON_SET(JSON '{}', '$.a', 1, create_if_missing => false)
--! create_if_missing of JSON_SET is not supported locally at [1:8]

-- # `TO_JSON_STRING`, `FORMAT`

SELECT TO_JSON_STRING(RANGE<DATE> '[2022-01-01, 2022-02-01)')
--! the local engine lacks a feature: Unsupported argument type RANGE<DATE> for TO_JSON_STRING

SELECT CAST(RANGE<DATE> '[2022-01-01, 2022-02-01)' AS STRING)
--! the local engine lacks a feature: Unimplemented cast from RANGE<DATE> to STRING

CREATE TEMP FUNCTION f(x ANY TYPE) AS (FORMAT('%T', x)); SELECT f(RANGE(DATE "2026-01-01", NULL))
--! the local engine lacks a feature: Invalid type for MakeValueLiteralSetter: RANGE<DATE>

CREATE TEMP FUNCTION f(x ANY TYPE) AS (FORMAT('%T', x)); SELECT f(RANGE(NULL, DATETIME "2026-01-01"))
--! the local engine lacks a feature: Invalid type for MakeValueLiteralSetter: RANGE<DATETIME>

SELECT FORMAT('%t', RANGE(DATE '2026-01-01', NULL))
--! the local engine lacks a feature: Invalid type for MakeValueAsStringSetter: RANGE<DATE>

CREATE TEMP FUNCTION f(x ANY TYPE) AS (TO_JSON_STRING(x)); SELECT f(RANGE(DATE '2026-01-01', NULL))
--! the local engine lacks a feature: Unsupported argument type RANGE<DATE> for TO_JSON_STRING

SELECT ARRAY_LENGTH(GENERATE_ARRAY(1, 16001))
--! the local engine lacks a feature: Cannot generate arrays with more than 16000 elements

-- # one value of an aggregate

SELECT ARRAY_AGG(STRUCT(long)) FROM (SELECT n, REPEAT('x', 999) AS long FROM UNNEST(GENERATE_ARRAY(1, 2000)) AS n)
--! ARRAY_AGG at [1:8] has a value of more than 1 MiB: filter or group the rows first

SELECT STRING_AGG(long) FROM (SELECT n, REPEAT('x', 999) AS long FROM UNNEST(GENERATE_ARRAY(1, 2000)) AS n)
--! STRING_AGG at [1:8] has a value of more than 1 MiB: filter or group the rows first

SELECT APPROX_QUANTILES(CONCAT(n, long), 4) FROM (SELECT n, REPEAT('x', 999) AS long FROM UNNEST(GENERATE_ARRAY(1, 2000)) AS n)
--! APPROX_QUANTILES at [1:8] has a value of more than 1 MiB: filter or group the rows first

SELECT COUNT(*) FROM (SELECT n, long FROM (SELECT n, REPEAT('x', 99999) AS long FROM UNNEST(GENERATE_ARRAY(1, 1500)) AS n)
ORDER BY n, long)
--! ORDER at [2:1] holds rows of more than 128 MiB: filter or aggregate them first

SELECT COUNT(*) FROM (SELECT n, long FROM (SELECT n, REPEAT('x', 99999) AS long FROM UNNEST(GENERATE_ARRAY(1, 1500)) AS n)
GROUP BY n, long)
--! GROUP at [2:1] holds rows of more than 128 MiB: filter or aggregate them first

-- # routines and metadata

SELECT
  bqutil.fn.int(1)
--! the routine bqutil.fn.int is not defined here at [2:3]

SELECT
  fn.int(1)
--! the routine fn.int is not defined here at [2:3]

SELECT
  `test-project`.fn.int(1)
--! the routine test-project.fn.int is not defined here at [2:3]

SELECT
  logs.int(1)
--! the routine logs.int is not defined here at [2:3]

SELECT
  region.a.b.c(1)
--! the routine region.a.b.c is not defined here at [2:3]

SELECT * FROM bqutil.fn.rows(1)
--! the table function bqutil.fn.rows is not defined here at [1:15]

SELECT * FROM `logs.__TABLES__`
--! the table logs.__TABLES__ exists only in BigQuery at [1:15]

SELECT * FROM `other.__TABLES__`
--! the table other.__TABLES__ exists only in BigQuery at [1:15]

SELECT * FROM `logs.__TABLES_SUMMARY__`
--! the table logs.__TABLES_SUMMARY__ exists only in BigQuery at [1:15]

-- # a wildcard over tables

SELECT COUNT(*) FROM `logs.produce*`
--! the wildcard produce* at [1:22] matches tables that are not shards in table.json (write UNION ALL)

SELECT COUNT(*) FROM `logs.prod*`
--! the wildcard prod* at [1:22] matches tables that are not shards in table.json (write UNION ALL)

SELECT COUNT(*) FROM `logs.o*`
--! the wildcard o* at [1:22] matches tables that are not shards in table.json (write UNION ALL)

SELECT COUNT(*) FROM `logs.*`
--! the wildcard * at [1:22] matches tables that are not shards in table.json (write UNION ALL)

SELECT _TABLE_SUFFIX FROM `orde*`
--! the wildcard orde* at [1:27] matches tables that are not shards in table.json (write UNION ALL)

-- # `FOR SYSTEM_TIME AS OF`

SELECT COUNT(*)
FROM produce AS a FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP() WHERE sales > 5
--! the rows of an earlier time are not stored at [2:6]

SELECT COUNT(*)
FROM produce AS a FOR SYSTEM_TIME AS OF (TIMESTAMP '2026-01-01') WHERE sales > 5
--! the rows of an earlier time are not stored at [2:6]

-- # `INTERVAL` and `RANGE` values

SELECT INTERVAL 1 DAY
--! INTERVAL results are not supported locally

SELECT [RANGE(DATE '2026-01-01', NULL)]
--! RANGE results are not supported locally

-- # the values of system variables

SELECT @@project_id
--! the local engine cannot evaluate it: Unrecognized name: @@project_id

SELECT @@DATASET_ID
--! the local engine cannot evaluate it: Unrecognized name: @@DATASET_ID

-- # the pipe operators `CALL`

SELECT 1 AS x
|> CALL f
--! the pipe operator CALL is not supported locally at [2:4]

SELECT 1 AS x
|> ASSERT f
--! the pipe operator ASSERT is not supported locally at [2:4]

SELECT 1 AS x
|> RENAME f
--! the pipe operator RENAME is not supported locally at [2:4]

SELECT 1 AS x
|> TABLESAMPLE f
--! the pipe operator TABLESAMPLE is not supported locally at [2:4]

SELECT 1 AS x
|> WITH f
--! the pipe operator WITH is not supported locally at [2:4]

SELECT 1 AS x
|> MATCH_RECOGNIZE f
--! the pipe operator MATCH_RECOGNIZE is not supported locally at [2:4]

-- # `BY NAME`

SELECT 1 AS a FULL UNION ALL BY NAME SELECT 2 AS b
--! BY NAME is not supported locally (list the columns in the same order) at [1:30]

FROM produce |> SELECT item |> UNION ALL BY NAME (SELECT item FROM produce)
--! BY NAME is not supported locally (list the columns in the same order) at [1:42]

-- # function calls after a dot

SELECT (item).UPPER() FROM produce
--! a function call after a dot is not supported locally (write UPPER(name), not (name).UPPER()) at [1:20]

-- # a column that is qualified

FROM produce AS p |> JOIN (SELECT 'figs' AS name) AS c ON c.name = p.item |> EXTEND 1 AS x |> WHERE p.sales > 1
--! the name p of a table, after an operator that becomes a subquery here, is not supported locally (use the column name alone, or SELECT it before) at [1:101]

-- # the format elements

SELECT CAST(4 AS STRING FORMAT 'RN')
--! the local engine lacks a feature: Roman numeral is not supported yet

SELECT CAST(x AS STRING FORMAT 'TM9') FROM UNNEST([4]) AS x
--! the local engine lacks a feature: Text minimal output is not supported yet

SELECT CAST(b'ab' AS STRING FORMAT 'BASE32')
--! the format BASE32 is not supported locally

SELECT CAST('MFRA====' AS BYTES FORMAT 'BASE32')
--! the format BASE32 is not supported locally

SELECT FORMAT_DATE('%J', DATE '2026-01-01')
--! the local engine lacks a feature: Format element %J not supported yet

SELECT PARSE_DATE('%G-%V', '2026-10')
--! the local engine lacks a feature: ISO parse elements are not supported yet

SELECT JSON_QUERY(JSON '{"a":1}', 'lax $.a')
--! a JSONPath with lax or strict is not supported locally

SELECT JSON_QUERY('{"a":1}', '$.a[*]')
--! the local engine lacks a feature: Unsupported operator in JSONPath: *

-- # `MATCH_RECOGNIZE` and queries

SELECT * FROM produce MATCH_RECOGNIZE (ORDER BY sales MEASURES 1 AS a PATTERN (x) DEFINE x AS TRUE)
--! MATCH_RECOGNIZE is not supported locally at [1:39]

SELECT * FROM GRAPH_TABLE(g MATCH (a) RETURN a.x)
--! queries of graphs are not supported locally at [1:29]

GRAPH g MATCH (a) RETURN a.x
--! queries of graphs are not supported locally at [1:1]
