// A local BigQuery with the real client, for the tests of this folder.
import type { BigQuery, Query } from '@google-cloud/bigquery';
import type {
  LocalBigQuery,
  LocalBigQueryOptions,
} from '../../../../scripts/local-bigquery/rest/server.ts';
import type { Row } from '../../../../scripts/local-bigquery/values/row-values.ts';
import { startLocalBigQuery } from '../../../support/bigquery/local-bigquery.ts';
import { createLocalBigQueryClient } from '../../../support/bigquery/local-query-runner.ts';

export interface TestBigQuery extends LocalBigQuery {
  client: BigQuery;
  /** The answer of jobs.query beside its rows. */
  answer(query: Query): Promise<{ schema?: { fields: object[] }; [field: string]: unknown }>;
  /** Rows as the wire has them, of a query in the default dataset. */
  raw(query: string | Query): Promise<Row[]>;
  /** All rows, one cell per column. */
  cells: (query: string | Query) => Promise<unknown[][]>;
  /** First row, one cell per column. */
  first(query: string | Query): Promise<unknown[]>;
  /** The statistics of a dry run in the default dataset. */
  dryRun(query: string): Promise<{ totalBytesProcessed: string; query: object }>;
}

export const defaultDataset = { datasetId: 'logs' };

/** It ends with the test, or the file, that starts it. */
export async function testBigQuery(
  options: Omit<LocalBigQueryOptions, 'engine'>,
): Promise<TestBigQuery> {
  const local = await startLocalBigQuery({ freshMs: 0, ...options });
  const client = createLocalBigQueryClient(local.url);
  const run = async (query: string | Query) => {
    const given = typeof query === 'string' ? { query } : query;
    // The types of the client leave out the answer that comes third.
    const [rows, , answer] = (await client.query({
      defaultDataset,
      ...given,
      skipParsing: true,
    })) as unknown as [Row[], unknown, object];
    return { rows, answer };
  };
  const raw = async (query: string | Query) => (await run(query)).rows;
  const cells = async (query: string | Query) =>
    (await raw(query)).map(({ f }) => f.map(({ v }) => v));
  return {
    ...local,
    client,
    answer: async (query) => ({ ...(await run(query)).answer }),
    raw,
    cells,
    first: async (query) => (await cells(query))[0] ?? [],
    dryRun: async (query) => {
      const [job] = await client.createQueryJob({ query, defaultDataset, dryRun: true });
      return (job.metadata as { statistics: { totalBytesProcessed: string; query: object } })
        .statistics;
    },
  };
}

/** What the client reports of a failure, such as `400 invalid: …`: HTTP code, BigQuery's reason, message. */
export async function failureOf(outcome: Promise<unknown>): Promise<string> {
  const fault = await outcome.then(
    () => undefined,
    (reason: unknown) => reason as { code: number; message: string; errors: { reason: string }[] },
  );
  if (fault === undefined) return 'none';
  return `${fault.code} ${fault.errors?.[0]?.reason}: ${fault.message}`;
}
