-- Stored tables: whole rows, nested and repeated fields, names, columns that only some parts need.

-- SELECT * gives every column, with records and lists
SELECT * FROM logs.orders WHERE id = 1
--> { "id": "1", "at": "2026-01-01T10:00:00Z", "price": "1.5", "tags": ["new", "gift"], "buyer": { "name": "Ada", "age": "36" }, "lines": [{ "item": "apples", "count": "2" }, { "item": "bananas", "count": "1" }] }

-- a record that is missing is NULL, and so are its fields; a list is empty
SELECT id, buyer IS NULL, buyer.name, ARRAY_LENGTH(lines), price FROM orders ORDER BY id
--> ["1", "false", "Ada", "2", "1.5"]
--> ["2", "false", "Bob", "0", "20"]
--> ["3", "true", null, "1", null]

-- the alias of a table is its whole row
SELECT p, TO_JSON_STRING(p) FROM produce AS p WHERE sales = 8
--> [{ "item": "carrots", "sales": "8", "category": "vegetable" }, "{\"item\":\"carrots\",\"sales\":8,\"category\":\"vegetable\"}"]

-- a whole row in an aggregate and in ARRAY
SELECT ARRAY_AGG(p ORDER BY sales DESC LIMIT 1), (SELECT COUNT(q) FROM orders AS q) FROM produce AS p
--> [[{ "item": "carrots", "sales": "8", "category": "vegetable" }], "3"]

-- the fields of a list of records
SELECT o.id, l.item, l.count, n FROM orders AS o, o.lines AS l WITH OFFSET AS n ORDER BY id, n
--> ["1", "apples", "2", "0"]
--> ["1", "bananas", "1", "1"]
--> ["3", "apples", "5", "0"]

-- LEFT JOIN of a list keeps rows without elements
SELECT id, tag FROM orders LEFT JOIN UNNEST(tags) AS tag ORDER BY id, tag
--> ["1", "gift"]
--> ["1", "new"]
--> ["2", null]
--> ["3", "new"]

-- subqueries over lists of the row
SELECT id, (SELECT SUM(count) FROM UNNEST(lines)), EXISTS (SELECT 1 FROM UNNEST(lines) WHERE item = 'bananas'), 'new' IN UNNEST(tags), lines[SAFE_OFFSET(1)].item
  FROM orders ORDER BY id
--> ["1", "3", "true", "true", "bananas"]
--> ["2", null, "false", "false", null]
--> ["3", "5", "false", "true", null]

-- stored tables join by USING and by ON
SELECT item, SUM(count), SUM(sales) FROM orders, UNNEST(lines) JOIN (SELECT item, SUM(sales) AS sales FROM produce GROUP BY item) USING (item)
  GROUP BY item ORDER BY item
--> ["apples", "7", "18"]
--> ["bananas", "1", "5"]

-- PIVOT of a stored table groups by every other column
SELECT * FROM produce PIVOT (SUM(sales) FOR category IN ('fruit', 'vegetable')) ORDER BY item
--> { "item": "apples", "fruit": "9", "vegetable": null }
--> { "item": "bananas", "fruit": "5", "vegetable": null }
--> { "item": "carrots", "fruit": null, "vegetable": "8" }

-- SELECT * EXCEPT, of a WITH query too
WITH p AS (SELECT * FROM logs.produce) SELECT * EXCEPT (item), p.item AS last FROM p WHERE sales > 7
--> { "sales": "8", "category": "vegetable", "last": "carrots" }

-- a query of WITH hides the table of its name, but not its qualified name
WITH produce AS (SELECT 100 AS sales) SELECT (SELECT SUM(sales) FROM produce), (SELECT SUM(sales) FROM logs.produce)
--> ["100", "22"]

-- a query of WITH has the name of the table it reads
WITH produce AS (SELECT sales FROM logs.produce WHERE sales > 5) SELECT COUNT(*) FROM produce
--> ["2"]

-- the last part of the name of a table is its alias
SELECT produce.item FROM logs.produce WHERE produce.sales = 8
--> ["carrots"]

-- an alias hides the name of the table
SELECT orders.item, produce.id FROM produce AS orders, logs.orders AS produce WHERE orders.sales = 8 AND produce.id = 1
--> ["carrots", "1"]

-- a table read twice
SELECT a.item, b.sales FROM produce AS a JOIN produce AS b ON a.item = b.item AND a.sales < b.sales
--> ["apples", "7"]

-- COUNT(*) and a constant need no column
SELECT COUNT(*), (SELECT COUNT(*) FROM orders), EXISTS (SELECT * FROM orders WHERE FALSE) FROM produce
--> ["4", "3", "false"]

-- UNNEST of a path without UNNEST
SELECT COUNT(*), COUNT(DISTINCT tag) FROM logs.orders AS o CROSS JOIN o.tags AS tag
--> ["3", "2"]

-- ORDER BY and WHERE on fields of records
SELECT id, buyer.* FROM orders WHERE buyer.name IS NOT NULL ORDER BY buyer.name DESC
--> { "id": "2", "name": "Bob", "age": null }
--> { "id": "1", "name": "Ada", "age": "36" }

-- a table in text, in a comment and in a quoted alias is left alone
SELECT 'logs.produce' AS `logs_produce`, /* logs.produce */ COUNT(*) FROM logs.produce -- logs.produce
--> { "logs_produce": "logs.produce", "f0_": "4" }

-- WITH has the name of the table that it reads
WITH produce AS (SELECT * FROM logs.produce WHERE sales > 6), again AS (SELECT sales FROM produce) SELECT COUNT(*), SUM(sales) FROM again
--> ["2", "15"]

