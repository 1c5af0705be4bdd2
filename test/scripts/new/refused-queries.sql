-- Queries from which no endpoint is created, with the place and the reason.

-- # refused

SELECT 1 AS a; SELECT 2 AS b
--! :1:16: has 2 statements, but must be one SELECT; the second begins here

DELETE FROM customers WHERE TRUE
--! :1:1: must be one SELECT, but is DELETE

DELETE FROM nowhere
--! :1:1: must be one SELECT, but is DELETE

SELECT nope FROM customers; SELECT 2
--! :1:29: has 2 statements, but must be one SELECT; the second begins here

CREATE TABLE x AS SELECT 1
--! :1:1: must be one SELECT, but is CREATE TABLE AS SELECT

SELECT order_id FROM orders WHERE order_day > CURRENT_TIMESTAMP()
--! :1:35: No matching signature for operator > for argument types: DATE, TIMESTAMP; write TIMESTAMP(…) for the DATE, or DATE(…) for the TIMESTAMP

SELECT a
FROM nowhere
--! :2:6: Table not found: nowhere: no source has this name; npm run new -- --source nowhere --from FILE creates sql/sources/nowhere (known: customers, orders, task_runs, web_visits)

SELECT order_id FROM `my-project.shop.orders_*`
--! :1:22: Table not found: `my-project.shop.orders_*`: no source has this name; npm run new -- --source 'shop.orders_*' --from FILE creates sql/sources/shop.orders, whose table.json needs "table": "my-project.shop.orders_*" (known: customers, orders, task_runs, web_visits)

SELECT
  FROM
--! :2:3: Syntax error: SELECT list must not be empty

SELECT country FROM customers WHERE country = @key
--! wrong.query was not created: parameters must not contain the name key: a name has up to 64 lower-case letters, digits and _, with a letter first; key and keys are reserved for warm.sql; format, since, limit, columns and cursor for the service

SELECT country FROM customers WHERE country = @Country
--! wrong.query was not created: uses @Country, which endpoint.json does not declare; did you mean @country?; declares parameters.country, which query.sql does not use

SELECT country FROM customers
WHERE STRUCT(country) = @s
--! :2:25: @s would be STRUCT<country STRING>, which is not a parameter type; cast a parameter of another type, such as STRING

SELECT COUNT(*) AS n FROM orders
--! :1:27: Cannot query over table 'orders' without a filter over column(s) 'order_day' that can be used for partition elimination: add order_day >= DATE_SUB(CURRENT_DATE(), INTERVAL 29 DAY) for the last 30 days

SELECT country,
  DATETIME(TIMESTAMP '2026-01-01', 'Europe/Berln') AS day FROM customers
--! :2:36: Invalid time zone: Europe/Berln

SELECT country FROM customers ORDER BY @sort
--! :1:40: ORDER BY sorts by one value for all rows, because a parameter is no name of a column: write a CASE for each column, such as CASE WHEN @sort = 'day' THEN day END

SELECT country, country FROM customers
--! :1:17: returns two columns named country: rename one with AS

SELECT ST_GEOGPOINT(1, 2) AS g FROM customers
--! wrong.query was not created: row.g.type must be one of BIGNUMERIC, BOOL, BYTES, DATE, DATETIME, FLOAT64, INT64, JSON, NUMERIC, RECORD, STRING, TIME, TIMESTAMP
