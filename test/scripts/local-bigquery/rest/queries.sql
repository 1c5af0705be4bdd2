-- Expressions, with the type and the value that a response has of each.

-- # values

'text'
--> STRING "text"

''
--> STRING ""

9007199254740993
--> INTEGER "9007199254740993"

-9223372036854775807 - 1
--> INTEGER "-9223372036854775808"

1.5
--> FLOAT "1.5"

1e0
--> FLOAT "1.0"

0.1 + 0.2
--> FLOAT "0.30000000000000004"

1e300
--> FLOAT "1.0E300"

1.25e-7
--> FLOAT "1.25E-7"

CAST('nan' AS FLOAT64)
--> FLOAT "NaN"

CAST('-inf' AS FLOAT64)
--> FLOAT "-Infinity"

CAST('inf' AS FLOAT64)
--> FLOAT "Infinity"

NUMERIC '-123.450'
--> NUMERIC "-123.45"

TRUE
--> BOOLEAN "true"

b'\x00\xff'
--> BYTES "AP8="

TIMESTAMP '2026-11-20 10:00:00.123456+01'
--> TIMESTAMP "1795165200123456"

DATETIME '2026-11-20 10:00:00'
--> DATETIME "2026-11-20T10:00:00"

DATETIME '0001-01-01 23:59:59.000001'
--> DATETIME "0001-01-01T23:59:59.000001"

DATE '2024-02-29'
--> DATE "2024-02-29"

TIME '23:59:59.5'
--> TIME "23:59:59.500000"

JSON '{"a":[1,null]}'
--> JSON "{\"a\":[1,null]}"

CAST(NULL AS INT64)
--> INTEGER null

STRUCT(1 AS a, STRUCT('b' AS c) AS d)
--> RECORD {"f":[{"v":"1"},{"v":{"f":[{"v":"b"}]}}]}

[1, 2]
--> INTEGER [{"v":"1"},{"v":"2"}]

[STRUCT(TRUE AS a)]
--> RECORD [{"v":{"f":[{"v":"true"}]}}]

CAST(NULL AS ARRAY<STRING>)
--> STRING []
