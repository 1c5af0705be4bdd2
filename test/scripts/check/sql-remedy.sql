-- What the check says to write in place of conditions, expressions and queries that GoogleSQL refuses. Below each remedy, in its
-- own line, is the mended text, which has no fault.

-- # conditions

ts >= day
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP
--> ts >= TIMESTAMP(day)
--> DATE(ts) >= day

ts >= @day
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP, or change the type of the parameter in endpoint.json
--> ts >= TIMESTAMP(@day)

ts > day - 1
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP
--> ts > TIMESTAMP(day - 1)

dt = ts
--> TIMESTAMP(…) for the DATETIME, or DATETIME(…) for the TIMESTAMP
--> TIMESTAMP(dt) = ts
--> dt = DATETIME(ts)

tm > ts
--> TIME(…) for the TIMESTAMP
--> tm > TIME(ts)

ts BETWEEN day AND ts
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP
--> ts BETWEEN TIMESTAMP(day) AND ts

ts IN (day)
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP
--> ts IN (TIMESTAMP(day))

ts > id
--> TIMESTAMP_SECONDS(…) or TIMESTAMP_MILLIS(…) for the INT64
--> ts > TIMESTAMP_SECONDS(id)
--> ts > TIMESTAMP_MILLIS(id)

name = @texts
--> … IN UNNEST(…)
--> name IN UNNEST(@texts)

name IN (@texts)
--> … IN UNNEST(…)
--> name IN UNNEST(@texts)

name IN @texts
--> IN UNNEST(@texts)
--> name IN UNNEST(@texts)

name = ANY(tags)
--> … IN UNNEST(…)
--> name IN UNNEST(tags)

id IN UNNEST(@texts)
--> CAST(… AS STRING) for the INT64
--> CAST(id AS STRING) IN UNNEST(@texts)

--- As texts, '4' would be more than '30'.
id > '30'
--> CAST(… AS INT64) for the STRING
--> id > 30

id BETWEEN '1' AND '20'
--> CAST(… AS INT64) for the STRING
--> id BETWEEN CAST('1' AS INT64) AND CAST('20' AS INT64)

price > @text
--> CAST(… AS NUMERIC) for the STRING, or change the type of the parameter in endpoint.json
--> price > CAST(@text AS NUMERIC)

ok = 1
--> CAST(… AS INT64) for the BOOL
--> CAST(ok AS INT64) = 1

doc.a = 'x'
--> JSON_VALUE(…) for the JSON
--> JSON_VALUE(doc.a) = 'x'

doc.a > 5
--> INT64(…) for the JSON
--> INT64(doc.a) > 5

name
--> a comparison
--> name = 'a'

id IN (SELECT name FROM t)
--> CAST(… AS INT64) for the STRING
--> id IN (SELECT CAST(name AS INT64) FROM t)

name = NULL
--> IS NULL
--> name IS NULL

id >= '@number'
--> @number, without quotes
--> id >= @number

"{{ number }}" < id AND name = 'a'
--> @number, without quotes
--> @number < id AND name = 'a'

id BETWEEN '@number' AND 7
--> @number, without quotes
--> id BETWEEN @number AND 7

id IN (3, '@number')
--> @number, without quotes
--> id IN (3, @number)

id - '@number' > 3
--> @number, without quotes
--> id - @number > 3

day = '@day'
--> @day, without quotes
--> day = @day

id > name AND name = '@text'
--> CAST(… AS INT64) for the STRING
--> id > CAST(name AS INT64) AND name = '@text'

name ILIKE @text
--> LOWER(…) LIKE LOWER(@text)
--> LOWER(name) LIKE LOWER(@text)

name NOT ILIKE @text
--> NOT LOWER(…) LIKE LOWER(@text)
--> NOT LOWER(name) LIKE LOWER(@text)

name ILIKE 'A%'
--> LOWER(…) LIKE '…' in small letters
--> LOWER(name) LIKE 'a%'

name NOT ILIKE 'A%'
--> NOT LOWER(…) LIKE '…' in small letters
--> NOT LOWER(name) LIKE 'a%'

name ~ 'a'
--> REGEXP_CONTAINS(…, r'…')
--> REGEXP_CONTAINS(name, r'a')

name RLIKE 'a'
--> REGEXP_CONTAINS(…, r'…')
--> REGEXP_CONTAINS(name, r'a')

name == 'a'
--> =
--> name = 'a'

ok && id = 1
--> AND
--> ok AND id = 1

ts > CURRENT_TIMESTAMP() - INTERVAL '30 days'
--> INTERVAL 30 DAY
--> ts > CURRENT_TIMESTAMP() - INTERVAL 30 DAY

day > :from_day
--> @from_day
--> day > @from_day

day > $1
--> a parameter with a name, such as @name
--> day > @name

day > ?
--> a parameter with a name, such as @name
--> day > @name

name = {{ station }}
--> a parameter: @station (SQL has no templates here)
--> name = @station

day > ${from_day}
--> a parameter: @from_day (SQL has no templates here)
--> day > @from_day

day > %(from_day)s
--> a parameter: @from_day (SQL has no templates here)
--> day > @from_day

-- # expressions

legs.city
--> FROM …, UNNEST(…) AS item, and item.city

tags.x
--> FROM …, UNNEST(…) AS item, and item

ts::date
--> CAST(… AS DATE)
--> CAST(ts AS DATE)

IFNULL(t.name, '1')::numeric AS amount
--> CAST(… AS NUMERIC)
--> CAST(IFNULL(t.name, '1') AS NUMERIC) AS amount

'2026-01-01'::timestamptz
--> CAST(… AS TIMESTAMP)
--> CAST('2026-01-01' AS TIMESTAMP)

name + name
--> || to join texts, or CAST(… AS NUMERIC) to add
--> name || name
--> CAST(name AS NUMERIC) + CAST(name AS NUMERIC)

CASE WHEN ok THEN id ELSE name END
--> values of one type: CAST(… AS STRING) for the INT64
--> CASE WHEN ok THEN CAST(id AS STRING) ELSE name END

IFNULL(id, 'none')
--> values of one type: CAST(… AS STRING) for the INT64
--> IFNULL(CAST(id AS STRING), 'none')

IF(ok, day, name)
--> values of one type: CAST(… AS STRING) for the DATE
--> IF(ok, CAST(day AS STRING), name)

GREATEST(id, name)
--> CAST(… AS INT64) for the STRING
--> GREATEST(id, CAST(name AS INT64))

CASE WHEN id THEN 1 END
--> a comparison after WHEN
--> CASE WHEN id > 0 THEN 1 END

doc.a > day
--> CAST(JSON_VALUE(…) AS DATE) for the JSON
--> CAST(JSON_VALUE(doc.a) AS DATE) > day

SUM(doc.a)
--> INT64(…) or FLOAT64(…) for the JSON
--> SUM(INT64(doc.a))
--> SUM(FLOAT64(doc.a))

UPPER(doc.a)
--> JSON_VALUE(…) for the JSON
--> UPPER(JSON_VALUE(doc.a))

COUNTIF(id)
--> a comparison
--> COUNTIF(id > 1)

ts - 1
--> TIMESTAMP_ADD(…, INTERVAL … DAY) or TIMESTAMP_SUB
--> TIMESTAMP_SUB(ts, INTERVAL 1 DAY)

SUM(name)
--> CAST(… AS INT64) for the STRING
--> SUM(CAST(name AS INT64))

UPPER(id)
--> CAST(… AS STRING) for the INT64
--> UPPER(CAST(id AS STRING))

DATE_DIFF(ts, day, DAY)
--> TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP
--> DATE_DIFF(DATE(ts), day, DAY)

IF(id, 1, 2)
--> a comparison as the first argument
--> IF(id > 0, 1, 2)

CAST(id AS VARCHAR)
--> STRING
--> CAST(id AS STRING)

CAST(id AS DOUBLE)
--> FLOAT64
--> CAST(id AS FLOAT64)

NOW()
--> CURRENT_TIMESTAMP()
--> CURRENT_TIMESTAMP()

GETDATE()
--> CURRENT_TIMESTAMP()
--> CURRENT_TIMESTAMP()

CURDATE()
--> CURRENT_DATE()
--> CURRENT_DATE()

NVL(name, 'a')
--> IFNULL(…, …)
--> IFNULL(name, 'a')

ISNULL(name, 'a')
--> IFNULL(…, …)
--> IFNULL(name, 'a')

ISNULL(name)
--> … IS NULL
--> name IS NULL

NVL2(name, 1, 2)
--> IF(… IS NOT NULL, …, …)
--> IF(name IS NOT NULL, 1, 2)

IFF(ok, 1, 2)
--> IF(…, …, …)
--> IF(ok, 1, 2)

DECODE(id, 1, 'a', 'b')
--> CASE … WHEN … THEN … ELSE … END
--> CASE id WHEN 1 THEN 'a' ELSE 'b' END

LEN(name)
--> LENGTH(…)
--> LENGTH(name)

DATEADD(day, 1, t.day)
--> DATE_ADD(…, INTERVAL … DAY)
--> DATE_ADD(t.day, INTERVAL 1 DAY)

DATE_ADD(day, 7)
--> INTERVAL 7 DAY
--> DATE_ADD(day, INTERVAL 7 DAY)

DATEDIFF(day, ts, ts)
--> DATE_DIFF(later, earlier, DAY)
--> DATE_DIFF(ts, ts, DAY)

DATE_TRUNC('month', day)
--> DATE_TRUNC(day, MONTH)
--> DATE_TRUNC(day, MONTH)

DATE_TRUNC('hour', t.ts)
--> DATE_TRUNC(t.ts, HOUR)
--> DATE_TRUNC(t.ts, HOUR)

DATE_PART('hour', ts)
--> EXTRACT(HOUR FROM …), with the part that you need
--> EXTRACT(HOUR FROM ts)

EXTRACT(epoch FROM ts)
--> UNIX_SECONDS(…) of a TIMESTAMP
--> UNIX_SECONDS(ts)

MONTH(day)
--> EXTRACT(MONTH FROM …)
--> EXTRACT(MONTH FROM day)

TO_CHAR(ts, 'YYYY-MM-DD')
--> CAST(… AS STRING FORMAT 'YYYY-MM-DD')
--> CAST(ts AS STRING FORMAT 'YYYY-MM-DD')
--> CAST(day AS STRING FORMAT 'YYYY-MM-DD')

DATE_FORMAT(ts, '%Y-%m-%d')
--> FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S', …)
--> FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S', ts)
--> FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S', day)

TO_DATE(name, 'YYYY-MM-DD')
--> PARSE_DATE('%Y-%m-%d', …)
--> PARSE_DATE('%Y-%m-%d', name)

TO_TIMESTAMP(name)
--> PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', …) for a text, or TIMESTAMP_SECONDS(…) for a number
--> PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', name)
--> TIMESTAMP_SECONDS(id)

UNIX_TIMESTAMP(ts)
--> UNIX_SECONDS(…)
--> UNIX_SECONDS(ts)

FROM_UNIXTIME(id)
--> TIMESTAMP_SECONDS(…)
--> TIMESTAMP_SECONDS(id)

GROUP_CONCAT(name)
--> STRING_AGG(…, ',')
--> STRING_AGG(name, ',')

LISTAGG(name, ',')
--> STRING_AGG(…, ',')
--> STRING_AGG(name, ',')

COUNT_IF(ok)
--> COUNTIF(…)
--> COUNTIF(ok)

COUNT(*) FILTER (WHERE ok)
--> COUNTIF(…), or an aggregate of IF(…, …, NULL)
--> COUNTIF(ok)
--> SUM(IF(ok, f, NULL))

BOOL_OR(ok)
--> LOGICAL_OR(…)
--> LOGICAL_OR(ok)

MEDIAN(f)
--> APPROX_QUANTILES(…, 2)[OFFSET(1)]
--> APPROX_QUANTILES(f, 2)[OFFSET(1)]

PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY f)
--> APPROX_QUANTILES(…, 100)[OFFSET(50)] for the median, or STRING_AGG(… ORDER BY …)
--> APPROX_QUANTILES(f, 100)[OFFSET(50)]

SPLIT_PART(name, '.', 1)
--> SPLIT(…, '…')[SAFE_ORDINAL(1)]
--> SPLIT(name, '.')[SAFE_ORDINAL(1)]

STRING_TO_ARRAY(name, ',')
--> SPLIT(…, '…')
--> SPLIT(name, ',')

ARRAY_CONTAINS(tags, 'a')
--> … IN UNNEST(…)
--> 'a' IN UNNEST(tags)

CARDINALITY(tags)
--> ARRAY_LENGTH(…)
--> ARRAY_LENGTH(tags)

CHARINDEX('a', name)
--> STRPOS(text, part)
--> STRPOS(name, 'a')

POSITION('a' IN name)
--> STRPOS(text, part)
--> STRPOS(name, 'a')

REGEXP_LIKE(name, 'a')
--> REGEXP_CONTAINS(…, r'…')
--> REGEXP_CONTAINS(name, r'a')

JSON_EXTRACT_PATH_TEXT(doc, 'a')
--> JSON_VALUE(…, '$.…')
--> JSON_VALUE(doc, '$.a')

doc->>'a'
--> JSON_VALUE(…, '$.…')
--> JSON_VALUE(doc, '$.a')

TRY_CAST(name AS INT64)
--> SAFE_CAST(… AS …)
--> SAFE_CAST(name AS INT64)

CONVERT(INT64, name)
--> CAST(… AS …)
--> CAST(name AS INT64)

GEN_RANDOM_UUID()
--> GENERATE_UUID()
--> GENERATE_UUID()

RANDOM()
--> RAND()
--> RAND()

id % 2
--> MOD(…, …)
--> MOD(id, 2)

"t"."name"
--> names in back quotes: `name`
--> `t`.`name`

id AS a, a * 2 AS b
--> the expression in place of its alias, or a condition on it after HAVING if it is an aggregate, or after QUALIFY if it is a window function
--> id AS a, id * 2 AS b

-- # queries

SELECT one FROM @texts AS one
--> UNNEST(@texts) AS one
--> SELECT one FROM UNNEST(@texts) AS one

SELECT id FROM t JOIN @texts AS one ON one = name
--> UNNEST(@texts) AS one
--> SELECT id FROM t JOIN UNNEST(@texts) AS one ON one = name

SELECT id FROM t, @texts AS one
--> UNNEST(@texts) AS one
--> SELECT id FROM t, UNNEST(@texts) AS one

SELECT 1 FROM @texts
--> UNNEST(@texts) AS …
--> SELECT 1 FROM UNNEST(@texts) AS one

SELECT id FROM t LIMIT '@number'
--> @number, without quotes
--> SELECT id FROM t LIMIT @number

SELECT TOP 10 id FROM t
--> LIMIT 10 at the end
--> SELECT id FROM t LIMIT 10

SELECT id FROM t LIMIT 5, 10
--> LIMIT 10 OFFSET 5
--> SELECT id FROM t LIMIT 10 OFFSET 5

SELECT id FROM t FETCH FIRST 10 ROWS ONLY
--> LIMIT 10
--> SELECT id FROM t LIMIT 10

SELECT DISTINCT ON (name) id FROM t
--> SELECT …, and at the end QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1
--> SELECT id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY ts) = 1

SELECT id FROM t MINUS SELECT id FROM t
--> EXCEPT DISTINCT
--> SELECT id FROM t EXCEPT DISTINCT SELECT id FROM t

SELECT id FROM t UNION SELECT id FROM t
--> UNION ALL to keep equal rows, or UNION DISTINCT
--> SELECT id FROM t UNION ALL SELECT id FROM t

SELECT id FROM t UNION ALL SELECT name FROM t
--> CAST(… AS STRING) for the INT64
--> SELECT CAST(id AS STRING) AS id FROM t UNION ALL SELECT name FROM t

SELECT n FROM GENERATE_SERIES(1, 2)
--> UNNEST(GENERATE_ARRAY(…, …)) AS …
--> SELECT n FROM UNNEST(GENERATE_ARRAY(1, 2)) AS n

SELECT id FROM {{ ref('t') }}
--> the name of the table: t
--> SELECT id FROM t

SELECT id FROM t {% if day %} WHERE day > @day {% endif %}
--> parameters such as @name and conditions of SQL (it has no templates here)
--> SELECT id FROM t WHERE @day IS NULL OR day > @day

SELECT id, ROW_NUMBER() OVER (ORDER BY ts) AS place FROM t WHERE ROW_NUMBER() OVER (ORDER BY ts) = 1 ORDER BY id
--> this condition after QUALIFY, at the end of the query but before ORDER BY
--> SELECT id, ROW_NUMBER() OVER (ORDER BY ts) AS place FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY ts) = 1 ORDER BY id

SELECT id, ROW_NUMBER() OVER (ORDER BY ts) AS place FROM t WHERE ok AND place = 1
--> the expression in place of its alias, or a condition on it after HAVING if it is an aggregate, or after QUALIFY if it is a window function
--> SELECT id, ROW_NUMBER() OVER (ORDER BY ts) AS place FROM t WHERE ok QUALIFY place = 1

SELECT name, COUNT(*) AS n FROM t WHERE n > 2 GROUP BY name
--> the expression in place of its alias, or a condition on it after HAVING if it is an aggregate, or after QUALIFY if it is a window function
--> SELECT name, COUNT(*) AS n FROM t GROUP BY name HAVING n > 2

SELECT name FROM t WHERE COUNT(*) > 2 GROUP BY name
--> this condition after HAVING, which follows GROUP BY
--> SELECT name FROM t GROUP BY name HAVING COUNT(*) > 2

SELECT id + 1 AS next FROM (SELECT id, UPPER(name) AS big FROM t WHERE LENGTH(big) > 2)
--> the expression in place of its alias, or a condition on it after HAVING if it is an aggregate, or after QUALIFY if it is a window function
--> SELECT id + 1 AS next FROM (SELECT id, UPPER(name) AS big FROM t WHERE LENGTH(UPPER(name)) > 2)

SELECT id + 1 AS next FROM t WHERE next * 2 > 4
--> the expression in place of its alias, or a condition on it after HAVING if it is an aggregate, or after QUALIFY if it is a window function
--> SELECT id + 1 AS next FROM t WHERE (id + 1) * 2 > 4

SELECT name, COUNT(*) AS n FROM t
--> name in GROUP BY, or in an aggregate such as MAX
--> SELECT name, COUNT(*) AS n FROM t GROUP BY name
--> SELECT MAX(name) AS name, COUNT(*) AS n FROM t

SELECT id FROM `events_*` WHERE _TABLE_SUFFIX >= @day
--> FORMAT_DATE('%Y%m%d', @day), as the shards are named
--> SELECT id FROM `events_*` WHERE _TABLE_SUFFIX >= FORMAT_DATE('%Y%m%d', @day)

SELECT id FROM `events_*` WHERE _TABLE_SUFFIX BETWEEN @day AND @day
--> FORMAT_DATE('%Y%m%d', @day) AND FORMAT_DATE('%Y%m%d', @day), as the shards are named
--> SELECT id FROM `events_*` WHERE _TABLE_SUFFIX BETWEEN FORMAT_DATE('%Y%m%d', @day) AND FORMAT_DATE('%Y%m%d', @day)

SELECT id FROM `events_*` WHERE _TABLE_SUFFIX >= 20261120
--> CAST(20261120 AS STRING), or give it the type STRING in endpoint.json
--> SELECT id FROM `events_*` WHERE _TABLE_SUFFIX >= CAST(20261120 AS STRING)

SELECT id FROM `my-project.analytics.t`
--> t, the source of sql/sources/t; if the query means another table, npm run new -- --source analytics.t --from FILE creates it
--> SELECT id FROM t

-- # orders

SELECT id FROM t ORDER BY @text
--> @text
--> SELECT id FROM t ORDER BY CASE WHEN @text = 'day' THEN day END

SELECT id FROM t WHERE ok ORDER BY id, UPPER(@text) DESC LIMIT 3
--> UPPER(@text)
--> SELECT id FROM t WHERE ok ORDER BY id, IF(UPPER(@text) = 'DAY', day, NULL) DESC LIMIT 3

SELECT id FROM t ORDER BY CASE @text WHEN 'day' THEN 'day' ELSE 'id' END
--> CASE @text WHEN 'day' THEN 'day' ELSE 'id' END
--> SELECT id FROM t ORDER BY CASE @text WHEN 'day' THEN day END, IF(@text = 'id', id, NULL)

SELECT ROW_NUMBER() OVER (PARTITION BY name ORDER BY CAST(@text AS INT64)) AS place FROM t
--> CAST(@text AS INT64)
--> SELECT ROW_NUMBER() OVER (PARTITION BY name ORDER BY RAND() * @number) AS place FROM t

SELECT ARRAY_AGG(id ORDER BY @text LIMIT 2) AS ids FROM t
--> @text
--> SELECT ARRAY_AGG(id ORDER BY id LIMIT @number) AS ids FROM t LIMIT @number

-- # filters

SELECT t.id FROM t LEFT JOIN rides AS r ON r.id = t.id WHERE r.started_at >= ts
--> add started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), to the ON of a LEFT JOIN of this table, or in brackets in its place: (SELECT * FROM … WHERE …),
--> SELECT t.id FROM t LEFT JOIN rides AS r ON r.id = t.id AND r.started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)

SELECT t.id FROM t LEFT OUTER JOIN rides USING (id)
--> add started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), to the ON of a LEFT JOIN of this table, or in brackets in its place: (SELECT * FROM … WHERE …),
--> SELECT t.id FROM t LEFT OUTER JOIN (SELECT * FROM rides WHERE started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)) AS rides USING (id)

SELECT t.id FROM rides RIGHT JOIN t ON rides.id = t.id WHERE started_at > TIMESTAMP(@day)
--> add started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), to the ON of a LEFT JOIN of this table, or in brackets in its place: (SELECT * FROM … WHERE …),
--> SELECT t.id FROM (SELECT * FROM rides WHERE started_at >= TIMESTAMP(@day)) AS rides RIGHT JOIN t ON rides.id = t.id

SELECT t.id FROM t FULL JOIN rides AS r ON r.id = t.id AND r.started_at > TIMESTAMP(@day)
--> add started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), to the ON of a LEFT JOIN of this table, or in brackets in its place: (SELECT * FROM … WHERE …),
--> SELECT t.id FROM t FULL JOIN (SELECT * FROM rides WHERE started_at >= TIMESTAMP(@day)) AS r ON r.id = t.id

SELECT t.id FROM t JOIN rides AS r ON r.id = t.id
--> add started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)
--> SELECT t.id FROM t JOIN rides AS r ON r.id = t.id WHERE r.started_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY)

SELECT t.id FROM t LEFT JOIN rides AS r ON r.id = t.id WHERE @day IS NULL OR DATE(r.started_at) >= @day
--> write DATE(started_at) >= COALESCE(@day, DATE_SUB(CURRENT_DATE(), INTERVAL 29 DAY)), to the ON of a LEFT JOIN of this table, or in brackets in its place: (SELECT * FROM … WHERE …),
--> SELECT t.id FROM t LEFT JOIN rides AS r ON r.id = t.id AND DATE(r.started_at) >= COALESCE(@day, DATE_SUB(CURRENT_DATE(), INTERVAL 29 DAY))

-- # quoted

name = '@station'
--> '@station' is a text, in which @station is no parameter: write @station if you mean its value

name LIKE "%@text%"
--> "%@text%" is a text, in which @text is no parameter: write CONCAT('…', @text, '…') if you mean its value

name = '{{ station }}'
--> '{{ station }}' is a text, in which {{ station }} is no parameter: write @station if you mean its value

name LIKE '%@example.com'
--> none

name = @text AND doc.a = 'a@b' -- '@text'
--> none

-- # unchanged

SELECT LOWER(name, 1) FROM t
--> 7: No matching signature for function LOWER for argument types: STRING, INT64. Supported signatures: LOWER(STRING); LOWER(BYTES)

SELECT name > tags FROM t
--> 7: No matching signature for operator > for argument types: STRING, ARRAY<STRING>. Supported signature: ANY > ANY

SELECT NOWHERE(1) FROM t
--> 7: Function not found: NOWHERE; Did you mean lower?

SELECT UPER(name) FROM t
--> 7: Function not found: UPER; Did you mean upper?

SELECT r.prize FROM t AS r
--> 9: Name prize not found inside r; did you mean price?

SELECT r.zzz FROM t AS r
--> 9: Name zzz not found inside r

SELECT ts::interval FROM t
--> 9: Syntax error: Expected end of input but got ":"; write CAST(… AS INTERVAL)

SELECT id, name FROM t WHERE name = ‘a’
--> 36: Syntax error: Illegal input character ‘; write the plain one, such as ' or -, or the name around it in back quotes

SELECT id – 1 FROM t
--> 10: Syntax error: Illegal input character –; write the plain one, such as ' or -, or the name around it in back quotes

SELECT id FROM t WHERE größe > 1
--> 25: Syntax error: Illegal input character ö; write the plain one, such as ' or -, or the name around it in back quotes

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
