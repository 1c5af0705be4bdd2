-- How many rows does each shard of {name} have? One row per shard.
-- Cost: scans the shards of {name} from @{from} on.
SELECT
  _TABLE_SUFFIX AS shard,
  COUNT(*) AS row_count
FROM {table}
WHERE _TABLE_SUFFIX >= {start}
GROUP BY shard
ORDER BY shard
