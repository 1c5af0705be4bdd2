-- Types and casts: aliases, rounding, SAFE_CAST, CAST with FORMAT.

-- every alias of INT64 is INT64
SELECT CAST('1' AS INT), CAST('2' AS INTEGER), CAST('3' AS BIGINT), CAST('4' AS SMALLINT),
  CAST('5' AS TINYINT), CAST('6' AS BYTEINT)
--> ["1", "2", "3", "4", "5", "6"]

-- DECIMAL and BIGDECIMAL are NUMERIC and BIGNUMERIC
SELECT CAST('1.50' AS DECIMAL), CAST('0.00000000001' AS BIGDECIMAL), DECIMAL '2.25'
--> ["1.5", "0.00000000001", "2.25"]

-- BOOLEAN is BOOL
SELECT CAST('true' AS BOOLEAN), CAST(0 AS BOOLEAN), CAST(TRUE AS INT64)
--> ["true", "false", "1"]

-- a cast of a FLOAT64 to INT64 rounds half away from zero
SELECT CAST(x AS INT64) FROM UNNEST([0.5, 1.5, 2.4, -0.5, -1.5]) AS x WITH OFFSET AS n ORDER BY n
--> ["1"]
--> ["2"]
--> ["2"]
--> ["-1"]
--> ["-2"]

-- a cast to NUMERIC rounds half away from zero at nine digits
SELECT CAST('1.0000000005' AS NUMERIC), CAST('-1.0000000005' AS NUMERIC), CAST('1.00000000049' AS NUMERIC)
--> ["1.000000001", "-1.000000001", "1"]

-- a parameterized NUMERIC rounds to its scale
SELECT CAST(123.455 AS NUMERIC(10, 2)), CAST('1.5' AS NUMERIC(3)), CAST(NUMERIC '-0.05' AS NUMERIC(5, 1))
--> ["123.46", "2", "-0.1"]

-- ROUND takes a number of digits, and a rounding mode
SELECT ROUND(NUMERIC '2.5'), ROUND(NUMERIC '2.25', 1), ROUND(NUMERIC '-2.5'), ROUND(1234, -2),
  ROUND(NUMERIC '2.25', 1, 'ROUND_HALF_EVEN'), ROUND(NUMERIC '2.5', 0, 'ROUND_HALF_AWAY_FROM_ZERO')
--> ["3", "2.3", "-3", "1200.0", "2.2", "3"]

-- SAFE_CAST gives NULL for what cannot be cast
SELECT SAFE_CAST('apple' AS INT64), SAFE_CAST('1' AS INT64), SAFE_CAST('2026-02-30' AS DATE),
  SAFE_CAST(1e30 AS INT64), SAFE_CAST('yes' AS BOOL)
--> [null, "1", null, null, null]

-- hexadecimal text is an integer
SELECT CAST('0x87a' AS INT64), CAST('-0x1' AS INT64), 0xFF
--> ["2170", "-1", "255"]

-- CAST to STRING writes each type in its own form
SELECT CAST(1.0 AS STRING), CAST(TRUE AS STRING), CAST(DATE '2026-01-02' AS STRING),
  CAST(TIME '01:02:03.5' AS STRING), CAST(b'abc' AS STRING), CAST(DATETIME '2026-01-02 03:04:05' AS STRING),
  CAST(TIMESTAMP '2026-01-02 03:04:05+00' AS STRING)
--> ["1", "true", "2026-01-02", "01:02:03.500", "abc", "2026-01-02 03:04:05", "2026-01-02 03:04:05+00"]

-- CAST of a date to text takes a FORMAT
SELECT CAST(DATE '2026-11-20' AS STRING FORMAT 'DAY, DD MONTH YYYY'),
  CAST(DATE '2018-01-30' AS STRING FORMAT 'YYYY'), CAST(DATE '2018-01-30' AS STRING FORMAT 'MON DD')
--> ["FRIDAY, 20 NOVEMBER 2026", "2018", "JAN 30"]

-- CAST of text to a date or time takes a FORMAT
SELECT CAST('18-12-03' AS DATE FORMAT 'YY-MM-DD'), CAST('15:30' AS TIME FORMAT 'HH24:MI'),
  CAST('06/02/2020 17:00:53.110' AS TIMESTAMP FORMAT 'MM/DD/YYYY HH24:MI:SS.FF3' AT TIME ZONE 'UTC')
--> ["2018-12-03", "15:30:00", "2020-06-02T17:00:53.110000Z"]

-- CAST of a number to text takes a FORMAT
SELECT CAST(12 AS STRING FORMAT '999'), CAST(-12 AS STRING FORMAT '999'), CAST(1234.56 AS STRING FORMAT '9,999.9')
--> ["  12", " -12", " 1,234.6"]

-- CAST of bytes takes HEX and BASE64
SELECT CAST(b'\x00\xff' AS STRING FORMAT 'HEX'), CAST('AP8=' AS BYTES FORMAT 'BASE64')
--> ["00ff", "AP8="]

-- NULL casts to every type
SELECT CAST(NULL AS INT64), CAST(NULL AS STRUCT<a INT64>), CAST(NULL AS ARRAY<INT64>), CAST(NULL AS DATE)
--> [null, null, [], null]

-- division of integers gives a FLOAT64, DIV an INT64
SELECT 7 / 2, DIV(7, 2), DIV(-7, 2), MOD(-7, 2), SAFE_DIVIDE(1, 0), IEEE_DIVIDE(1, 0)
--> ["3.5", "3", "-3", "-1", null, "Infinity"]

-- a mix of types takes their supertype
SELECT IF(TRUE, 1, 2.5), COALESCE(NULL, 1, NUMERIC '1.5'), [1, 2.5], 1 + NUMERIC '0.5'
--> ["1.0", "1", ["1.0", "2.5"], "1.5"]
