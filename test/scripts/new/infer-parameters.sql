-- Queries, and the types of their parameters.

-- # queries

SELECT id FROM orders WHERE amount >= @a
--> a NUMERIC

SELECT id FROM orders WHERE @a IS NULL OR amount >= @a
--> a NUMERIC

SELECT id FROM orders WHERE amount >= @a AND @a IS NOT NULL
--> a NUMERIC

SELECT id FROM orders WHERE @a = 0 OR amount >= @a
--> a NUMERIC

SELECT id FROM orders WHERE amount >= @a OR share >= @a
--> a FLOAT64

SELECT id FROM orders WHERE huge = @a
--> a NUMERIC

SELECT id FROM orders WHERE @a = '' OR id = @a
--> a STRING

SELECT id FROM orders WHERE @a IS NULL
--> a STRING

SELECT id FROM orders WHERE ARRAY_LENGTH(@a) = 0
--> a ARRAY<STRING>

SELECT id FROM orders WHERE ARRAY_LENGTH(@a) = 0 OR day IN UNNEST(@a)
--> a ARRAY<DATE>

SELECT x FROM UNNEST(@a) AS x
--> a ARRAY<STRING>

SELECT x FROM UNNEST(@a) AS x JOIN orders ON orders.day = x
--> a ARRAY<DATE>

SELECT id FROM orders, UNNEST(@a) AS x WITH OFFSET WHERE share > x AND @b = id
--> a ARRAY<INT64>, b STRING

SELECT id FROM orders LEFT JOIN UNNEST(@a) AS x ON TRUE WHERE day IN UNNEST(@a) OR ARRAY_LENGTH(@a) = 0
--> a ARRAY<DATE>

SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM UNNEST(@a) AS x WHERE x = amount) AND day = @b
--> a ARRAY<INT64>, b DATE

SELECT id FROM orders WHERE day = @a[SAFE_OFFSET(0)] OR id = ARRAY_TO_STRING(@b, ',')
--> a ARRAY<DATE>, b ARRAY<STRING>

SELECT x, y FROM UNNEST(@a) AS x, UNNEST(@b) AS y WHERE x = 1 AND y > CURRENT_DATE()
--> a ARRAY<INT64>, b ARRAY<DATE>

FROM UNNEST(@a) AS x |> WHERE x > CURRENT_TIMESTAMP() |> SELECT x
--> a ARRAY<TIMESTAMP>

SELECT id FROM orders WHERE id LIKE ANY UNNEST(@a)
--> a ARRAY<STRING>

SELECT id FROM orders WHERE amount > COALESCE(@a, 0)
--> a INT64

SELECT id FROM orders WHERE day >= DATE_SUB(CURRENT_DATE(), INTERVAL @days DAY) AND day < @end
--> days INT64, end DATE

SELECT id FROM orders WHERE IF(@a, amount > 1, TRUE)
--> a BOOL

SELECT id FROM orders WHERE TIMESTAMP(day) > @a
--> a TIMESTAMP

SELECT id FROM orders WHERE DATETIME(day) > @a
--> a DATETIME

SELECT id FROM orders WHERE TRUE LIMIT @n
--> n INT64

SELECT IFNULL(@n, 10) AS a, IFNULL(@s, id) AS b, @c AS c FROM orders
--> c STRING, n INT64, s STRING

SELECT share * @r AS x FROM orders GROUP BY share * @r
--> r FLOAT64

CREATE TEMP FUNCTION next(n INT64) AS (n + 1); SELECT next(@n) AS n, @s AS s FROM orders
--> n INT64, s STRING

SELECT share * @r AS x FROM orders WHERE @r IS NOT NULL GROUP BY share * @r
--> r FLOAT64

SELECT id, '@no', -- @none
 @`a` AS a FROM orders WHERE @A IS NULL AND id = @a
--> a STRING
