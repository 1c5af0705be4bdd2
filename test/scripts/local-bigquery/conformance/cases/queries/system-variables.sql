-- System variables: the project is test-project, the default dataset logs.

-- @@project_id is the project of the job
SELECT @@project_id
--> ["test-project"]

-- a system variable is an expression
SELECT CONCAT(@@project_id, '.logs'), LENGTH(@@project_id), UPPER(@@project_id)
--> ["test-project.logs", "12", "TEST-PROJECT"]

-- a system variable decides in WHERE and CASE
SELECT CASE @@project_id WHEN 'test-project' THEN 'here' ELSE 'elsewhere' END FROM UNNEST([1]) WHERE @@project_id LIKE 'test-%'
--> ["here"]

-- a system variable has any letter case
SELECT @@PROJECT_ID, @@Project_Id
--> ["test-project", "test-project"]

-- a system variable is an argument of a function
CREATE TEMP FUNCTION greet(name STRING) AS (CONCAT('hello ', name)); SELECT greet(@@project_id)
--> ["hello test-project"]

-- @@time_zone begins as UTC
SELECT @@time_zone
--> ["UTC"]

-- @@project_id in text and comments is left alone
SELECT '@@project_id', /* @@project_id */ "@@nothing"
--> ["@@project_id", "@@nothing"]
