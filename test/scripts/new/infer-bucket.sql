-- Expressions by which a query groups, and the step of the bucket that is inferred from each.

-- # steps

TIMESTAMP_TRUNC(ts, SECOND)
--> PT1S

TIMESTAMP_TRUNC(ts, MINUTE)
--> PT1M

TIMESTAMP_TRUNC(ts, HOUR)
--> PT1H

TIMESTAMP_TRUNC(ts, DAY, 'Asia/Tokyo')
--> P1D

DATETIME_TRUNC(local, DAY)
--> P1D

DATETIME(TIMESTAMP_TRUNC(ts, HOUR))
--> PT1H

DATE_TRUNC(day, WEEK)
--> P1W

DATE_TRUNC(day, ISOWEEK)
--> P1W

DATE_TRUNC(DATE(ts), WEEK(WEDNESDAY))
--> P1W

DATE_TRUNC(day, MONTH)
--> P1M

DATE_TRUNC(day, QUARTER)
--> P3M

CAST(TIMESTAMP_TRUNC(ts, YEAR) AS DATE)
--> P1Y

day
--> P1D

DATE(ts)
--> P1D

EXTRACT(DATE FROM ts)
--> P1D

CAST(ts AS DATE)
--> P1D

-- # none

CAST(TIMESTAMP_TRUNC(ts, HOUR) AS STRING)
--> a text

TIMESTAMP_TRUNC(ts, MILLISECOND)
--> a fraction of a second

TIMESTAMP_ADD(TIMESTAMP_TRUNC(ts, HOUR), INTERVAL 1 MINUTE)
--> a shifted start

DATE_ADD(day, INTERVAL size DAY)
--> a computed day

ts
--> an instant

TIMESTAMP_BUCKET(ts, INTERVAL 1 HOUR)
--> another function for buckets

PARSE_DATE('%Y%m%d', name)
--> a day that is parsed

SELECT day, name FROM logs
--> a day by which nothing is grouped

SELECT name, MAX(day) AS day FROM logs GROUP BY name
--> the latest day
