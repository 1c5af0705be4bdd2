// The real query runner with BigQuery's client, in front of a local BigQuery or a proxy.
import { BigQuery } from '@google-cloud/bigquery';
import { PassThroughClient } from 'google-auth-library';
import type { Clock } from '../../../functions/core/clock.ts';
import type { QueryRunner } from '../../../functions/core/query-runner.ts';
import { createBigQueryRest } from '../../../functions/bigquery/rest.ts';
import { createBigQueryRunner } from '../../../functions/bigquery/query-runner.ts';
import { TEST_CONFIG } from '../service/config.ts';

export function createLocalQueryRunner(
  apiEndpoint: string,
  clock: Clock,
  limits: { maxResultMib?: number; maxReadingMib?: number } = {},
): QueryRunner {
  return createBigQueryRunner({
    ...TEST_CONFIG,
    call: createBigQueryRest(createLocalBigQueryClient(apiEndpoint)),
    clock,
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
