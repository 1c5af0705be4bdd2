// Plans a query: checks and analyses it, and finds out which parts of its tables it reads and how many bytes BigQuery would bill.
import { BigQueryError, notRunLocally } from './error.ts';
import type { GoogleSql } from '../analysis/google-sql.ts';
import { GoogleSqlError } from '../engine/error.ts';
import { type EngineParameter, engineParameters } from '../values/query-parameters.ts';
import type { Analysis } from '../analysis/sql-script.ts';
import { shardStart, queriedTable } from '../values/table-definition.ts';
import { includesInstant, partitionsRead } from '../analysis/reads/column-ranges.ts';
import { type NamedTable, namedTables } from '../analysis/named-tables.ts';
import {
  missingFilter,
  otherRows,
  tableReads,
  tableReferences,
} from '../analysis/reads/table-reads.ts';
import { partitionsViews } from './table-state.ts';
import type { TablePart, TableStore } from './table-store.ts';

/** The used part of `JobConfigurationQuery`; requests may contain anything else. */
interface QueryConfiguration {
  query?: unknown;
  useLegacySql?: unknown;
  queryParameters?: unknown;
  defaultDataset?: { projectId?: string; datasetId?: string };
  maximumBytesBilled?: unknown;
}

export interface PlannedRequest {
  projectId: string;
  location: string;
  dryRun: boolean;
  query: QueryConfiguration;
  /** The time of the query. */
  startedMs: number;
}

/** Where queries run. */
export interface QueriedStore {
  engine: GoogleSql;
  store: TableStore;
  dataset: string;
}

interface AnalysedQuery {
  analysis: Analysis;
  find: (fullName: string) => NamedTable | undefined;
  parameters: readonly EngineParameter[];
}

export interface QueryPlan extends AnalysedQuery {
  parts: readonly TablePart[];
  /** Full names of those that it reads. */
  tables: readonly string[];
  bytesProcessed: number;
  bytesBilled: number;
}

/** Throws `BigQueryError`, or the error of the engine, when the request or the query is not valid. */
export async function planQuery(within: QueriedStore, request: PlannedRequest): Promise<QueryPlan> {
  const query = await analyze(within, request);
  const parts = await partsRead(within.engine, query, request);
  return { ...query, parts, ...bytesOf(within.store, query, parts) };
}

async function analyze(
  { engine, store, dataset }: QueriedStore,
  request: PlannedRequest,
): Promise<AnalysedQuery> {
  const { projectId, dryRun, query } = request;
  const parameters = engineParameters(query.queryParameters);
  const sql = queryText(query);
  const types = Object.fromEntries(parameters.map(({ name, type }) => [name, type]));
  const { datasetId, projectId: project } = query.defaultDataset ?? {};
  const views = partitionsViews(sql, store.tables, { project: projectId, dataset });
  const named = namedTables(sql, [...store.tables, ...views], {
    project: projectId,
    dataset,
    defaultDataset: datasetId === undefined ? undefined : { project, dataset: datasetId },
    suffixesOf: (name) => store.suffixesOf(name),
  });
  try {
    const analysis = await engine.analyze({
      sql: named.sql,
      tables: named.tables,
      // A dry run reports the parameters that were not given instead of refusing them.
      ...(dryRun && parameters.length === 0 ? {} : { parameters: types }),
    });
    if (analysis.statementKind !== 'SELECT' && !dryRun) {
      const kind = analysis.statementKind === 'SCRIPT' ? 'several' : analysis.statementKind;
      throw new BigQueryError('invalidQuery', `Not run locally: one SELECT only, found ${kind}`);
    }
    if (analysis.notRun !== undefined && !dryRun) {
      throw notRunLocally(new Error(analysis.notRun));
    }
    requireUniqueColumns(analysis);
    return { analysis, find: named.find, parameters };
  } catch (err) {
    if (!(err instanceof GoogleSqlError)) throw err;
    throw tableNotFound(err, request, { store, dataset }) ?? err;
  }
}

function queryText(query: QueryConfiguration): string {
  if (typeof query.query !== 'string' || query.query === '') {
    throw new BigQueryError('required', 'Required parameter is missing: query');
  }
  if (query.useLegacySql !== false) {
    throw new BigQueryError('invalid', 'Not run locally: legacy SQL; send useLegacySql: false');
  }
  return query.query;
}

function requireUniqueColumns({ columns }: Analysis): void {
  const lower = columns.map(({ name }) => name.toLowerCase());
  const twice = columns.filter((_, index) => lower.indexOf(lower[index] ?? '') < index);
  if (twice.length === 0) return;
  const names = twice.map(({ name }) => name).join(', ');
  const message = `Duplicate column names in the result are not supported. Found duplicate(s): ${names}`;
  throw new BigQueryError('invalidQuery', message);
}

/** What the query reads of each table. Throws if it lacks a filter that a table requires. */
async function partsRead(
  engine: GoogleSql,
  { analysis, find, parameters }: AnalysedQuery,
  { projectId, startedMs }: PlannedRequest,
): Promise<TablePart[]> {
  const references = tableReferences(analysis, find);
  for (const reference of analysis.statementKind === 'SELECT' ? references : []) {
    const message = missingFilter(reference, `${projectId}.${reference.table.fullName}`);
    if (message) throw new BigQueryError('invalidQuery', message);
    const reason = otherRows(reference);
    if (reason) throw notRunLocally(new Error(reason));
  }
  const reads = await tableReads(engine, references, parameters, startedMs);
  return reads.map(({ table, scan, values }) => {
    const { partitioning, shards } = table.source.definition ?? {};
    const isShardRead = (suffix: string): boolean => {
      const start = shards && shardStart(shards.format, suffix);
      return start === undefined || values === undefined || includesInstant(values, start);
    };
    const isRead = partitioning && values ? partitionsRead(partitioning, values) : () => true;
    return { table, columns: scan.columns, isRead, isShardRead };
  });
}

const MEBIBYTE = 1024 * 1024;
const MINIMUM_BYTES_PER_TABLE = 10 * MEBIBYTE;

function bytesOf(
  store: TableStore,
  { analysis, find }: AnalysedQuery,
  parts: readonly TablePart[],
): Pick<QueryPlan, 'tables' | 'bytesProcessed' | 'bytesBilled'> {
  const unsharded = analysis.tables.filter((table) => !find(table)?.shards);
  const bytes = new Map(unsharded.map((table) => [table, 0]));
  for (const part of parts) {
    if ('ofDataset' in part.table.source) {
      bytes.set(part.table.fullName, MINIMUM_BYTES_PER_TABLE);
      continue;
    }
    const read = store.bytesRead(part);
    for (const [name, size] of read) bytes.set(name, (bytes.get(name) ?? 0) + size);
  }
  const billedOf = (size: number): number =>
    Math.max(MINIMUM_BYTES_PER_TABLE, Math.ceil(size / MEBIBYTE) * MEBIBYTE);
  const sizes = [...bytes.values()];
  return {
    tables: [...bytes.keys()],
    bytesProcessed: sizes.reduce((sum, size) => sum + size, 0),
    bytesBilled: sizes.reduce((sum, size) => sum + billedOf(size), 0),
  };
}

const TABLE_NOT_FOUND = /^Table not found: (.+?)(?:; Did you mean .*?\?)?( at \[\d+:\d+\])?$/;

/** BigQuery's error for a table that the engine did not find; undefined for another error. */
function tableNotFound(
  err: GoogleSqlError,
  { projectId, query, location }: PlannedRequest,
  { store, dataset }: Pick<QueriedStore, 'store' | 'dataset'>,
): BigQueryError | undefined {
  const match = TABLE_NOT_FOUND.exec(err.message);
  if (!match) return undefined;
  const position = match[2] ?? '';
  const path = (match[1] ?? '').replaceAll('`', '').split('.');
  const table = path.pop() ?? '';
  const datasetId = path.pop() ?? query.defaultDataset?.datasetId;
  const project = path.join('.') || query.defaultDataset?.projectId || projectId;
  if (datasetId === undefined) {
    const message = `Table "${table}" must be qualified with a dataset (e.g. dataset.table).`;
    return new BigQueryError('invalid', message, { cause: err });
  }
  const name = `${project}:${datasetId}`;
  const places = store.tables.map((one) => ({ project: projectId, dataset, ...queriedTable(one) }));
  const beside = places.filter((one) => one.project === project && one.dataset === datasetId);
  const isKnown = beside.length > 0 || (project === projectId && datasetId === dataset);
  if (isKnown && table.endsWith('*')) {
    const message = `${name}.${table} does not match any table.`;
    if (!beside.some((one) => one.table.startsWith(table.slice(0, -1)))) {
      return new BigQueryError('invalid', message, { cause: err });
    }
    const reason = `the wildcard ${table}${position} matches tables that are not shards in table.json (write UNION ALL)`;
    return notRunLocally(new Error(reason));
  }
  const missing = isKnown ? `Table ${name}.${table}` : `Dataset ${name}`;
  const message = `Not found: ${missing} was not found in location ${location}${position}`;
  return new BigQueryError('notFound', message, { cause: err });
}
