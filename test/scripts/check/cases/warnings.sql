-- What `check` warns of: of the order of a result with a LIMIT, of a suffix of shards, and of a warm.sql over one key.

-- # order

-- The largest cities.
SELECT city AS names FROM people GROUP BY city
ORDER BY COUNT(*) DESC
LIMIT 10
--> query.sql:4:1: LIMIT cuts rows non-deterministically: ORDER BY lacks city of GROUP BY

SELECT name AS names FROM (SELECT name FROM people ORDER BY name LIMIT 20) LIMIT 10
--> query.sql:1:76: LIMIT cuts rows non-deterministically: there is no ORDER BY

SELECT city AS names FROM people GROUP BY city ORDER BY COUNT(*) DESC, names LIMIT 10
-->

SELECT name AS names FROM people ORDER BY city LIMIT 10
-->

SELECT MAX(name) AS names FROM people LIMIT 1
-->

SELECT name AS names FROM people WHERE city = 'a' GROUP BY city, name ORDER BY name LIMIT 1
-->

SELECT city AS names FROM people GROUP BY city
-->

-- # suffix

_TABLE_SUFFIX >= '2026-11-20'
--> '2026-11-20'

_TABLE_SUFFIX BETWEEN '20261101' AND FORMAT_DATE('%F', '2026-11-20')
--> '2026-11-20'

_TABLE_SUFFIX <= '2026112010'
--> '2026112010'

_TABLE_SUFFIX BETWEEN '2026' AND '202611' AND _TABLE_SUFFIX < 'intraday'
-->

PARSE_DATE('%Y%m%d', _TABLE_SUFFIX) >= '2026-11-20'
-->

_TABLE_SUFFIX >= FORMAT_DATE('%Y%m%d', '2026-11-20')
-->

-- # one key

SELECT name AS names FROM people WHERE city = @city ORDER BY name;
SELECT k.key, name AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city ORDER BY key, names
--> right

SELECT name AS names FROM people WHERE city = @city ORDER BY name;
SELECT k.key, name AS names FROM people AS p, UNNEST(@keys) AS k WHERE p.city = k.city ORDER BY key, names
--> right

SELECT name AS names FROM people WHERE city = @city ORDER BY name LIMIT 2;
SELECT k.key, name AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY name) <= 2 ORDER BY key, names
--> right

SELECT CAST(COUNT(*) AS STRING) AS names FROM people WHERE city = @city HAVING COUNT(*) > 0;
SELECT key, CAST(COUNT(*) AS STRING) AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city GROUP BY key ORDER BY key
--> right

SELECT name AS names FROM people WHERE city = @city ORDER BY name;
SELECT k.key, name AS names FROM UNNEST([@keys[OFFSET(0)]]) AS k JOIN people AS p ON p.city = k.city ORDER BY key, names
--> wrong

SELECT name AS names FROM people WHERE city = @city ORDER BY name;
SELECT k.key, name AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city >= k.city ORDER BY key, names
--> wrong

SELECT name AS names FROM people WHERE city = @city ORDER BY name;
SELECT DISTINCT k.key, name AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city ORDER BY key, names
--> wrong

SELECT name AS names FROM people WHERE city = @city ORDER BY name LIMIT 2;
SELECT k.key, name AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city QUALIFY ROW_NUMBER() OVER (ORDER BY name) <= 2 ORDER BY key, names
--> wrong

SELECT CAST(COUNT(*) AS STRING) AS names FROM people WHERE city = @city HAVING COUNT(*) > 0;
SELECT key, CAST(SUM(COUNT(*)) OVER () AS STRING) AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city GROUP BY key ORDER BY key
--> wrong

SELECT name AS names FROM people WHERE city = @city ORDER BY name;
SELECT k.key, name AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city AND p.city = 'a' ORDER BY key, names
--> wrong

SELECT name AS names FROM people WHERE city = @city ORDER BY name;
SELECT key, ANY_VALUE(name) AS names FROM UNNEST(@keys) AS k JOIN people AS p ON p.city = k.city GROUP BY key ORDER BY key
--> wrong
