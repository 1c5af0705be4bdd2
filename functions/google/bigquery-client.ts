// Creates the BigQuery client, for Google's BigQuery or the local one.
import { BigQuery } from '@google-cloud/bigquery';
import { PassThroughClient } from 'google-auth-library';

interface BigQueryOptions {
  project: string;
  /** The value of BIGQUERY_EMULATOR_HOST, which the client reads itself; undefined for Google's. */
  emulatorHost: string | undefined;
}

export function createBigQuery({ project, emulatorHost }: BigQueryOptions): BigQuery {
  return new BigQuery({
    projectId: project,
    // The caller knows the deadline and decides about retries.
    retryOptions: { autoRetry: false },
    // The emulator needs no credentials, and looking for them would delay the first query.
    ...(emulatorHost === undefined ? {} : { authClient: new PassThroughClient() }),
  });
}
