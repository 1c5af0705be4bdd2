// Encodes the rows of a table as files and tests write them, with the pseudo columns of the table.
import { isObject } from '../../../functions/core/json.ts';
import { FIRST_INSTANT, periodOf, startOf } from './date-parts.ts';
import { InvalidValueError, timestampMicros } from './engine-values.ts';
import { type RowEncoder, createRowEncoder } from './row-encoder.ts';
import type { TableField } from './table-schema.ts';
import { PARTITION_DATE, PARTITION_TIME, TABLE_SUFFIX, pseudoColumns } from './pseudo-columns.ts';
import { shardStart } from './shard-format.ts';
import type { Partitioning, TableDefinition } from './table-definition.ts';

/** A table with its columns; without a definition it has neither partitions nor shards. */
export interface RowTable {
  fields: readonly TableField[];
  definition?: Pick<TableDefinition, 'partitioning' | 'shards'>;
}

/** A row has the cells of its columns, then those of the pseudo columns. See `createRowEncoder`. */
export function createTableRowEncoder(
  { fields, definition }: RowTable,
  onUnknownField?: (path: string) => void,
): RowEncoder {
  const pseudo = pseudoColumns(definition);
  const encode = createRowEncoder([...fields, ...pseudo], onUnknownField);
  if (pseudo.length === 0) return encode;
  const { shards, partitioning } = definition ?? {};
  return (row) => {
    if (!isObject(row)) return encode(row);
    if (shards) {
      const suffix = row[TABLE_SUFFIX.name];
      if (typeof suffix !== 'string' || shardStart(shards.format, suffix) === undefined) {
        const found = suffix === undefined ? 'is missing' : `is ${JSON.stringify(suffix)}`;
        const expected = `the shard of the row as ${shards.format}`;
        throw new InvalidValueError(`${TABLE_SUFFIX.name} ${found}; expected ${expected}`);
      }
    }
    return encode(partitioning ? { ...row, ...partitionOf(row, partitioning) } : row);
  };
}

/** The pseudo columns of a row that says the time at which it came in, or its day. */
function partitionOf(
  row: Readonly<Record<string, unknown>>,
  { type }: Partitioning,
): Record<string, string> {
  const given = row[PARTITION_TIME.name] ?? row[PARTITION_DATE.name];
  if (given === undefined || given === null) return {};
  const instant = typeof given === 'string' ? timestampMicros(given) : undefined;
  if (instant === undefined || instant < FIRST_INSTANT) {
    const message = `${PARTITION_TIME.name} is ${JSON.stringify(given)}; expected a time such as "2026-11-20T10:00:00Z"`;
    throw new InvalidValueError(message);
  }
  const start = new Date(Number(startOf(type, periodOf(type, instant)) / 1000n)).toISOString();
  return {
    [PARTITION_TIME.name]: start,
    ...(type === 'DAY' ? { [PARTITION_DATE.name]: start.slice(0, 10) } : {}),
  };
}
