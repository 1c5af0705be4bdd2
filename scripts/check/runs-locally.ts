// Finds out whether the local BigQuery can run the queries of an endpoint: on empty tables, with its examples.
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { queryParameters } from '../../functions/google/query-configuration.ts';
import {
  ANY_DEPLOYMENT,
  engineParameters,
  type GoogleSql,
  GoogleSqlError,
  InvalidValueError,
  namedTables,
  type PartitionedTable,
  runnableQuery,
} from '../local-bigquery/index.ts';
import { boundQueries } from './dry-run.ts';

/** The longest that a query may take to show that it runs. */
const QUERY_MS = 5000;

/** Why the first query of an endpoint that cannot run cannot; undefined if all can. */
export async function reasonNotRunLocally(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  endpoint: Endpoint,
): Promise<string | undefined> {
  const seen = new Set<string>();
  for (const { fileName, sql, ...bound } of boundQueries(endpoint)) {
    if (seen.has(fileName)) continue;
    seen.add(fileName);
    const reason = await reasonOf(engine, tables, sql, queryParameters(bound));
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function reasonOf(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  sql: string,
  bound: unknown,
): Promise<string | undefined> {
  try {
    const parameters = engineParameters(bound);
    const types = Object.fromEntries(parameters.map(({ name, type }) => [name, type]));
    const named = namedTables(sql, tables, ANY_DEPLOYMENT);
    const analysis = await engine.analyze({
      sql: named.sql,
      tables: named.tables,
      parameters: types,
    });
    if (analysis.notRun !== undefined) return analysis.notRun;
    const runnable = runnableQuery(analysis, undefined);
    const empty = analysis.tables.map((name) => ({
      name,
      fields: named.find(name)?.fields ?? [],
      encodedRows: [],
    }));
    const catalogue = await engine.registerCatalogue(empty, runnable.functions);
    try {
      const signal = AbortSignal.timeout(QUERY_MS);
      await engine.evaluate({ sql: runnable.sql, catalogue, parameters, signal });
    } finally {
      await engine.unregisterCatalogue(catalogue);
    }
  } catch (error) {
    // Other faults are of the query, and BigQuery has them too, or of the values of its examples.
    if (error instanceof GoogleSqlError && error.kind !== 'unsupported') return undefined;
    if (error instanceof GoogleSqlError || error instanceof InvalidValueError) {
      return error.message.replace(/ at \[\d+:\d+\]$/, '');
    }
    throw error;
  }
  return undefined;
}
