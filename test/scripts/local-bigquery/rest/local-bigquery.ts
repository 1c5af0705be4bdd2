// A local BigQuery with the real client, for the tests of this folder.
import type { BigQuery, Query } from '@google-cloud/bigquery';
import {
  type LocalBigQuery,
  type LocalBigQueryOptions,
  createLocalBigQuery,
} from '../../../../scripts/local-bigquery/rest/server.ts';
import type { Row } from '../../../../scripts/local-bigquery/values/row-values.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { createLocalBigQueryClient } from '../../../support/local-query-runner.ts';

export interface TestBigQuery extends LocalBigQuery {
  client: BigQuery;
  /** The answer of jobs.query beside its rows. */
  answer(query: Query): Promise<{ schema?: { fields: object[] }; [field: string]: unknown }>;
  /** Rows as the wire has them, of a query in the default dataset. */
  raw(query: string | Query): Promise<Row[]>;
  /** First row, one cell per column. */
  first(query: string | Query): Promise<unknown[]>;
}

export const defaultDataset = { datasetId: 'logs' };

/** On the engine that the test files share. */
export async function testBigQuery(
  options: Omit<LocalBigQueryOptions, 'engine'>,
): Promise<TestBigQuery> {
  const engine = await sharedEngine();
  const local = await createLocalBigQuery({ engine, freshMs: 0, ...options });
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
  return {
    ...local,
    client,
    answer: async (query) => ({ ...(await run(query)).answer }),
    raw,
    first: async (query) => (await raw(query))[0]?.f.map(({ v }) => v) ?? [],
  };
}

/** What the client reports of a failure: HTTP code, BigQuery's reason, message. */
export async function failureOf(
  outcome: Promise<unknown>,
): Promise<Record<'code' | 'reason' | 'message', unknown>> {
  const err = await outcome.then(
    () => undefined,
    (reason: unknown) => reason as { code: number; message: string; errors: { reason: string }[] },
  );
  return { code: err?.code, reason: err?.errors?.[0]?.reason, message: err?.message };
}
