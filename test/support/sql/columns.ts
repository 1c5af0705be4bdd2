// Columns in the short form of a CREATE TABLE statement, and tables that have them.
import type { TableDefinition } from '../../../scripts/local-bigquery/values/table-definition.ts';
import type { TableField } from '../../../scripts/local-bigquery/values/table-schema.ts';
import { PLAIN_TABLE } from '../../../scripts/sources/read-definition.ts';
import type { Source } from '../../../scripts/sources/read-sources.ts';

/** Each as `name TYPE` or `name TYPE MODE`, a record with its fields in parentheses behind; separated by commas. */
export function columns(list: string): TableField[] {
  return separated(list).map((column) => {
    const [, name = '', type = '', mode, fields] = COLUMN.exec(column) ?? [];
    const nested = fields === undefined ? {} : { fields: columns(fields) };
    return { name, type, ...(mode === undefined ? {} : { mode }), ...nested };
  });
}

/** A table with its columns in that form, and what its table.json says. */
export function source(
  name: string,
  list: string,
  definition: Partial<TableDefinition> = {},
): Source {
  return { name, fields: columns(list), definition: { ...PLAIN_TABLE, ...definition } };
}

const COLUMN = /^(\S+) (\w+)(?: (\w+))?(?: \((.*)\))?$/s;

/** The parts between the commas outside of parentheses. */
function separated(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of list.replaceAll(/(?<=[,(])\s+/g, '')) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(parts.pop() + character);
  }
  return parts;
}
