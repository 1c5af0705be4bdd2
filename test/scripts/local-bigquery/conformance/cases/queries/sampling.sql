-- TABLESAMPLE: which rows it takes is open, so these cases ask for what holds of any sample.

-- a sample has no more rows than its table
SELECT COUNT(*) BETWEEN 0 AND 4 FROM logs.produce TABLESAMPLE SYSTEM (50 PERCENT)
--> ["true"]

-- a sample holds rows of its table only
SELECT COUNT(*) FROM logs.produce TABLESAMPLE SYSTEM (50 PERCENT) WHERE sales NOT IN (2, 5, 7, 8)
--> ["0"]

-- a sample of 100 percent is the table
SELECT COUNT(*), SUM(sales) FROM logs.produce TABLESAMPLE SYSTEM (100 PERCENT)
--> ["4", "22"]

-- no row comes twice
SELECT COUNT(*) = COUNT(DISTINCT sales) FROM logs.produce TABLESAMPLE SYSTEM (75 PERCENT)
--> ["true"]

-- a sample of a table with an alias joins other tables
SELECT COUNT(*) <= 4 FROM logs.produce AS p TABLESAMPLE SYSTEM (50 PERCENT) JOIN logs.produce AS q ON p.sales = q.sales
--> ["true"]

-- a sample of no percent is empty
SELECT COUNT(*) FROM logs.produce TABLESAMPLE SYSTEM (0 PERCENT)
--> ["0"]
