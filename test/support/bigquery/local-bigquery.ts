// A local BigQuery on the engine that all test files share; it ends with the test, or the file, that starts it.
import {
  type LocalBigQuery,
  type LocalBigQueryOptions,
  type LocalTable,
  createLocalBigQuery,
} from '../../../scripts/local-bigquery/rest/server.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { sharedEngine } from './shared-engine.ts';
import { undo } from '../undo.ts';

export async function startLocalBigQuery(
  options: Omit<LocalBigQueryOptions, 'engine'>,
): Promise<LocalBigQuery> {
  const bigquery = await createLocalBigQuery({ engine: await sharedEngine(), ...options });
  undo(() => bigquery.close());
  return bigquery;
}

/** The tables of a directory of saved queries, with rows by the names of their tables. */
export async function tablesOf(
  sql: string,
  rows: Readonly<Record<string, object[]>> = {},
): Promise<LocalTable[]> {
  const sources = await readSources(`${sql}/sources`);
  return sources.map((source) => ({ ...source, rows: rows[source.name] ?? [] }));
}
