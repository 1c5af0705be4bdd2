-- {question} One row per row of {name}.
-- Cost: scans all of {name}.
SELECT
{columns}
FROM {table}
ORDER BY {order}
LIMIT 100
