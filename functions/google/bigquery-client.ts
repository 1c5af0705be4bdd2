// The BigQuery client, for Google's BigQuery or the local one.
import { BigQuery } from '@google-cloud/bigquery';
import { PassThroughClient } from 'google-auth-library';

interface BigQueryOptions {
  project: string;
  /** As in BIGQUERY_EMULATOR_HOST, which the client reads itself; undefined for Google's. */
  emulatorHost: string | undefined;
}

export function createBigQuery({ project, emulatorHost }: BigQueryOptions): BigQuery {
  return new BigQuery({
    projectId: project,
    // Whoever calls knows the deadline, and repeats or does not.
    retryOptions: { autoRetry: false },
    // The emulator wants no credentials, and looking for some would delay the first query.
    ...(emulatorHost === undefined ? {} : { authClient: new PassThroughClient() }),
  });
}
