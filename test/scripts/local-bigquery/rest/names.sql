-- Queries with the names of tables: what they read, their errors, and the rows of names that are also columns.

-- # reads

--- Bare: the default dataset.
SELECT source FROM orders
--> orders

SELECT source FROM `orders`
--> orders

SELECT orders.source FROM orders
--> orders

SELECT ORDERS.SOURCE FROM orders
--> orders

SELECT source FROM Orders
--> Orders

SELECT source FROM sales
--> sales

--- With a dataset.
SELECT source FROM logs.orders
--> orders

SELECT source FROM crm.orders
--> crm.orders

SELECT source FROM `crm.orders`
--> crm.orders

SELECT source FROM `crm`.`orders`
--> crm.orders

SELECT source FROM crm.`orders`
--> crm.orders

SELECT source FROM `crm`.orders
--> crm.orders

SELECT source FROM crm . orders
--> crm.orders

SELECT source FROM crm.`order list`
--> crm.order list

SELECT source FROM `crm.order list`
--> crm.order list

--- With a project.
SELECT source FROM test-project.crm.orders
--> crm.orders

SELECT source FROM `test-project.crm.orders`
--> crm.orders

SELECT source FROM `test-project`.crm.orders
--> crm.orders

SELECT source FROM `test-project`.`crm.orders`
--> crm.orders

SELECT source FROM `test-project.crm`.orders
--> crm.orders

SELECT source FROM test-project.logs.orders
--> orders

SELECT source FROM acme-billing.billing.orders
--> billing.orders

SELECT source FROM `acme-billing.billing.orders`
--> billing.orders

--- A table goes by its last name, however it is quoted.
SELECT orders.source FROM crm.orders
--> crm.orders

SELECT orders.source FROM `crm.orders`
--> crm.orders

SELECT orders.source FROM `acme-billing.billing.orders`
--> billing.orders

SELECT customers.source FROM `test-project.crm.customers`
--> crm.customers

SELECT `order list`.source FROM `crm.order list`
--> crm.order list

SELECT source FROM `crm.orders`, orders.tags
--> crm.orders

SELECT source FROM `crm.orders`, UNNEST(orders.tags) AS tag
--> crm.orders

--- Aliases, which have any letter case.
SELECT o.source FROM crm.orders AS o
--> crm.orders

SELECT O.source FROM `crm.orders` o
--> crm.orders

SELECT orders.source FROM crm.customers AS orders
--> crm.customers

SELECT crm.source FROM crm.orders AS crm
--> crm.orders

--- A WITH query hides a bare name, in any letter case, and no other.
WITH orders AS (SELECT 'query' AS source) SELECT source FROM orders
--> query

WITH orders AS (SELECT 'query' AS source) SELECT source FROM ORDERS
--> query

WITH orders AS (SELECT 'query' AS source) SELECT source FROM `orders`
--> query

WITH orders AS (SELECT 'query' AS source) SELECT source FROM crm.orders
--> crm.orders

WITH orders AS (SELECT 'query' AS source) SELECT source FROM `crm.orders`
--> crm.orders

WITH orders AS (SELECT 'query' AS source) SELECT source FROM logs.orders
--> orders

WITH orders AS (SELECT * FROM orders) SELECT source FROM orders
--> orders

WITH orders AS (SELECT * FROM crm.orders) SELECT source FROM orders
--> crm.orders

--- Several of one last name.
SELECT b.source FROM orders AS a JOIN crm.orders AS b ON TRUE
--> crm.orders

SELECT b.source FROM `crm.orders` a, acme-billing.billing.orders b
--> billing.orders

SELECT source FROM orders WHERE EXISTS (SELECT 1 FROM `crm.orders`)
--> orders

--- In the body of a function.
CREATE TEMP FUNCTION f() AS ((SELECT MAX(orders.source) FROM `crm.orders`)); SELECT f() FROM orders
--> crm.orders

CREATE TEMP FUNCTION f() AS ((SELECT MAX(source) FROM crm.orders JOIN crm.customers USING (source))); SELECT COALESCE(f(), source) FROM crm.customers
--> crm.customers

--- What looks like a name and is none.
SELECT source FROM crm.orders WHERE source != '`logs.orders`' -- `logs.orders`
--> crm.orders

-- # rejected

SELECT source FROM customers
--! Not found: Table test-project:logs.customers

SELECT source FROM ORDERS
--! Not found: Table test-project:logs.ORDERS

SELECT source FROM `crm.Orders`
--! Not found: Table test-project:crm.Orders

SELECT source FROM CRM.orders
--! Not found: Dataset test-project:CRM

SELECT source FROM crm.invoices
--! Not found: Table test-project:crm.invoices

SELECT source FROM `crm.invoices`
--! Not found: Table test-project:crm.invoices

SELECT source FROM nowhere.orders
--! Not found: Dataset test-project:nowhere

--- The table is in the project that table.json names, and not in that of the job.
SELECT source FROM billing.orders
--! Not found: Dataset test-project:billing

SELECT source FROM acme-billing.crm.orders
--! Not found: Dataset acme-billing:crm

SELECT source FROM `elsewhere.crm.orders`
--! Not found: Dataset elsewhere:crm

--- The name of a view stands for the table behind it, and the table has no other.
SELECT source FROM acme-shop.shop.sales
--! Not found: Dataset acme-shop:shop

-- # gives

--- A column wins over the name of its quoted table.
SELECT MAX(age) FROM `shop.age`
--> 60

SELECT age FROM `shop.age` GROUP BY age ORDER BY age LIMIT 1
--> 40

SELECT MAX(AGE) FROM `shop.age` WHERE age < 50
--> 40

SELECT MAX(age) FROM `test-project.shop.age`
--> 60

SELECT MAX(age.age) FROM `shop.age`
--> 60

SELECT COUNT(DISTINCT age) FROM (SELECT age FROM `shop.age`)
--> 2

SELECT MAX(t.age + age) FROM `shop.age` AS t
--> 120

SELECT MAX(`shop.age`.id) FROM `shop.age`
--> 2

FROM `shop.age` |> EXTEND 1 AS x |> AGGREGATE MAX(age)
--> 60

FROM `shop.age` |> LIMIT 2 |> WHERE age > 40 |> SELECT age
--> 60

FROM `shop.age` |> EXTEND 1 AS x |> WHERE age.id > 1 |> SELECT x
--> 1

--- The name of a WITH query or of an alias hides no dataset.
WITH shop AS (SELECT 1 AS id) SELECT y.age FROM shop JOIN `shop.age` AS y USING (id)
--> 40

WITH shop AS (SELECT 2 AS id) SELECT age FROM shop JOIN `shop.age` USING (id)
--> 60

WITH shop AS (SELECT 1 AS id) SELECT y.age FROM shop, `shop.age` AS y WHERE y.id = 2
--> 60

SELECT y.age FROM (SELECT 1 AS id) AS shop JOIN `shop.age` AS y USING (id)
--> 40

--- A back quote needs no space before it.
SELECT MAX(id) FROM`shop.age`
--> 2

SELECT MAX(b.id) FROM `shop.age` AS a JOIN`shop.age` AS b USING (id)
--> 2

SELECT COUNT(*) FROM(SELECT id FROM`shop.age`)
--> 2
