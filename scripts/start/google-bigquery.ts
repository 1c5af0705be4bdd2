// Google's BigQuery for the local service: checks credentials, names and permissions free of charge, and cancels jobs.
import { systemClock } from '../../functions/clock.ts';
import { type Config, SETTINGS } from '../../functions/config.ts';
import { errorMessage } from '../../functions/core/describe-error.ts';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { ServiceError } from '../../functions/core/errors.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { createBigQuery, createBigQueryRest } from '../../functions/google/bigquery-rest.ts';
import { classifyError } from '../../functions/google/classify-error.ts';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
import { createBigQueryRunner } from '../../functions/google/query-runner.ts';
import { boundQueries, formatBytes } from '../check/dry-run.ts';
import { createEstimate } from '../check/check-scans.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';
import type { QueriedBigQuery, Starting } from './local-bigquery.ts';

/** Where the queries run, and the dataset that their tables are in. */
export type BigQueryPlace = Record<'project' | 'dataset' | 'location', string>;

const CONCURRENCY = 8;

/**
 * Runs no query, because each would cost money. Rejects with one line if there are no credentials, if
 * BigQuery cannot be reached, or if it refuses every endpoint; one that it refuses alone has a note.
 */
export async function connectToBigQuery(
  { endpoints, terminal, signal, doing }: Starting,
  config: Config,
): Promise<QueriedBigQuery> {
  const { project, dataset, location, maxBytesBilled } = config;
  const { name: local } = SETTINGS.bigQueryEmulatorHost;
  if (terminal.env[local]) {
    throw new Error(`${local} names a local BigQuery: unset it for --bigquery.`);
  }
  doing('asking BigQuery about each query');
  await requireCredentials(project);
  signal.throwIfAborted();
  const estimate = createEstimate(config, signal);
  const faults = new Map<Endpoint, Error>();
  await eachLimit(endpoints, CONCURRENCY, async (endpoint) => {
    const [query] = boundQueries(endpoint);
    try {
      if (query !== undefined) await estimate(query);
    } catch (error) {
      faults.set(endpoint, explain(error));
    }
  });
  signal.throwIfAborted();
  const [first] = faults.values();
  if (first !== undefined && faults.size === endpoints.length) throw first;
  return {
    emulatorHost: undefined,
    description: `project ${project}, dataset ${dataset} in ${location}`,
    costs: `Queries run in BigQuery and cost money now: each bills at most ${formatBytes(maxBytesBilled)} (${SETTINGS.maxBytesBilled.name}).`,
    notes: [...faults].map(([{ name }, { message }]) => `${name}: ${message}`),
    tables: { putTable: () => Promise.resolve(), removeTable: () => undefined },
    readTable: (source) => Promise.resolve({ ...source, notes: () => [] }),
  };
}

function explain(error: unknown): Error {
  const message = errorMessage(error);
  const { error: classified } = classifyError(error);
  if (classified instanceof ServiceError && classified.reason === 'QUERY_ENGINE_UNAVAILABLE') {
    return new Error(`BigQuery does not answer: ${message}`, { cause: error });
  }
  return explainGoogleError(error, {
    notFound: `${message}. Check --bigquery, --dataset and --location.`,
    denied: `${message}. You need the roles BigQuery Job User and BigQuery Data Viewer.`,
  });
}

/**
 * Cancels the jobs that go on when the service ends: the leases by which others would join them end with it. Best effort,
 * once the functions have ended. A query whose first call was cut has no job id yet: it ends by its own timeout.
 */
export async function cancelRunning(config: Config, emulatorHost: string): Promise<void> {
  const { project, firestoreDatabase: database } = config;
  const firestore = createFirestore({ project, database, emulatorHost });
  const bigquery = createBigQuery({ ...config, bigQueryEmulatorHost: undefined });
  const call = createBigQueryRest(bigquery);
  const queryRunner = createBigQueryRunner({ ...config, call, clock: systemClock });
  const running = await createFirestoreLeaseStore(firestore).queries(Date.now());
  await Promise.all(running.map(({ query }) => queryRunner.cancel(query)));
  await firestore.terminate();
}
