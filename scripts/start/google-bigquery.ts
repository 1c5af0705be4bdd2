// Google's BigQuery for the local service: checks the credentials, and cancels jobs.
import { systemClock } from '../../functions/clock.ts';
import { type Config, SETTINGS } from '../../functions/config.ts';
import { createBigQuery, createBigQueryRest } from '../../functions/bigquery/rest.ts';
import { createFirestore } from '../../functions/firestore/client.ts';
import { createFirestoreLeaseStore } from '../../functions/firestore/lease-store.ts';
import { createBigQueryRunner } from '../../functions/bigquery/query-runner.ts';
import { formatBytes } from '../check/dry-run.ts';
import { explainGoogleError, requireCredentials } from '../cli/google-errors.ts';
import type { QueriedBigQuery, Starting } from './local-bigquery.ts';

/** Where the queries run, and the dataset that their tables are in. */
export type BigQueryPlace = Record<'project' | 'dataset' | 'location', string>;

/** Asks BigQuery nothing. Rejects with one line if there are no credentials, or if they are not valid any more. */
export async function connectToBigQuery(
  { terminal, signal }: Starting,
  { project, dataset, location, maxBytesBilled }: Config,
): Promise<QueriedBigQuery> {
  const { name: local } = SETTINGS.bigQueryEmulatorHost;
  if (terminal.env[local]) {
    throw new Error(`${local} names a local BigQuery: unset it for --bigquery.`);
  }
  const auth = await requireCredentials(project);
  await auth.getAccessToken().catch((error: unknown) => {
    throw explainGoogleError(error, {});
  });
  signal.throwIfAborted();
  return {
    emulatorHost: undefined,
    description: `project ${project}, dataset ${dataset} in ${location}`,
    costs: `Queries run in BigQuery and cost money now: each bills at most ${formatBytes(maxBytesBilled)} (${SETTINGS.maxBytesBilled.name}).`,
    notes: [],
    tables: { putTable: () => Promise.resolve(), removeTable: () => undefined },
    readTable: (source) => Promise.resolve({ ...source, notes: () => [] }),
  };
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
