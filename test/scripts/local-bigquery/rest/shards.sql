-- Queries of shards: their rows, their errors, and the bytes that they read.

-- # rows

SELECT * FROM `analytics_1.events_*` WHERE n > 4
--> [["5","x"]]

SELECT n, _table_suffix AS day FROM `analytics_1.events_*` WHERE n = 3
--> [["3","20261119"]]

SELECT `events_*`.n FROM analytics_1.`events_*` WHERE `events_*`.n = 3
--> [["3"]]

SELECT n FROM `test-project.analytics_1.events_*` WHERE _TABLE_SUFFIX = '20251231'
--> [["2"]]

SELECT SUM(n) FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX BETWEEN '20261119' AND '20261120'
--> [["8"]]

SELECT e._TABLE_SUFFIX AS day, COUNT(*) FROM `analytics_1.events_*` AS e GROUP BY day ORDER BY day DESC LIMIT 1
--> [["20261201","1"]]

--- The suffix is what the star stands for.
SELECT n, _TABLE_SUFFIX AS rest FROM `analytics_1.events_2026*` WHERE n = 3
--> [["3","1119"]]

SELECT n FROM `analytics_1.events_202612*` WHERE _TABLE_SUFFIX = '01'
--> [["5"]]

SELECT a.n + b.n FROM `analytics_1.events_2025*` AS a JOIN `analytics_1.events_*` AS b ON b._TABLE_SUFFIX = CONCAT('2025', a._TABLE_SUFFIX)
--> [["4"]]

--- One shard is a table like any other.
SELECT * FROM analytics_1.events_20261119
--> [["3","x"]]

SELECT * FROM test-project.analytics_1.events_20261119
--> [["3","x"]]

SELECT SUM(events_20261120.n) FROM analytics_1.events_20261120
--> [["5"]]

SELECT n FROM `noaa.gsod*` WHERE _TABLE_SUFFIX >= '2001'
--> [["3"]]

SELECT n, _TABLE_SUFFIX AS s FROM `noaa.gsod20*` WHERE n = 3
--> [["3","01"]]

--- An upper bound leaves out what begins with a letter.
SELECT SUM(n) FROM `ga.events_*` WHERE _TABLE_SUFFIX < '20261120'
--> [["5"]]

SELECT SUM(n) FROM `ga.events_intraday_*`
--> [["1"]]

--- Nothing is known of the shards of a table without rows.
SELECT COUNT(*) FROM `a.nothing_2026*`
--> [["0"]]

-- # rejected

SELECT n FROM `analytics_1.events_2031*`
--! 400 invalid: test-project:analytics_1.events_2031* does not match any table.

SELECT n FROM `analytics_1.visits_*`
--! 400 invalid: test-project:analytics_1.visits_* does not match any table.

SELECT n FROM analytics_1.events_20311120
--! 404 notFound: Not found: Table test-project:analytics_1.events_20311120 was not found in location US at [1:15]

SELECT _TABLE_SUFFIX FROM analytics_1.events_20261120
--! 400 invalidQuery: Unrecognized name: _TABLE_SUFFIX at [1:8]

-- # bytes

SELECT n FROM `analytics_1.events_*`
--> 40

SELECT n FROM `analytics_1.events_2026*`
--> 32

SELECT n, name FROM analytics_1.events_20261120
--> 22

SELECT n FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX = '20261120'
--> 16

SELECT n FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX IN ('20261120', '20251231')
--> 24

SELECT n FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX BETWEEN '20261119' AND '20261120'
--> 24

SELECT n FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX < '2026' OR _TABLE_SUFFIX > '20261130'
--> 16

SELECT n FROM `analytics_1.events_2026*` WHERE _TABLE_SUFFIX BETWEEN '1101' AND '1119'
--> 8

SELECT n FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX >= FORMAT_DATE('%Y%m%d', DATE_ADD(DATE '2026-11-20', INTERVAL 1 DAY))
--> 8

SELECT n FROM `analytics_1.events_*` WHERE PARSE_DATE('%Y%m%d', _TABLE_SUFFIX) > DATE '2026-11-20'
--> 8

SELECT n FROM (SELECT *, _TABLE_SUFFIX AS day FROM `analytics_1.events_*`) WHERE day = '20261201'
--> 8

SELECT _TABLE_SUFFIX AS day FROM `analytics_1.events_*` WHERE n > 0
--> 40

SELECT n FROM `analytics_1.events_*` WHERE _TABLE_SUFFIX = '20311120'
--> 0

--- By these BigQuery may leave out shards too; here they do not.
SELECT n FROM `analytics_1.events_*` WHERE SUBSTR(_TABLE_SUFFIX, 1, 4) = '2025'
--> 40

SELECT n FROM `noaa.gsod*` WHERE _TABLE_SUFFIX >= '2000'
--> 16

SELECT n FROM `a.months_*` WHERE _TABLE_SUFFIX = '202611'
--> 8

SELECT n FROM `a.hours_*` WHERE _TABLE_SUFFIX > '2026112009'
--> 8
