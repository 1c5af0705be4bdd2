// Computes what a query reads of each table, from its filters and the values of its parameters.
import { isSymbol, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
import { type ColumnCondition, constantsIn, inFunctions } from './column-conditions.ts';
import type { GoogleSql } from '../google-sql.ts';
import type { EngineParameter } from '../../values/query-parameters.ts';
import type { TableScan } from './table-scans.ts';
import {
  PARTITION_DATE,
  PARTITION_TIME,
  TABLE_SUFFIX,
  pseudoColumns,
} from '../../values/table-definition.ts';
import { shardName, shardsRange, truncated } from './column-functions.ts';
import type { Constant, ConstantValue } from './column-functions.ts';
import { ALL_VALUES, intersection, valuesOf, partitionColumn } from './column-ranges.ts';
import type { ColumnValues } from './column-ranges.ts';
import type { NamedTable, NamedTables } from '../named-tables.ts';
import type { Analysis } from '../sql-script.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import { timestampMicros } from '../../values/civil-time.ts';
import { fixClock } from '../fixed-clock.ts';

export interface TableReference {
  table: NamedTable;
  scan: TableScan;
}

export interface TableRead extends TableReference {
  /** The values of the partition column, or the times of the shards, that the filters leave; else undefined. */
  values: ColumnValues | undefined;
  /** A text that the filter compares with the suffix of shards, but that no suffix begins with. */
  otherSuffix?: string | undefined;
}

export function tableReferences({ scans }: Pick<Analysis, 'scans'>, find: NamedTables['find']) {
  return scans.flatMap((scan) => {
    const table = find(scan.table);
    return table ? { table, scan } : [];
  });
}

/** What is read at `nowMs`, in the order of the references. A parameter without a value leaves its conditions open. */
export async function tableReads(
  engine: GoogleSql,
  references: readonly TableReference[],
  parameters: readonly EngineParameter[],
  nowMs: number,
): Promise<TableRead[]> {
  const conditions = references.map(partitionCondition);
  const constants = conditions.flatMap((condition) => (condition ? constantsIn(condition) : []));
  const values = await constantValues(engine, constants, parameters, nowMs);
  return references.map(({ table, scan }, index) => {
    const column = table.shards ? PARTITION_TIME : partitionColumn(table.source);
    const condition = conditions[index];
    if (column === undefined) return { table, scan, values: undefined };
    const valueOfConstant = (constant: Constant): ConstantValue => values.get(constant);
    const read = condition ? valuesOf(condition, column.type, valueOfConstant) : ALL_VALUES;
    const { format } = table.source.definition?.shards ?? {};
    if (!table.shards || !format) return { table, scan, values: read };
    const named = { ranges: [shardsRange(format, table.shards.suffix)], hasNull: false };
    const length = format.length - table.shards.suffix.length;
    const compared = (condition ? constantsIn(condition) : []).map((one) => values.get(one));
    const otherSuffix = compared
      .filter((value) => typeof value === 'string')
      .find((text) => isOther(text, length));
    return { table, scan, values: intersection(read, named), otherSuffix };
  });
}

/** A time of another format than the suffixes, which have digits alone. Other texts, such as `intraday`, may be bounds. */
function isOther(text: string, length: number): boolean {
  return /^\d+[^\d\w]+\d/.test(text) || (/^\d+$/.test(text) && text.length > length);
}

/** BigQuery's message if a table requires a filter and no filter of the query prunes it. */
export function missingFilter(reference: TableReference, tableName: string): string | undefined {
  const { partitioning, requirePartitionFilter } = reference.table.source.definition ?? {};
  if (!partitioning || !requirePartitionFilter || partitionCondition(reference)) return undefined;
  const pseudo = pseudoColumns({ partitioning }).map(({ name }) => name);
  const columns = partitioning.field ?? pseudo.join(', ');
  return `Cannot query over table '${tableName}' without a filter over column(s) '${columns}' that can be used for partition elimination`;
}

/** Whether no filter excludes shards of a table that requires a filter: BigQuery reads them all without an error. */
export function readsAllShards(reference: TableReference): boolean {
  const { source, shards } = reference.table;
  if (!shards || shards.isOne || !source.definition?.requirePartitionFilter) return false;
  return partitionCondition(reference) === undefined;
}

/** Why a wildcard has other rows in BigQuery: it also matches a table that is not read here. */
export function otherRows({ table, scan }: TableReference): string | undefined {
  const bound = scan.conditions.get(TABLE_SUFFIX.name);
  if (!table.shards?.other || (bound && hasUpperBound(bound))) return undefined;
  return `${table.fullName} also matches the table ${table.shards.other}, which is not read here (give _TABLE_SUFFIX an upper bound)`;
}

function hasUpperBound(condition: ColumnCondition): boolean {
  if (condition.kind === 'null') return false;
  if (condition.kind === 'comparison') return !condition.operator.startsWith('>');
  const { kind, conditions } = condition;
  return kind === 'all' ? conditions.some(hasUpperBound) : conditions.every(hasUpperBound);
}

/** The condition on the partition column, or on the time of the shards. */
export function partitionCondition({ table, scan }: TableReference): ColumnCondition | undefined {
  const { source, shards } = table;
  const { shards: ofSource } = source.definition ?? {};
  if (shards && ofSource) {
    const { format } = ofSource;
    const condition = scan.conditions.get(TABLE_SUFFIX.name);
    return condition && inFunctions(condition, [shardName(shards.suffix, format)]);
  }
  const column = partitionColumn(source);
  const condition = scan.conditions.get(column?.name ?? '');
  const ofDay = column === PARTITION_TIME ? scan.conditions.get(PARTITION_DATE.name) : undefined;
  const ofTime = ofDay && inFunctions(ofDay, [truncated('DAY')]);
  const conditions = [condition ?? [], ofTime ?? []].flat();
  return conditions.length > 1 ? { kind: 'all', conditions } : conditions[0];
}

/** The columns that the engine needs, by table: those that are read, and those that are only named. At least one per table. */
export function columnsNeeded(
  { statement, functions, reads }: Analysis,
  find: NamedTables['find'],
): Map<NamedTable, Set<string>> {
  const words = [statement, ...functions.map(({ body }) => body)].flatMap(tokens);
  const names = new Set(words.map(nameOf));
  const beforeStar = words.filter((_, index) => isSymbol(words[index + 1], '*'));
  const isStar = beforeStar.some(({ text }) =>
    /^(SELECT|DISTINCT|ALL|STRUCT|VALUE|,|\.)$/i.test(text),
  );
  const needed = new Map<NamedTable, Set<string>>();
  for (const { table, columns } of reads) {
    const found = find(table);
    if (found === undefined) continue;
    const all = found.fields.map(({ name }) => name);
    const named = all.filter((column) => isStar || names.has(column.toLowerCase()));
    const some = [...(needed.get(found) ?? []), ...columns, ...named];
    needed.set(found, new Set(some.length > 0 ? some : all.slice(0, 1)));
  }
  return needed;
}

/** Asks the engine for the values at `nowMs`. Throws `GoogleSqlError` if the engine fails. */
export async function constantValues(
  engine: GoogleSql,
  constants: readonly Constant[],
  parameters: readonly EngineParameter[],
  nowMs: number,
): Promise<Map<Constant, ConstantValue>> {
  if (constants.length === 0) return new Map();
  const evaluate = async (some: readonly Constant[]): Promise<[Constant, ConstantValue][]> => {
    const columns = some.map(({ sql, type }) => `CAST((${sql}\n) AS ${type})`);
    const sql = fixClock(`SELECT ${columns.join(', ')}`, nowMs);
    try {
      const { rows } = await engine.evaluate({ sql, parameters });
      const cells = rows[0]?.f ?? [];
      return some.map((constant, index) => [constant, valueOf(cells[index]?.v, constant.type)]);
    } catch (err) {
      if (!(err instanceof GoogleSqlError) || err.kind === 'engine') throw err;
      if (some.length > 1) return (await Promise.all(some.map((one) => evaluate([one])))).flat();
      return some.map((constant) => [constant, undefined]);
    }
  };
  return new Map(await evaluate(constants));
}

function valueOf(cell: unknown, type: string): ConstantValue {
  if (typeof cell !== 'string') return cell === null ? null : undefined;
  if (type === 'STRING') return cell;
  return type === 'INT64' || type === 'TIMESTAMP' ? BigInt(cell) : timestampMicros(cell);
}
