// Analyses a query of an endpoint, once for all that is asked of it.
import {
  type Analysis,
  type GoogleSql,
  GoogleSqlError,
  namedTables,
  type NamedTables,
  type QueryParameterType,
  type PartitionedTable,
  type TableReference,
  tableReferences,
} from '../local-bigquery/index.ts';

export interface AnalysedQuery {
  analysis: Analysis;
  /** Each place in which it reads a table. */
  references: readonly TableReference[];
  find: NamedTables['find'];
}

/** `query.sql` and `warm.sql` by these names; of one that the engine does not know its error. */
export type AnalysedQueries = ReadonlyMap<string, AnalysedQuery | GoogleSqlError>;

/** Infers the parameters that are not declared. Throws `GoogleSqlError` where BigQuery would refuse the query. */
export async function analyseQuery(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  query: string,
  parameters: Readonly<Record<string, QueryParameterType>>,
): Promise<AnalysedQuery | GoogleSqlError> {
  const { find, ...named } = namedTables(query, tables);
  try {
    const analysis = await engine.analyze({ ...named, parameters, infersOthers: true });
    return { analysis, references: tableReferences(analysis, find), find };
  } catch (error) {
    if (error instanceof GoogleSqlError && error.kind === 'unsupported') return error;
    throw error;
  }
}
