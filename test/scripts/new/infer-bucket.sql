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
