// A local BigQuery with the real client, for the tests of this folder.
import type { Query } from '@google-cloud/bigquery';
import type { LocalBigQueryOptions } from '../../../../scripts/local-bigquery/rest/server.ts';
import type { Row } from '../../../../scripts/local-bigquery/values/engine-values.ts';
import {
  createLocalBigQueryClient,
  startLocalBigQuery,
} from '../../../support/bigquery/local-bigquery.ts';

interface Answer {
  schema?: { fields: object[] };
  [field: string]: unknown;
}

export type TestBigQuery = Awaited<ReturnType<typeof testBigQuery>>;

export const defaultDataset = { datasetId: 'logs' };

/** It ends with the test, or the file, that starts it. */
export async function testBigQuery(options: Omit<LocalBigQueryOptions, 'engine'>) {
  const local = await startLocalBigQuery(options);
  const client = createLocalBigQueryClient(local.url);
  const run = async (query: string | Query) => {
    const given = typeof query === 'string' ? { query } : query;
    // The types of the client leave out the answer that comes third.
    const answer: unknown = await client.query({ defaultDataset, ...given, skipParsing: true });
    return answer as [rows: Row[], request: unknown, answer: Answer];
  };
  /** Rows as the wire has them, of a query in the default dataset. */
  const raw = async (query: string | Query) => (await run(query))[0];
  /** All rows, one cell per column. */
  const cells = async (query: string | Query): Promise<unknown[][]> =>
    (await raw(query)).map(({ f }) => f.map(({ v }) => v));
  return {
    ...local,
    client,
    /** The answer of jobs.query beside its rows. */
    answer: async (query: Query) => (await run(query))[2],
    raw,
    cells,
    /** First row, one cell per column. */
    first: async (query: string | Query) => (await cells(query))[0] ?? [],
    /** The statistics of a dry run in the default dataset. */
    dryRun: async (query: string) => {
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
