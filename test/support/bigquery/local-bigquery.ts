// A local BigQuery on the engine that all test files share, the real client and query runner in front of it, and what they give.
import type { BigQuery } from '@google-cloud/bigquery';
import type { Clock } from '../../../functions/core/clock.ts';
import type {
  BoundQuery,
  ColumnSchema,
  QueryOutcome,
  QueryRequest,
  QueryRunner,
  WireRow,
} from '../../../functions/core/query-runner.ts';
import { createBigQuery, createBigQueryRest } from '../../../functions/bigquery/rest.ts';
import { createBigQueryRunner } from '../../../functions/bigquery/query-runner.ts';
import { RESULT_END, RESULT_START, recordEncoder } from '../../../functions/cache/encode.ts';
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
import { TEST_CONFIG } from '../service/config.ts';
import { undo } from '../undo.ts';

/** It ends with the test, or the file, that starts it. */
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

export const createLocalBigQueryClient = (url: string): BigQuery =>
  // Any host, so that it needs no credentials.
  createBigQuery({ ...TEST_CONFIG, bigQueryApiEndpoint: url, bigQueryEmulatorHost: 'localhost' });

/** The real query runner with BigQuery's client, in front of a local BigQuery or a proxy. */
export function createLocalQueryRunner(url: string, clock: Clock): QueryRunner {
  const call = createBigQueryRest(createLocalBigQueryClient(url));
  return createBigQueryRunner({ ...TEST_CONFIG, call, clock });
}

export interface QueryResult extends QueryOutcome {
  schema: ColumnSchema[];
  rows: WireRow[];
}

/** The outcome of a run with its rows, which the service never keeps. */
export async function collectRows(
  runner: QueryRunner,
  request: Omit<QueryRequest, 'onPage' | 'cause'> & Partial<Pick<QueryRequest, 'cause'>>,
): Promise<QueryResult> {
  const result: Pick<QueryResult, 'schema' | 'rows'> = { schema: [], rows: [] };
  const outcome = await runner.run({
    cause: 'miss',
    ...request,
    onPage: ({ schema, rows }) => {
      result.schema = schema;
      result.rows.push(...rows);
      return Promise.resolve();
    },
  });
  return { ...result, ...outcome };
}

/** The text that a stored body has when it is inflated: `{"result":[{…},…]}` with the columns in the order of the schema. */
export function encodeRows(schema: readonly ColumnSchema[], rows: readonly WireRow[]): string {
  return `${RESULT_START}${rows.map(recordEncoder(schema)).join(',')}${RESULT_END}`;
}
