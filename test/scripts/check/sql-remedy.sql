-- What the check says to write in place of conditions, expressions and statements that GoogleSQL refuses.

-- # conditions

ts >= day
--> TIMESTAMP(day) for the DATE, or DATE(ts) for the TIMESTAMP

t.day < t.ts
--> TIMESTAMP(t.day) for the DATE, or DATE(t.ts) for the TIMESTAMP

ts >= @day
--> TIMESTAMP(@day) for the DATE, or DATE(ts) for the TIMESTAMP, or give @day the other type in endpoint.json

ts > day - 1
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP

dt = ts
--> TIMESTAMP(dt) for the DATETIME, or DATETIME(ts) for the TIMESTAMP

tm > ts
--> TIME(ts) for the TIMESTAMP

ts BETWEEN day AND ts
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP

ts IN (day)
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP

ts > id
--> TIMESTAMP_SECONDS(id) or TIMESTAMP_MILLIS(id) for the INT64

name = @texts
--> name IN UNNEST(@texts)

@texts = name
--> name IN UNNEST(@texts)

name != @texts AND ok
--> name NOT IN UNNEST(@texts)

name IN (@texts)
--> … IN UNNEST(…)

id IN UNNEST(@texts)
--> CAST(… AS STRING) for the INT64

id = '1'
--> CAST(id AS STRING) for the INT64, or CAST('1' AS INT64) for the STRING

name = 1
--> CAST(1 AS STRING) for the INT64, or CAST(name AS INT64) for the STRING

price > @text
--> CAST(price AS STRING) for the NUMERIC, or CAST(@text AS NUMERIC) for the STRING, or give @text the other type in endpoint.json

ok = 1
--> CAST(ok AS INT64) for the BOOL

doc.a = 'x'
--> JSON_VALUE(doc.a) for the JSON

doc.a > 5
--> INT64(doc.a) for the JSON

name
--> a comparison

id IN (SELECT name FROM t)
--> CAST(… AS STRING) for the INT64, or CAST(… AS INT64) for the STRING

-- # expressions

legs.city
--> FROM …, UNNEST(legs) AS item, and item.city

t.legs.stops
--> FROM …, UNNEST(t.legs) AS item, and item.stops

legs[0].stops.city
--> FROM …, UNNEST(…) AS item, and item.city

tags.x
--> FROM …, UNNEST(tags) AS item, and item

name + name
--> || to join texts, or CAST(… AS NUMERIC) to add

CASE WHEN ok THEN id ELSE name END
--> values of one type: CAST(… AS STRING) for the INT64, or CAST(… AS INT64) for the STRING

CASE WHEN id THEN 1 END
--> a comparison after WHEN

doc.a > day
--> CAST(JSON_VALUE(doc.a) AS DATE) for the JSON

SUM(doc.a)
--> INT64(…) or FLOAT64(…) for the JSON

UPPER(doc.a)
--> JSON_VALUE(…) for the JSON

COUNTIF(id)
--> a comparison

ts - 1
--> TIMESTAMP_ADD(…, INTERVAL … DAY) or TIMESTAMP_SUB

SUM(name)
--> CAST(… AS INT64) for the STRING

UPPER(id)
--> CAST(… AS STRING) for the INT64

DATE_DIFF(ts, day, DAY)
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP

IF(id, 1, 2)
--> a comparison as the first argument

CAST(id AS VARCHAR)
--> STRING

CAST(id AS DOUBLE)
--> FLOAT64

NOW()
--> CURRENT_TIMESTAMP()

-- # unchanged

SELECT LOWER(name, 1) FROM t
--> 7: No matching signature for function LOWER for argument types: STRING, INT64. Supported signatures: LOWER(STRING); LOWER(BYTES)

SELECT name > tags FROM t
--> 7: No matching signature for operator > for argument types: STRING, ARRAY<STRING>. Supported signature: ANY > ANY

-- # statements

CREATE TABLE x AS SELECT 1
--> 0: must be one SELECT, but is CREATE TABLE AS SELECT

CREATE OR REPLACE TEMP  TABLE x AS SELECT 1
--> 0: must be one SELECT, but is CREATE TEMP TABLE AS SELECT

CREATE VIEW v AS SELECT 1
--> 0: must be one SELECT, but is CREATE VIEW

INSERT INTO nope VALUES (1)
--> 0: must be one SELECT, but is INSERT

DELETE FROM nope WHERE TRUE
--> 0: must be one SELECT, but is DELETE

UPDATE nope SET a = 1 WHERE TRUE
--> 0: must be one SELECT, but is UPDATE

MERGE nope USING t ON FALSE WHEN MATCHED THEN DELETE
--> 0: must be one SELECT, but is MERGE

EXPORT DATA OPTIONS (uri = 'gs://x') AS SELECT 1
--> 0: must be one SELECT, but is EXPORT DATA

-- A script.
DECLARE x INT64; SELECT x
--> 13: must be one SELECT, but is DECLARE

BEGIN SELECT 1; END
--> 0: must be one SELECT, but is BEGIN

CALL p()
--> 0: must be one SELECT, but is CALL

EXECUTE IMMEDIATE 'SELECT 1'
--> 0: must be one SELECT, but is EXECUTE IMMEDIATE

ASSERT nope = 1
--> 0: must be one SELECT, but is ASSERT

CREATE TEMP FUNCTION f(x INT64) AS (x); DELETE FROM nope
--> 40: must be one SELECT, but is DELETE

SELECT id FROM t; INSERT INTO nope VALUES (1)
--> 18: has 2 statements, but must be one SELECT; the second begins here

SELCT id FROM t
--> 0: Syntax error: Unexpected identifier "SELCT"

CREATE TEMP FUNCTION f(x INT64) AS (nope); SELECT f(1)
--> 36: Unrecognized name: nope

SELECT tools.total(1) FROM t
--> 7: calls tools.total, a routine stored in a dataset: move its definition to a file in sql/routines, as a temporary function

SELECT NET.HOSTT('x') FROM t
--> 7: Function not found: NET.HOSTT; Did you mean net.host?

--- A column counts characters, of which this has two code units.
SELECT '😀', zz FROM t
--> 13: Unrecognized name: zz
