-- Joins and UNNEST: every kind of join, USING, correlated arrays and subqueries.

-- INNER JOIN keeps matching pairs
WITH people AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'Ada' AS name), (2, 'Bob'), (3, 'Cy')])),
  pets AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'cat' AS pet), (1, 'dog'), (4, 'fox')])) SELECT name, pet FROM people JOIN pets ON people.id = pets.id ORDER BY pet
--> ["Ada", "cat"]
--> ["Ada", "dog"]

-- LEFT JOIN fills the right side with NULL, RIGHT JOIN the left one
WITH people AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'Ada' AS name), (2, 'Bob'), (3, 'Cy')])),
  pets AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'cat' AS pet), (1, 'dog'), (4, 'fox')])) SELECT 'left' AS side, name, pet FROM people LEFT JOIN pets USING (id)
  UNION ALL SELECT 'right', name, pet FROM people RIGHT JOIN pets USING (id) ORDER BY side, name, pet
--> ["left", "Ada", "cat"]
--> ["left", "Ada", "dog"]
--> ["left", "Bob", null]
--> ["left", "Cy", null]
--> ["right", null, "fox"]
--> ["right", "Ada", "cat"]
--> ["right", "Ada", "dog"]

-- FULL JOIN USING coalesces the common column, which comes first and once
WITH people AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'Ada' AS name), (2, 'Bob'), (3, 'Cy')])),
  pets AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'cat' AS pet), (1, 'dog'), (4, 'fox')])) SELECT * FROM people FULL JOIN pets USING (id) ORDER BY id, pet
--> { "id": "1", "name": "Ada", "pet": "cat" }
--> { "id": "1", "name": "Ada", "pet": "dog" }
--> { "id": "2", "name": "Bob", "pet": null }
--> { "id": "3", "name": "Cy", "pet": null }
--> { "id": "4", "name": null, "pet": "fox" }

-- a comma and CROSS JOIN give every pair
SELECT a, b FROM UNNEST([1, 2]) AS a, UNNEST([3, 4]) AS b UNION ALL SELECT a, b FROM UNNEST([5]) AS a CROSS JOIN UNNEST([6]) AS b ORDER BY a, b
--> ["1", "3"]
--> ["1", "4"]
--> ["2", "3"]
--> ["2", "4"]
--> ["5", "6"]

-- a correlated array drops the rows without elements; LEFT JOIN keeps them
WITH t AS (SELECT 1 AS id, ['a', 'b'] AS list UNION ALL SELECT 2, [] UNION ALL SELECT 3, NULL)
  SELECT id, x, n, 'cross' AS kind FROM t, t.list AS x WITH OFFSET AS n
  UNION ALL SELECT id, x, n, 'left' FROM t LEFT JOIN UNNEST(list) AS x WITH OFFSET AS n ORDER BY kind, id, n
--> ["1", "a", "0", "cross"]
--> ["1", "b", "1", "cross"]
--> ["1", "a", "0", "left"]
--> ["1", "b", "1", "left"]
--> ["2", null, null, "left"]
--> ["3", null, null, "left"]

-- UNNEST of structs gives their fields as columns; nested arrays unnest in turn
SELECT a, b FROM UNNEST([STRUCT(1 AS a, [10, 11] AS list), (2, [20])]) AS s, s.list AS b ORDER BY b
--> ["1", "10"]
--> ["1", "11"]
--> ["2", "20"]

-- NULL joins nothing
SELECT COUNT(*) FROM UNNEST([1, NULL]) AS a JOIN UNNEST([1, NULL]) AS b ON a = b
--> ["1"]

-- a condition of ON keeps the row of a LEFT JOIN, one of WHERE drops it
SELECT 'on' AS place, a, b FROM UNNEST([1, 2]) AS a LEFT JOIN UNNEST([1, 2]) AS b ON a = b AND b > 1
  UNION ALL SELECT 'where', a, b FROM UNNEST([1, 2]) AS a LEFT JOIN UNNEST([1, 2]) AS b ON a = b WHERE b > 1 ORDER BY place, a
--> ["on", "1", null]
--> ["on", "2", "2"]
--> ["where", "2", "2"]

-- EXISTS, IN and a scalar subquery read the outer row
WITH people AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'Ada' AS name), (2, 'Bob'), (3, 'Cy')])),
  pets AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'cat' AS pet), (1, 'dog'), (4, 'fox')])) SELECT name, EXISTS (SELECT 1 FROM pets WHERE pets.id = people.id), id IN (SELECT id FROM pets),
  (SELECT COUNT(*) FROM pets WHERE pets.id = people.id), ARRAY(SELECT pet FROM pets WHERE pets.id = people.id ORDER BY pet)
  FROM people WHERE id < 3 ORDER BY name
--> ["Ada", "true", "true", "2", ["cat", "dog"]]
--> ["Bob", "false", "false", "0", []]

-- NOT IN of a list with NULL is never true
SELECT x FROM UNNEST([1, 2]) AS x WHERE x NOT IN (SELECT y FROM UNNEST([1, NULL]) AS y)

-- joins nest in parentheses
WITH people AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'Ada' AS name), (2, 'Bob'), (3, 'Cy')])),
  pets AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'cat' AS pet), (1, 'dog'), (4, 'fox')])) SELECT p.name, a.pet AS one, b.pet AS other FROM people AS p LEFT JOIN (pets AS a JOIN pets AS b ON a.id = b.id AND a.pet < b.pet) ON p.id = a.id ORDER BY name
--> ["Ada", "cat", "dog"]
--> ["Bob", null, null]
--> ["Cy", null, null]

-- a table joins with itself by inequality
SELECT a, b FROM UNNEST([1, 2, 3]) AS a JOIN UNNEST([1, 2, 3]) AS b ON a < b ORDER BY a, b
--> ["1", "2"]
--> ["1", "3"]
--> ["2", "3"]

-- SELECT * EXCEPT and REPLACE change the list of columns
WITH people AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'Ada' AS name), (2, 'Bob'), (3, 'Cy')])),
  pets AS (SELECT * FROM UNNEST([STRUCT(1 AS id, 'cat' AS pet), (1, 'dog'), (4, 'fox')])) SELECT * EXCEPT (id) REPLACE (UPPER(name) AS name), people.* EXCEPT (name) FROM people WHERE id = 1
--> { "name": "ADA", "id": "1" }

-- a comma before a LEFT JOIN is a cross join before it
SELECT a, b, c FROM UNNEST([1]) AS a, UNNEST([2, 3]) AS b LEFT JOIN UNNEST([3]) AS c ON b = c ORDER BY b
--> ["1", "2", null]
--> ["1", "3", "3"]
