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

SELECT share * @r AS x FROM orders WHERE @r IS NOT NULL GROUP BY share * @r
--> r FLOAT64

SELECT id, '@no', -- @none
 @`a` AS a FROM orders WHERE @A IS NULL AND id = @a
--> a STRING
