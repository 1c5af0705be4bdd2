// Writes a first query of a table: rows per day where it has partitions, else its newest rows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnType } from '../../functions/google/column-type.ts';
import { isRepeated, partitionColumn, queryName } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';
import reservedWords from './reserved-words.json' with { type: 'json' };

/** Throws one sentence for a table without a column that a result can contain. */
export function tableQuery(source: Source): string {
  const { name, definition } = source;
  const common = { name, table: quoted(queryName(source)) };
  if (definition.shards !== undefined) {
    const isDay = definition.shards.format === 'YYYYMMDD';
    const from = isDay ? 'from_day' : 'from_shard';
    const start = isDay ? `FORMAT_DATE('%Y%m%d', @${from})` : `@${from}`;
    return filled('shards.sql', { ...common, from, start });
  }
  const partition = partitionColumn(source);
  if (partition !== undefined) {
    const column = quoted(partition.name);
    const isDay = columnType(partition.type) === 'DATE';
    const from = isDay ? 'from_day' : 'from_time';
    return filled('days.sql', { ...common, from, column, day: isDay ? column : `DATE(${column})` });
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
    const remedy = 'write a query and pass it with --sql';
    throw new Error(`${name} has no column that a result can contain; ${remedy}.`);
  }
  const time = columns.find(({ type }) => TIMES.includes(columnType(type)));
  return filled('rows.sql', {
    ...common,
    question: time ? `What are the newest rows of ${name}?` : `Which rows does ${name} have?`,
    columns: columns.map((column) => `  ${quoted(column.name)}`).join(',\n'),
    order: quoted((time ?? first).name) + (time ? ' DESC' : ''),
  });
}

const TIMES = ['TIMESTAMP', 'DATETIME', 'DATE'];
const TYPES = ['STRING', 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'BOOL', 'TIME', ...TIMES];

function filled(file: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(import.meta.dirname, 'table-queries', file), 'utf8');
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#reserved_keywords */
const RESERVED = new Set(reservedWords);

function quoted(name: string): string {
  const isPlainName = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(name);
  return isPlainName && !RESERVED.has(name.toUpperCase()) ? name : `\`${name}\``;
}
