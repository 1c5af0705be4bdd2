// A local BigQuery on the engine that all test files share; it ends with the test, or the file, that starts it.
import type { BoundQuery } from '../../../functions/core/query-runner.ts';
import { queryConfiguration } from '../../../functions/bigquery/query-configuration.ts';
import { LOCAL } from '../../../scripts/cli/project.ts';
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

/** The cells of the rows of a query, of columns that are not nested. Throws if some rows were not read. */
export async function runLocally(url: string, query: BoundQuery): Promise<(string | null)[][]> {
  const body = JSON.stringify(queryConfiguration(query, LOCAL.dataset));
  const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
  const response = await fetch(`${url}/projects/${LOCAL.project}/queries`, sent);
  const { rows = [], errors } = (await response.json()) as {
    rows?: { f: { v: string | null }[] }[];
    errors?: object[];
  };
  if (errors) throw new Error(JSON.stringify(errors));
  return rows.map(({ f }) => f.map(({ v }) => v));
}
