// One name for each type of column, which BigQuery's REST API calls by several.

// https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableFieldSchema
const SAME_TYPES = new Map([
  ['INTEGER', 'INT64'],
  ['FLOAT', 'FLOAT64'],
  ['BOOLEAN', 'BOOL'],
  ['STRUCT', 'RECORD'],
  ['DECIMAL', 'NUMERIC'],
  ['BIGDECIMAL', 'BIGNUMERIC'],
]);

/** The name that `row` in endpoint.json uses. */
export function columnType(name: string): string {
  return SAME_TYPES.get(name) ?? name;
}
