-- Queries, and the parts of each that take long on the local BigQuery.

-- # queries

SELECT SUM(id) OVER (PARTITION BY name ORDER BY id) + COUNT(*) OVER () AS n FROM a
-->

SELECT SUM(COUNT(*)) OVER (ORDER BY name) AS n FROM a GROUP BY name
--> the window of the aggregate

SELECT LENGTH(STRING_AGG(name) OVER (ORDER BY id)) AS n FROM a
--> the window of the aggregate at 1:26

SELECT SUM(id) OVER (ORDER BY id DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS n FROM a
--> the window of the aggregate at 1:12

SELECT COUNT(*) OVER w AS n FROM a WINDOW w AS (ORDER BY id)
--> the window of the aggregate

SELECT SUM(id) OVER (ORDER BY id ROWS 6 PRECEDING) AS n FROM a
-->

SELECT ROW_NUMBER() OVER (ORDER BY id) + LAG(id) OVER (ORDER BY id) AS n FROM a
-->

SELECT a.id AS n FROM a JOIN b ON a.id < b.id
--> the join without an equality at 1:30

SELECT a.id AS n FROM a, b WHERE a.id BETWEEN b.id AND b.id + 2
--> the join without an equality at 1:26

SELECT a.id AS n FROM a LEFT JOIN b ON a.id = 1
--> the join without an equality at 1:35

WITH c AS (SELECT id FROM b) SELECT a.id AS n FROM a JOIN c ON a.id != c.id
--> the join without an equality at 1:64

SELECT a.id AS n FROM a JOIN b ON a.id = b.id AND a.id < 9
-->

SELECT a.id AS n FROM a JOIN b USING (id)
-->

SELECT a.id AS n FROM a JOIN UNNEST([1, 2]) AS b ON a.id < b
-->

SELECT (SELECT COUNT(*) FROM b WHERE b.id < a.id) AS n FROM a
--> the subquery for each row without an equality at 1:8

SELECT id AS n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id > a.id)
--> the subquery for each row without an equality at 1:29

SELECT (SELECT COUNT(*) FROM b WHERE b.id = a.id) AS n FROM a
-->

SELECT id AS n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.name = a.name AND b.id > a.id)
-->
