-- PIVOT and UNPIVOT.

-- PIVOT turns values into columns, grouped by all other columns
WITH sold AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS sales, 'Q1' AS quarter, 2020 AS year),
  ('Kale', 23, 'Q2', 2020), ('Kale', 2, 'Q1', 2021), ('Apple', 77, 'Q1', 2020), ('Apple', 1, 'Q1', 2021)]))
SELECT * FROM sold PIVOT (SUM(sales) FOR quarter IN ('Q1', 'Q2')) ORDER BY product, year
--> { "product": "Apple", "year": "2020", "Q1": "77", "Q2": null }
--> { "product": "Apple", "year": "2021", "Q1": "1", "Q2": null }
--> { "product": "Kale", "year": "2020", "Q1": "51", "Q2": "23" }
--> { "product": "Kale", "year": "2021", "Q1": "2", "Q2": null }

-- PIVOT of a subquery groups by its columns only
WITH sold AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS sales, 'Q1' AS quarter, 2020 AS year),
  ('Kale', 23, 'Q2', 2020), ('Kale', 2, 'Q1', 2021), ('Apple', 77, 'Q1', 2020), ('Apple', 1, 'Q1', 2021)]))
SELECT * FROM (SELECT product, sales, quarter FROM sold) PIVOT (SUM(sales) FOR quarter IN ('Q1', 'Q2', 'Q3')) ORDER BY product
--> { "product": "Apple", "Q1": "78", "Q2": null, "Q3": null }
--> { "product": "Kale", "Q1": "53", "Q2": "23", "Q3": null }

-- PIVOT with two aggregates names columns by their aliases
WITH sold AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS sales, 'Q1' AS quarter, 2020 AS year),
  ('Kale', 23, 'Q2', 2020), ('Kale', 2, 'Q1', 2021), ('Apple', 77, 'Q1', 2020), ('Apple', 1, 'Q1', 2021)]))
SELECT * FROM (SELECT product, sales, quarter FROM sold) PIVOT (SUM(sales) AS total, COUNT(*) AS n FOR quarter IN ('Q1', 'Q2' AS second)) ORDER BY product
--> { "product": "Apple", "total_Q1": "78", "n_Q1": "2", "total_second": null, "n_second": "0" }
--> { "product": "Kale", "total_Q1": "53", "n_Q1": "2", "total_second": "23", "n_second": "1" }

-- PIVOT over integers names columns with an underscore
WITH sold AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS sales, 'Q1' AS quarter, 2020 AS year),
  ('Kale', 23, 'Q2', 2020), ('Kale', 2, 'Q1', 2021), ('Apple', 77, 'Q1', 2020), ('Apple', 1, 'Q1', 2021)]))
SELECT * FROM (SELECT sales, year FROM sold) PIVOT (SUM(sales) FOR year IN (2020, 2021))
--> { "_2020": "151", "_2021": "3" }

-- a pivot may have an alias
WITH sold AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS sales, 'Q1' AS quarter, 2020 AS year),
  ('Kale', 23, 'Q2', 2020), ('Kale', 2, 'Q1', 2021), ('Apple', 77, 'Q1', 2020), ('Apple', 1, 'Q1', 2021)]))
SELECT p.Q1 FROM (SELECT sales, quarter FROM sold) PIVOT (MAX(sales) FOR quarter IN ('Q1')) AS p
--> { "Q1": "77" }

-- UNPIVOT turns columns into rows, without those of NULL
WITH wide AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS q1, 23 AS q2, 45 AS q3, 3 AS q4), ('Apple', 77, 0, NULL, 2)]))
SELECT * FROM wide UNPIVOT (sales FOR quarter IN (q1, q2, q3, q4)) ORDER BY product, quarter
--> { "product": "Apple", "sales": "77", "quarter": "q1" }
--> { "product": "Apple", "sales": "0", "quarter": "q2" }
--> { "product": "Apple", "sales": "2", "quarter": "q4" }
--> { "product": "Kale", "sales": "51", "quarter": "q1" }
--> { "product": "Kale", "sales": "23", "quarter": "q2" }
--> { "product": "Kale", "sales": "45", "quarter": "q3" }
--> { "product": "Kale", "sales": "3", "quarter": "q4" }

-- UNPIVOT INCLUDE NULLS keeps them, and AS labels a column
WITH wide AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS q1, 23 AS q2, 45 AS q3, 3 AS q4), ('Apple', 77, 0, NULL, 2)]))
SELECT product, quarter, sales FROM wide UNPIVOT INCLUDE NULLS (sales FOR quarter IN (q3 AS 'third', q4 AS 'fourth')) WHERE product = 'Apple' ORDER BY quarter
--> ["Apple", "fourth", "2"]
--> ["Apple", "third", null]

-- UNPIVOT takes several columns at once
WITH wide AS (SELECT * FROM UNNEST([STRUCT('Kale' AS product, 51 AS q1, 23 AS q2, 45 AS q3, 3 AS q4), ('Apple', 77, 0, NULL, 2)]))
SELECT product, half, a, b FROM wide UNPIVOT ((a, b) FOR half IN ((q1, q2) AS 1, (q3, q4) AS 2)) ORDER BY product, half
--> ["Apple", "1", "77", "0"]
--> ["Apple", "2", null, "2"]
--> ["Kale", "1", "51", "23"]
--> ["Kale", "2", "45", "3"]
