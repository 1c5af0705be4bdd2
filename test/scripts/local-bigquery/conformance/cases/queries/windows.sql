-- Window functions: frames, ranking, navigation, QUALIFY.

-- with ORDER BY a window ends at the current row and its peers
SELECT x, SUM(x) OVER (ORDER BY x), SUM(x) OVER (ORDER BY x ROWS UNBOUNDED PRECEDING), SUM(x) OVER ()
  FROM UNNEST([1, 2, 2, 3]) AS x ORDER BY 1, 3
--> ["1", "1", "1", "8"]
--> ["2", "5", "3", "8"]
--> ["2", "5", "5", "8"]
--> ["3", "8", "8", "8"]

-- ROWS counts rows around the current one
SELECT x, AVG(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), COUNT(*) OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)
  FROM UNNEST([1, 3, 8]) AS x ORDER BY x
--> ["1", "2.0", "0"]
--> ["3", "4.0", "1"]
--> ["8", "5.5", "2"]

-- RANGE counts by the value of the order
SELECT x, COUNT(*) OVER (ORDER BY x RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM UNNEST([1, 2, 4, 4, 9]) AS x ORDER BY x
--> ["1", "1"]
--> ["2", "2"]
--> ["4", "3"]
--> ["4", "3"]
--> ["9", "1"]

-- a window counts each partition alone, and may have a name
SELECT item, SUM(sales) OVER w, COUNT(*) OVER (w) FROM logs.produce WINDOW w AS (PARTITION BY category) ORDER BY item, sales
--> ["apples", "14", "3"]
--> ["apples", "14", "3"]
--> ["bananas", "14", "3"]
--> ["carrots", "8", "1"]

-- ROW_NUMBER, RANK and DENSE_RANK number peers each in its way
SELECT x, ROW_NUMBER() OVER (ORDER BY x), RANK() OVER (ORDER BY x), DENSE_RANK() OVER (ORDER BY x) FROM UNNEST([10, 20, 20, 30]) AS x ORDER BY 2
--> ["10", "1", "1", "1"]
--> ["20", "2", "2", "2"]
--> ["20", "3", "2", "2"]
--> ["30", "4", "4", "3"]

-- PERCENT_RANK and CUME_DIST are shares
SELECT x, PERCENT_RANK() OVER (ORDER BY x), CUME_DIST() OVER (ORDER BY x) FROM UNNEST([1, 2, 2, 3, 4]) AS x ORDER BY x
--> ["1", "0.0", "0.2"]
--> ["2", "0.25", "0.6"]
--> ["2", "0.25", "0.6"]
--> ["3", "0.75", "0.8"]
--> ["4", "1.0", "1.0"]

-- NTILE gives the first buckets one row more
SELECT x, NTILE(3) OVER (ORDER BY x) FROM UNNEST([1, 2, 3, 4, 5]) AS x ORDER BY x
--> ["1", "1"]
--> ["2", "1"]
--> ["3", "2"]
--> ["4", "2"]
--> ["5", "3"]

-- LAG and LEAD look back and ahead, with a default
SELECT x, LAG(x) OVER w, LEAD(x) OVER w, LAG(x, 2, 0) OVER w FROM UNNEST([1, 2, 3]) AS x WINDOW w AS (ORDER BY x) ORDER BY x
--> ["1", null, "2", "0"]
--> ["2", "1", "3", "0"]
--> ["3", "2", null, "1"]

-- LAST_VALUE ends at the current row unless the frame is wider
SELECT x, LAST_VALUE(x) OVER (ORDER BY x), LAST_VALUE(x) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), FIRST_VALUE(x) OVER (ORDER BY x)
  FROM UNNEST([1, 2, 3]) AS x ORDER BY x
--> ["1", "1", "3", "1"]
--> ["2", "2", "3", "1"]
--> ["3", "3", "3", "1"]

-- LAST_VALUE IGNORE NULLS carries the last known value on
SELECT n, LAST_VALUE(x IGNORE NULLS) OVER (ORDER BY n), LAST_VALUE(x) OVER (ORDER BY n), FIRST_VALUE(x IGNORE NULLS) OVER (ORDER BY n)
  FROM UNNEST([NULL, 5, NULL, 7]) AS x WITH OFFSET AS n ORDER BY n
--> ["0", null, null, null]
--> ["1", "5", "5", "5"]
--> ["2", "5", null, "5"]
--> ["3", "7", "7", "5"]

-- NTH_VALUE is NULL until the frame has so many rows
SELECT x, NTH_VALUE(x, 2) OVER (ORDER BY x) FROM UNNEST([1, 2, 3]) AS x ORDER BY x
--> ["1", null]
--> ["2", "2"]
--> ["3", "2"]

-- PERCENTILE_CONT interpolates, PERCENTILE_DISC takes a value; both leave NULL out
SELECT PERCENTILE_CONT(x, 0) OVER (), PERCENTILE_CONT(x, 0.01) OVER (), PERCENTILE_CONT(x, 0.5) OVER (), PERCENTILE_CONT(x, 0.9) OVER (),
  PERCENTILE_DISC(x, 0.5) OVER (), PERCENTILE_CONT(x, 0.5 RESPECT NULLS) OVER ()
  FROM UNNEST([0, 3, NULL, 1, 2]) AS x LIMIT 1
--> ["0.0", "0.03", "1.5", "2.7", "1", "1.0"]

-- QUALIFY keeps rows by a window function
SELECT item, category FROM logs.produce QUALIFY ROW_NUMBER() OVER (PARTITION BY category ORDER BY sales DESC) = 1 ORDER BY item
--> ["apples", "fruit"]
--> ["carrots", "vegetable"]

-- QUALIFY may use an alias of the SELECT list, after GROUP BY and HAVING
SELECT category, item, SUM(sales) AS total, RANK() OVER (PARTITION BY category ORDER BY SUM(sales)) AS place
  FROM logs.produce GROUP BY category, item HAVING total > 1 QUALIFY place = 1 ORDER BY category
--> ["fruit", "bananas", "5", "1"]
--> ["vegetable", "carrots", "8", "1"]

-- aggregates collect over a frame
SELECT x, ARRAY_AGG(x) OVER (ORDER BY x ROWS 1 PRECEDING), STRING_AGG(CAST(x AS STRING), '+') OVER (ORDER BY x), COUNTIF(x > 1) OVER (ORDER BY x)
  FROM UNNEST([1, 2, 3]) AS x ORDER BY x
--> ["1", ["1"], "1", "0"]
--> ["2", ["1", "2"], "1+2", "1"]
--> ["3", ["2", "3"], "1+2+3", "2"]
