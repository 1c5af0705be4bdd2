// The composition root: reads the environment, builds the clients once and registers the functions.
import { http } from '@google-cloud/functions-framework';
import { createAuthenticator } from './authenticate.ts';
import { loadCatalogue } from './catalogue.ts';
import { parseConfig } from './config.ts';
import { loadConsole } from './console.ts';
import type { QueryRunner } from './core/ports.ts';
import { createFirestore } from './google/firestore-client.ts';
import { createFirestoreKeyStore } from './google/key-store.ts';
import { createFirestoreLeaseStore } from './google/lease-store.ts';
import { createFirestoreResultStore } from './google/result-store.ts';
import { createLog } from './log.ts';
import { outsideDomain } from './outside-domain.ts';
import { createQuery } from './query.ts';
import { createReadThrough } from './read-through.ts';
import { systemClock as clock } from './system-clock.ts';
import { createWarm } from './warm.ts';

const config = parseConfig(process.env);
const log = createLog(config.logLevel);
const catalogue = loadCatalogue(config.sqlDirectory ?? `${import.meta.dirname}/../sql`);
const firestore = createFirestore({
  project: config.project,
  database: config.firestoreDatabase,
  emulatorHost: config.firestoreEmulatorHost,
});

/** BigQuery's client is loaded with the first query: a cache hit does not need it. */
const queryRunner: QueryRunner = {
  run: async (request) => {
    loadedRunner ??= loadRunner();
    try {
      return (await loadedRunner).run(request);
    } catch (error) {
      // A load that failed is tried again with the next query.
      loadedRunner = undefined;
      throw error;
    }
  },
};
let loadedRunner: Promise<QueryRunner> | undefined;

async function loadRunner(): Promise<QueryRunner> {
  const [{ createBigQuery }, { createBigQueryRunner }] = await Promise.all([
    import('./google/bigquery-client.ts'),
    import('./google/bigquery.ts'),
  ]);
  const bigquery = createBigQuery({
    project: config.project,
    emulatorHost: config.bigQueryEmulatorHost,
  });
  return createBigQueryRunner({ ...config, bigquery, clock });
}

const storeTimeoutMs = config.firestoreTimeoutSeconds * 1000;
const leaseStore = createFirestoreLeaseStore(firestore);
const readThrough = createReadThrough({
  ...config,
  resultStore: createFirestoreResultStore(firestore),
  leaseStore,
  queryRunner,
  clock,
  log,
  storeTimeoutMs,
});

http(
  'query',
  outsideDomain(
    createQuery({
      ...config,
      authenticate: createAuthenticator({
        ...config,
        keyStore: createFirestoreKeyStore(firestore),
        clock,
        timeoutMs: storeTimeoutMs,
      }),
      catalogue,
      readThrough,
      clock,
      log,
      consolePage:
        config.console === 'on'
          ? loadConsole(`${import.meta.dirname}/console/dist/console.html`)
          : undefined,
    }),
  ),
);

http(
  'warm',
  outsideDomain(
    createWarm({
      ...config,
      leaseStore,
      readThrough,
      endpoints: catalogue.endpoints,
      clock,
      log,
      storeTimeoutMs,
    }),
  ),
);
