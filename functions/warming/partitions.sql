-- Which tables of a dataset have changed, and which of their partitions? One row for each table, by name.
-- BigQuery bills 10 MiB, however many tables the dataset has. https://cloud.google.com/bigquery/docs/information-schema-partitions
-- What is in braces is replaced; @from_day is `20261127`, or empty if no partitions are wanted.
WITH partitions AS (
  SELECT
    table_name,
    partition_id,
    -- Rows and bytes too: BigQuery does not promise that a deletion moves the time.
    TO_JSON_STRING(
      STRUCT(partition_id, total_rows, total_logical_bytes, last_modified_time)
    ) AS state
  FROM `{dataset}.INFORMATION_SCHEMA.PARTITIONS`
  WHERE {condition}
)

SELECT
  table_name,
  LOGICAL_AND(partition_id IS NOT NULL) AS is_partitioned,
  LOGICAL_OR(IFNULL(partition_id = '__UNPARTITIONED__', FALSE)) AS is_streaming,
  TO_HEX(SHA256(STRING_AGG(state, '\n' ORDER BY state))) AS digest,
  STRING_AGG(
    IF(
      @from_day != ''
        AND REGEXP_CONTAINS(partition_id, r'^[0-9]{4,10}$')
        AND partition_id >= SUBSTR(@from_day, 1, LENGTH(partition_id)),
      CONCAT(partition_id, ':', SUBSTR(TO_HEX(SHA256(state)), 1, 16)),
      NULL
    ),
    ','
  ) AS listed
FROM partitions
GROUP BY table_name
ORDER BY table_name
