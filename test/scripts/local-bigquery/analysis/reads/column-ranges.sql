-- Conditions on a column x, with its type and the ranges of the values that they allow.

-- # ranges

x >= '2026-11-20'
--> TIMESTAMP: 2026-11-20 to end

x > '2026-11-20'
--> TIMESTAMP: 2026-11-20 00:00:00.000001 to end

x < '2026-11-20'
--> DATETIME: start to 2026-11-20

x = '2026-11-20'
--> DATE: 2026-11-20 to 2026-11-21

x > '2026-11-20'
--> DATE: 2026-11-21 to end

DATETIME_TRUNC(x, MONTH) BETWEEN '2026-10-02' AND '2026-11-20'
--> DATETIME: 2026-11-01 to 2026-12-01

x IN ('2026-11-20', '2026-11-22', '2026-11-21', '2026-01-01')
--> DATE: 2026-01-01 to 2026-01-02, 2026-11-20 to 2026-11-23

x < '2026-11-20' AND x > '2026-11-20'
--> DATE:

x < '2026-11-20' OR x >= '2026-11-20'
--> DATE: start to end

--- An unknown constant does not narrow the ranges.
x > CAST(@absent AS DATE) AND x < '2026-11-20'
--> DATE: start to 2026-11-20
