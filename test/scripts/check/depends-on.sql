-- What each query depends on, or why it runs in each run; a condition alone stands for a query of `orders`.

-- # queries

day >= DATE '2026-01-01'
--> orders

TRUE -- CURRENT_TIMESTAMP()
--> orders

note = 'CURRENT_TIMESTAMP() or RAND()'
--> orders

orders.current_date IS NULL
--> orders

--- Noticed, and nothing is there: it costs money.
SELECT COUNT(keys.day) AS count FROM orders AS keys
--> orders

SELECT COUNT(ai.day) AS count FROM orders AS ai
--> orders

system_time IS NULL
--> orders

--- Casts that have all of a date in the text, or that make a text.
day = CAST('2026-12-25' AS DATE FORMAT 'YYYY-MM-DD')
--> orders

day = CAST(note AS DATE FORMAT 'DD MON yyyy')
--> orders

note = CAST(day AS STRING FORMAT 'MM-DD')
--> orders

CAST(note AS TIME FORMAT 'HH24') IS NULL
--> orders

PARSE_DATE('%m-%d', note) = day
--> orders

CREATE TEMP FUNCTION f(x ANY TYPE) AS (x + 1); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

FROM orders |> AGGREGATE COUNT(*) AS count
--> orders

REGEXP_CONTAINS(note, 'a') AND note LIKE ANY ('b%', 'c%') AND LENGTH(note) IN UNNEST([1, 2])
--> orders

day = CURRENT_DATE()
--> orders; DAY UTC

day = current_date
--> orders; DAY UTC

day = CAST(CURRENT_TIMESTAMP() AS DATE)
--> orders; DAY UTC

ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP, WEEK(MONDAY))
--> orders; DAY UTC

WITH(today AS CURRENT_DATE, day = today)
--> orders; DAY UTC

CREATE TEMP FUNCTION f(x ANY TYPE) AS (x = CURRENT_DATE()); SELECT COUNT(*) AS count FROM orders WHERE f(day)
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS BOOL AS (x = CURRENT_DATE()); SELECT COUNT(*) AS count FROM orders WHERE f(day)
--> in each run: a function with an argument of ANY TYPE

day = CURRENT_DATE('Asia/Kathmandu')
--> orders; DAY Asia/Kathmandu

day = DATE(CURRENT_TIMESTAMP(), 'Europe/Berlin')
--> orders; DAY Europe/Berlin

ts > TIMESTAMP(DATETIME_TRUNC(CURRENT_DATETIME('America/New_York'), MONTH))
--> orders; DAY America/New_York

day = CURRENT_DATE() OR day = CURRENT_DATE('Europe/Berlin')
--> orders; DAY UTC; DAY Europe/Berlin

ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), HOUR)
--> orders; HOUR UTC

ts > CURRENT_TIMESTAMP()
--> in each run: CURRENT_TIMESTAMP

ts > `CURRENT_TIMESTAMP`()
--> in each run: CURRENT_TIMESTAMP

--- A name in back quotes may have escapes.
ts > `CURRENT\x5fTIMESTAMP`()
--> in each run: CURRENT_TIMESTAMP

ts > `\u0043urrent_timestamp`()
--> in each run: CURRENT_TIMESTAMP

CREATE TEMP FUNCTION f(x ANY TYPE) AS (x > `\103URRENT_TIMESTAMP`()); SELECT COUNT(*) AS count FROM orders WHERE f(ts)
--> in each run: a function with an argument of ANY TYPE

ts > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), MINUTE)
--> in each run: CURRENT_TIMESTAMP

ts > TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE), HOUR)
--> in each run: CURRENT_TIMESTAMP

--- The expression WITH: its variables are written as aliases are, and are no aliases.
WITH(now AS CURRENT_TIMESTAMP, ts > now)
--> in each run: CURRENT_TIMESTAMP

--- A comment ends with a carriage return too.
day = CURRENT_DATE(@zone)
--> in each run: CURRENT_DATE

day = CURRENT_DATE(CONCAT('UT', 'C'))
--> in each run: CURRENT_DATE

EXTRACT(HOUR FROM CURRENT_DATETIME()) > 1
--> in each run: CURRENT_DATETIME

WITH(now AS CURRENT_DATETIME, day = DATE(now))
--> in each run: CURRENT_DATETIME

TIME_TRUNC(CURRENT_TIME(), HOUR) > TIME '01:00:00'
--> in each run: CURRENT_TIME

IF(FALSE, RAND() > 0.5, TRUE)
--> in each run: RAND

`RAN\x44`() > 0.5
--> in each run: RAND

0.5 < (SELECT MAX(x) FROM UNNEST([RAND()]) AS x)
--> in each run: RAND

EXISTS (SELECT 1 FROM prices ORDER BY RAND() LIMIT 1)
--> in each run: RAND

SELECT COUNT(*) OVER (ORDER BY RAND()) AS count FROM orders
--> in each run: RAND

WITH other AS (SELECT RAND() AS r FROM prices) SELECT COUNT(*) AS count FROM orders, other WHERE r > 1
--> in each run: RAND

CREATE TEMP FUNCTION f(x INT64) AS (x + RAND()); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: RAND

CREATE TEMP FUNCTION f(x ANY TYPE) AS (x + RAND()); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION g(x ANY TYPE) AS (x + `RAN\x44`()); CREATE TEMP FUNCTION f(x INT64) AS (g(x)); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP AGGREGATE FUNCTION f(x ANY TYPE) AS (SUM(x) + RAND()); SELECT CAST(f(1) AS INT64) AS count FROM orders
--> in each run: a function with an argument of ANY TYPE

--- The engine resolves the body where it is called, although the type of its value is declared.
CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS FLOAT64 AS (x + RAND()); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION g(x ANY TYPE) RETURNS FLOAT64 AS (x + RAND()); CREATE TEMP FUNCTION f(x INT64) AS (g(x)); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP AGGREGATE FUNCTION f(x ANY TYPE) RETURNS FLOAT64 AS (SUM(x) + RAND()); SELECT CAST(f(1) AS INT64) AS count FROM orders
--> in each run: a function with an argument of ANY TYPE

FROM orders |> EXTEND RAND() AS r |> WHERE r > 0 |> AGGREGATE COUNT(*) AS count
--> in each run: RAND

day = CAST('12-25' AS DATE FORMAT 'MM-DD')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

day = SAFE_CAST(note AS DATE FORMAT 'YY-MM-DD')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

day = CAST(note AS DATE FORMAT 'RRRR-MM-DD')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

day = CAST(note AS DATE FORMAT 'YYYY')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

day = CAST(note AS DATE FORMAT 'MM"YYYY"')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

DATE(ts) = DATE(CAST(note AS DATETIME FORMAT 'DD HH24'))
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

ts = CAST(note AS TIMESTAMP FORMAT 'HH24:MI')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

day = CAST(note AS DATE FORMAT CONCAT('YYYY', '-MM-DD'))
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

CREATE TEMP FUNCTION f(x STRING) AS (CAST(x AS DATE FORMAT 'MM-DD')); SELECT COUNT(*) AS count FROM orders WHERE f(note) = day
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

CREATE TEMP FUNCTION f(x ANY TYPE) AS (CAST(x AS DATE FORMAT 'MM-DD')); SELECT COUNT(*) AS count FROM orders WHERE f(note) = day
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS DATE AS (CAST(x AS DATE FORMAT 'MM-DD')); SELECT COUNT(*) AS count FROM orders WHERE f(note) = day
--> in each run: a function with an argument of ANY TYPE

--- TZM and MI, not MM.
ts = CAST(note AS TIMESTAMP FORMAT 'YYYY-DD TZHTZMMI')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

--- HH12, AM and MI: BigQuery may read what the engine does not.
ts = CAST(note AS TIMESTAMP FORMAT 'YYYY-DD HH12AMMI')
--> in each run: CAST WITH A FORMAT WITHOUT YYYY AND MM

--- Keys may be revoked, and a new version of one decrypts differently.
note = AEAD.DECRYPT_STRING(b'', b'', '')
--> in each run: AEAD.DECRYPT_STRING

SELECT COUNT(*) AS count FROM orders FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-20'
--> in each run: FOR SYSTEM_TIME

note != GENERATE_UUID()
--> in each run: GENERATE_UUID

note = SESSION_USER()
--> in each run: SESSION_USER

CREATE TEMP FUNCTION f(x ANY TYPE) AS (CONCAT(x, `SESSION\x5fUSER`())); SELECT COUNT(*) AS count FROM orders WHERE f('') = note
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION f(x ANY TYPE) AS (CONCAT(x, SESSION_USER())); SELECT COUNT(*) AS count FROM orders WHERE f(note) = note
--> in each run: a function with an argument of ANY TYPE

SELECT COUNT(*) AS count FROM orders TABLESAMPLE SYSTEM (10 PERCENT)
--> in each run: TABLESAMPLE

SELECT 1 AS count
--> in each run: it reads no table

note = @@ current_job_id
--> in each run: @@CURRENT_JOB_ID

note = @@`current_job_id`
--> in each run: @@CURRENT_JOB_ID

CREATE TEMP FUNCTION f(x ANY TYPE) AS (CONCAT(x, @@current_job_id)); SELECT COUNT(*) AS count FROM orders WHERE f(note) = note
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS STRING AS (CONCAT(x, @@`current_job_id`)); SELECT COUNT(*) AS count FROM orders WHERE f(note) = note
--> in each run: a function with an argument of ANY TYPE

--- The engine resolves the body of a function of ANY TYPE where it is called.
CREATE TEMP FUNCTION f(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM prices)); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

any_type(1) > 0
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION g(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM prices));
     CREATE TEMP FUNCTION f(x INT64) AS (g(x)); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP AGGREGATE FUNCTION f(x ANY TYPE) AS (SUM(x) + (SELECT COUNT(*) FROM prices));
     SELECT f(1) AS count FROM orders
--> in each run: a function with an argument of ANY TYPE

--- The name of the table is found by what is resolved, not by its spelling.
CREATE TEMP FUNCTION f(x ANY TYPE) AS ((SELECT COUNT(*) + x FROM `pri\x63es`)); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE

CREATE TEMP FUNCTION f(x ANY TYPE) RETURNS INT64 AS ((SELECT COUNT(*) + x FROM PRICES)); SELECT COUNT(*) AS count FROM orders WHERE f(1) > 0
--> in each run: a function with an argument of ANY TYPE
