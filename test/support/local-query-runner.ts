// The real query runner with BigQuery's client, in front of a local BigQuery or a proxy.
import { BigQuery } from '@google-cloud/bigquery';
import { PassThroughClient } from 'google-auth-library';
import type { Clock } from '../../functions/core/clock.ts';
import type { QueryRunner } from '../../functions/core/query-runner.ts';
import { createBigQueryRest } from '../../functions/google/bigquery-rest.ts';
import { createBigQueryRunner } from '../../functions/google/query-runner.ts';

/** With the dataset and the limits of a deployment with default settings. */
export function createLocalQueryRunner(
  apiEndpoint: string,
  clock: Clock,
  limits: { maxResultMib?: number; maxReadingMib?: number; stopSignal?: AbortSignal } = {},
): QueryRunner {
  return createBigQueryRunner({
    call: createBigQueryRest(createLocalBigQueryClient(apiEndpoint)),
    project: 'test-project',
    clock,
    dataset: 'logs',
    location: 'US',
    maxBytesBilled: 10_737_418_240,
    maxResultMib: 16,
    maxReadingMib: 32,
    ...limits,
  });
}

export function createLocalBigQueryClient(apiEndpoint: string): BigQuery {
  return new BigQuery({
    projectId: 'test-project',
    apiEndpoint,
    authClient: new PassThroughClient(),
    retryOptions: { autoRetry: false },
  });
}
