// Cancels the jobs that go on in Google's BigQuery when the service ends: the leases by which others would join them end with it.
import { systemClock } from '../../functions/clock.ts';
import type { Config } from '../../functions/config.ts';
import { createBigQuery, createBigQueryRest } from '../../functions/google/bigquery-rest.ts';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
import { createBigQueryRunner } from '../../functions/google/query-runner.ts';

/** Best effort, once the functions have ended. A query whose first call was cut has no job id yet: it ends by its own timeout. */
export async function cancelRunning(config: Config, emulatorHost: string): Promise<void> {
  const { project, firestoreDatabase: database, bigQueryApiEndpoint: apiEndpoint } = config;
  const firestore = createFirestore({ project, database, emulatorHost });
  const bigquery = createBigQuery({ project, emulatorHost: undefined, apiEndpoint });
  const call = createBigQueryRest(bigquery);
  const queryRunner = createBigQueryRunner({ ...config, call, clock: systemClock });
  const running = await createFirestoreLeaseStore(firestore).queries(Date.now());
  await Promise.all(running.map(({ query }) => queryRunner.cancel(query)));
  await firestore.terminate();
}
