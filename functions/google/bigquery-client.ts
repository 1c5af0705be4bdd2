// Creates the BigQuery client, for Google's BigQuery or the local one.
import { BigQuery } from '@google-cloud/bigquery';
import { PassThroughClient } from 'google-auth-library';

interface BigQueryOptions {
  project: string;
  /** The value of BIGQUERY_EMULATOR_HOST, which the client reads itself; undefined for Google's. */
  emulatorHost: string | undefined;
  /** Origin of Google's BigQuery, if it is not the public one. */
  apiEndpoint: string | undefined;
}

const PUBLIC_API_ENDPOINT = 'https://bigquery.googleapis.com';

export function createBigQuery({ project, emulatorHost, apiEndpoint }: BigQueryOptions): BigQuery {
  return new BigQuery({
    projectId: project,
    // Always given: the client takes an empty BIGQUERY_EMULATOR_HOST for an address.
    apiEndpoint: apiEndpoint ?? PUBLIC_API_ENDPOINT,
    // The caller knows the deadline and decides about retries.
    retryOptions: { autoRetry: false },
    // The emulator needs no credentials, and looking for them would delay the first query.
    ...(emulatorHost === undefined ? {} : { authClient: new PassThroughClient() }),
  });
}
