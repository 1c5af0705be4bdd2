// Columns in the short form of a CREATE TABLE statement.
import type { TableField } from '../../scripts/local-bigquery/values/table-schema.ts';

/** Each as `name TYPE` or `name TYPE MODE`, separated by commas. */
export function columns(list: string): TableField[] {
  return list.split(', ').map((column) => {
    const [name = '', type = '', mode] = column.split(' ');
    return { name, type, ...(mode === undefined ? {} : { mode }) };
  });
}
