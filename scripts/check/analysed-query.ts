// Analyses a query of an endpoint once for all checks, and finds out whether it runs locally.
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { queryParameters } from '../../functions/google/query-configuration.ts';
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
  usesOf,
} from '../local-bigquery/index.ts';
import type {
  Analysis,
  GoogleSql,
  NamedTables,
  PartitionedTable,
  QueryParameterType,
  RegisteredCatalogue,
  ResolvedNode,
  TableReference,
  Use,
} from '../local-bigquery/index.ts';
import { boundQueries } from './dry-run.ts';

export interface AnalysedQuery {
  analysis: Analysis;
  /** GoogleSQL's resolved tree. */
  resolved: unknown;
  references: readonly TableReference[];
  find: NamedTables['find'];
  /** With the bodies of functions in place of their calls; undefined if no function has an argument of ANY TYPE. */
  whole: WholeQuery | GoogleSqlError | undefined;
}

interface WholeQuery {
  uses: Use[];
  /** Full names. */
  tables: string[];
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
    // The engine resolves the body of such a function only where it is called.
    const isOpen = analysis.functions.some((one) => one.arguments.some(({ type }) => !type));
    const references = tableReferences(analysis, find);
    const found = { analysis, resolved, references, find };
    const whole = isOpen ? await wholeQuery(engine, found, named.tables, parameters) : undefined;
    return { ...found, whole };
  } catch (error) {
    // A routine that is stored in a dataset is a fault here: the message names what to do.
    if (error instanceof GoogleSqlError && /^the routine /.test(error.message)) throw error.cause;
    if (error instanceof GoogleSqlError && error.kind === 'unsupported') return error;
    throw error;
  }
}

/** The error if the engine cannot put the bodies in place of the calls. */
async function wholeQuery(
  engine: GoogleSql,
  query: EmptyTables,
  tables: NamedTables['tables'],
  parameters: Readonly<Record<string, QueryParameterType>>,
): Promise<WholeQuery | GoogleSqlError> {
  try {
    return await withEmptyTables(engine, { ...query, tables }, async (sql, catalogue) => {
      const nodes = await engine.resolveWhole({ sql, catalogue, parameters });
      const scans = nodes.filter(({ kind }) => kind === 'TableScan');
      return { uses: usesOf(nodes, Buffer.from(sql)), tables: scans.map(tree.tableOf) };
    });
  } catch (error) {
    if (error instanceof GoogleSqlError) return error;
    throw error;
  }
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
  const bound = boundQueries(endpoint);
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

type EmptyTables = Pick<AnalysedQuery, 'analysis' | 'find'> & Partial<Pick<NamedTables, 'tables'>>;

/** Throws `GoogleSqlError` if the query fails without a row. */
function runOnEmptyTables(
  engine: GoogleSql,
  { analysis, find }: EmptyTables,
  parameters: ReturnType<typeof engineParameters>,
) {
  const signal = AbortSignal.timeout(QUERY_MS);
  return withEmptyTables(engine, { analysis, find }, (sql, catalogue) =>
    engine.evaluate({ sql, catalogue, parameters, signal }),
  );
}

/** Gives `use` the query as the engine runs it, and its tables without rows. */
async function withEmptyTables<Result>(
  engine: GoogleSql,
  { analysis, find, tables }: EmptyTables,
  use: (sql: string, catalogue: RegisteredCatalogue) => Promise<Result>,
): Promise<Result> {
  // Only what is resolved has the tables that bodies name.
  const runnable = runnableQuery(analysis, undefined, tables === undefined);
  const fieldsOf = (name: string) => find(name)?.fields ?? [];
  const full = analysis.tables.map((name) => ({ name, fields: fieldsOf(name) }));
  const others = (tables ?? []).filter(({ name }) => !analysis.tables.includes(name));
  const empty = [...full, ...others].map((table) => ({ ...table, encodedRows: [] }));
  const catalogue = await engine.registerCatalogue(empty, runnable.functions);
  try {
    return await use(runnable.sql, catalogue);
  } catch (error) {
    throw runnable.errorOf(error);
  } finally {
    await engine.unregisterCatalogue(catalogue);
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
