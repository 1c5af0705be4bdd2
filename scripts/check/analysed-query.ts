// Analyses a query of an endpoint once for all checks, and finds out whether it runs locally.
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { queryParameters } from '../../functions/bigquery/query-configuration.ts';
import {
  EMPTY_ARRAY,
  GoogleSqlError,
  InvalidValueError,
  engineParameters,
  namedTables,
  originOf,
  otherRows,
  runnableQuery,
  tree,
  tableReferences,
} from '../local-bigquery/index.ts';
import type {
  Analysis,
  GoogleSql,
  NamedTables,
  PartitionedTable,
  QueryParameterType,
  ResolvedNode,
  TableReference,
} from '../local-bigquery/index.ts';
import { boundQueries } from './dry-run.ts';

export interface AnalysedQuery {
  analysis: Analysis;
  /** GoogleSQL's resolved tree. */
  resolved: unknown;
  references: readonly TableReference[];
  find: NamedTables['find'];
}

/** `query.sql` and `warm.sql` by these names, or the error if the engine cannot analyse it. */
export type AnalysedQueries = ReadonlyMap<string, AnalysedQuery | GoogleSqlError>;

/** Infers the parameters that are not declared. Throws `GoogleSqlError` where BigQuery would refuse the query. */
export async function analyseQuery(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  query: string,
  parameters: Readonly<Record<string, QueryParameterType>>,
): Promise<AnalysedQuery | GoogleSqlError> {
  try {
    const { find, ...named } = namedTables(query, tables);
    const asked = { ...named, parameters, infersOthers: true, withTree: true };
    const { resolved, ...analysis } = await engine.analyze(asked);
    return { analysis, resolved, references: tableReferences(analysis, find), find };
  } catch (error) {
    // A routine that is stored in a dataset is a fault here: the message names what to do.
    if (error instanceof GoogleSqlError && /^the routine /.test(error.message)) throw error;
    if (error instanceof GoogleSqlError && error.kind === 'unsupported') return error;
    throw error;
  }
}

/** Whether a function has an argument of ANY TYPE: the engine resolves its body only where it is called, and the tree has none. */
export function hasAnyType({ functions }: Analysis): boolean {
  return functions.some((one) => one.arguments.some(({ type }) => !type));
}

/** Where a node begins in the author's text; of a node that is written nowhere, its parts. */
export function offsetOf({ source }: Analysis, node: ResolvedNode): number | undefined {
  const bytes = Buffer.from(source.text);
  const places = tree.withNodesBelow(node).map((one) => tree.textPlaceOf(one, bytes)?.start);
  const starts = places.filter((start) => start !== undefined);
  return starts.length === 0 ? undefined : originOf(source, Math.min(...starts));
}

/** How long a query may take to show that it runs. */
const QUERY_MS = 5000;

/** Why a query cannot run on empty tables with its examples, for the first that cannot; undefined if all can. */
export async function reasonNotRunLocally(
  engine: GoogleSql,
  endpoint: Endpoint,
  queries: AnalysedQueries,
): Promise<string | undefined> {
  const bound = boundQueries({ endpoint });
  for (const [fileName, query] of queries) {
    const first = bound.find((found) => found.fileName === fileName);
    const reason = first && (await reasonOf(engine, query, queryParameters(first)));
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function reasonOf(engine: GoogleSql, query: AnalysedQuery | GoogleSqlError, bound: unknown) {
  try {
    const parameters = engineParameters(bound, EMPTY_ARRAY);
    if (query instanceof GoogleSqlError) throw query;
    const reason = query.analysis.notRun ?? query.references.map(otherRows).find(Boolean);
    if (reason !== undefined) return reason;
    await runOnEmptyTables(engine, query, parameters);
  } catch (error) {
    // Other faults are those of the query, which BigQuery has too, or of its example values.
    if (error instanceof GoogleSqlError && error.kind !== 'unsupported') return undefined;
    if (error instanceof GoogleSqlError || error instanceof InvalidValueError) {
      return error.message.replace(/ at \[\d+:\d+\]$/, '');
    }
    throw error;
  }
  return undefined;
}

/** Throws `GoogleSqlError` if the query fails without a row. */
async function runOnEmptyTables(
  engine: GoogleSql,
  { analysis, find }: Pick<AnalysedQuery, 'analysis' | 'find'>,
  parameters: ReturnType<typeof engineParameters>,
): Promise<void> {
  const { sql, functions, errorOf } = runnableQuery(analysis, undefined);
  const tables = analysis.tables.map((name) => {
    return { name, fields: find(name)?.fields ?? [], encodedRows: [] };
  });
  try {
    const signal = AbortSignal.timeout(QUERY_MS);
    await engine.evaluate({ sql, tables, functions, parameters, signal });
  } catch (error) {
    throw errorOf(error);
  }
}

/** The error of a query that reads no table. */
export async function errorOf(engine: GoogleSql, sql: string): Promise<GoogleSqlError | undefined> {
  try {
    const analysis = await engine.analyze({ sql, tables: [], parameters: {} });
    await runOnEmptyTables(engine, { analysis, find: () => undefined }, []);
    return undefined;
  } catch (error) {
    return GoogleSqlError.from(error);
  }
}
