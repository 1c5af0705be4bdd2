// Asks BigQuery by a dry run, which is free of charge, how many bytes a query would process.
import type { Config } from '../../functions/config.ts';
import { isObject } from '../../functions/core/json.ts';
import { createBigQuery, createBigQueryRest } from '../../functions/google/bigquery-rest.ts';
import { queryConfiguration } from '../../functions/google/query-configuration.ts';
import type { Estimate } from './dry-run.ts';

const DRY_RUN_MS = 30_000;

/** Rejects with BigQuery's error, or with that of the connection. `signal` aborts all dry runs. */
export function createEstimate(config: Config, signal?: AbortSignal): Estimate {
  const { project, dataset, location } = config;
  const { bigQueryEmulatorHost: emulatorHost, bigQueryApiEndpoint: apiEndpoint } = config;
  const call = createBigQueryRest(createBigQuery({ project, emulatorHost, apiEndpoint }));
  return async (query) => {
    const job = {
      jobReference: { projectId: project, location },
      configuration: { dryRun: true, query: queryConfiguration(query, dataset) },
    };
    const late = AbortSignal.timeout(DRY_RUN_MS);
    const answer = await call('POST', '/jobs', {}, job, {
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      onBytes: () => undefined,
    });
    const statistics = isObject(answer) ? answer.statistics : undefined;
    return Number(isObject(statistics) ? statistics.totalBytesProcessed : undefined);
  };
}
