// Writes a first query of a table: rows per day where it has partitions, else its newest rows.
import { columnType } from '../../functions/google/column-value.ts';
import { isRepeated, partitionColumn, queryName } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';

/** Throws one sentence for a table without a column that a result can contain. */
export function tableQuery(source: Source): string {
  const { name } = source;
  const table = quoted(queryName(source));
  if (source.definition.shards !== undefined) {
    const isDay = source.definition.shards.format === 'YYYYMMDD';
    const from = isDay ? 'from_day' : 'from_shard';
    return `-- How many rows does each shard of ${name} have? One row per shard.
-- Cost: scans the shards of ${name} from @${from} on.
SELECT
  _TABLE_SUFFIX AS shard,
  COUNT(*) AS row_count
FROM ${table}
WHERE _TABLE_SUFFIX >= ${isDay ? `FORMAT_DATE('%Y%m%d', @${from})` : `@${from}`}
GROUP BY shard
ORDER BY shard
`;
  }
  const partition = partitionColumn(source);
  if (partition !== undefined) {
    const column = quoted(partition.name);
    const isDay = columnType(partition.type) === 'DATE';
    const from = isDay ? 'from_day' : 'from_time';
    const day = isDay ? column : `DATE(${column})`;
    return `-- How many rows of ${name} does each day have? One row per day.
-- Cost: scans the partitions of ${name} from @${from} on.
SELECT
  ${day} AS day,
  COUNT(*) AS row_count
FROM ${table}
WHERE ${column} >= @${from}
GROUP BY day
ORDER BY day
`;
  }
  // Scalars with a name that a column of an answer can have.
  const columns = source.fields.filter(
    (field) =>
      TYPES.includes(columnType(field.type.toUpperCase())) &&
      !isRepeated(field) &&
      /^[A-Za-z_]\w{0,299}$/.test(field.name),
  );
  const [first] = columns;
  if (first === undefined) {
    throw new Error(
      `${name} has no column that a result can contain; write a query and pass it with --sql.`,
    );
  }
  const time = columns.find(({ type }) => TIMES.includes(columnType(type)));
  const question = time ? `What are the newest rows of ${name}?` : `Which rows does ${name} have?`;
  return `-- ${question} One row per row of ${name}.
-- Cost: scans all of ${name}.
SELECT
${columns.map((column) => `  ${quoted(column.name)}`).join(',\n')}
FROM ${table}
ORDER BY ${quoted((time ?? first).name)}${time ? ' DESC' : ''}
LIMIT 100
`;
}

const TIMES = ['TIMESTAMP', 'DATETIME', 'DATE'];
const TYPES = ['STRING', 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'BOOL', 'TIME', ...TIMES];

/** https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#reserved_keywords */
const RESERVED = new Set(
  'ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS CUBE CURRENT DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN WHERE WINDOW WITH WITHIN'.split(
    ' ',
  ),
);

function quoted(name: string): string {
  const isPlainName = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(name);
  return isPlainName && !RESERVED.has(name.toUpperCase()) ? name : `\`${name}\``;
}
