// The composition root: reads the environment, builds the clients once and registers the functions.
import { subscribe } from 'node:diagnostics_channel';
import { http } from '@google-cloud/functions-framework';
import { createAuthenticator } from './keys/authenticate.ts';
import { createKeyLimits } from './keys/limits.ts';
import { createCatalogue, COMPILED_CATALOGUE, readCompiled } from './endpoints/catalogue.ts';
import { parseConfig } from './config.ts';
import { loadConsole } from './http/console-page.ts';
import type { DescribeTable, QueryRunner } from './core/query-runner.ts';
import { createFirestore } from './firestore/client.ts';
import { createFirestoreKeyStore } from './firestore/key-store.ts';
import { createFirestoreLeaseStore } from './firestore/lease-store.ts';
import { createFirestoreRefreshStore } from './firestore/refresh-store.ts';
import { createFirestoreResultStore } from './firestore/result-store.ts';
import { createLog, logProcessOutput, startStep } from './log.ts';
import { type RequestStart, stripRequest, withoutDomains } from './http/framework.ts';
import { createQuery } from './query.ts';
import { createAsk } from './warming/ask-tables.ts';
import { createReadThrough } from './cache/read-through.ts';
import { storeDeadlines } from './core/store-deadlines.ts';
import { createShutdown, onSigterm } from './shutdown.ts';
import { systemClock as clock } from './clock.ts';
import { createWarm } from './warm.ts';

const config = startStep(createLog('error'), () => parseConfig(process.env));
const log = createLog(config.logLevel);
const shutdown = createShutdown({ clock, log, exit: (code) => process.exit(code) });
logProcessOutput(log, () => shutdown.end(1));
onSigterm(() => shutdown.begin());
subscribe('http.server.request.start', (message) => {
  const started = message as RequestStart;
  stripRequest(started);
  shutdown.track(started);
});

export const catalogue = startStep(log, () =>
  createCatalogue(readCompiled(config.catalogue ?? `${import.meta.dirname}/${COMPILED_CATALOGUE}`)),
);
const { project, firestoreEmulatorHost } = config;
const openDatabase = (database: string) =>
  createFirestore({ project, database, emulatorHost: firestoreEmulatorHost });
const firestore = openDatabase(config.firestoreDatabase);
const keysFirestore = openDatabase(config.keysDatabase);

/** BigQuery's client is loaded with the first query: a cache hit does not need it. */
let loaded: ReturnType<typeof loadBigQuery> | undefined;
const bigquery = () => (loaded ??= loadBigQuery());
const queryRunner: QueryRunner = {
  run: async (request) => (await bigquery()).run(request),
  cancel: async (started) => (await bigquery()).cancel(started),
  look: async (jobId) => (await bigquery()).look(jobId),
};
const describeTable: DescribeTable = async (...table) => (await bigquery()).describeTable(...table);

async function loadBigQuery() {
  const { createBigQuery, createBigQueryRest, createDescribeTable } =
    await import('./bigquery/rest.ts');
  const { createBigQueryRunner } = await import('./bigquery/query-runner.ts');
  const call = createBigQueryRest(createBigQuery(config));
  return {
    ...createBigQueryRunner({
      ...{ ...config, call, clock },
      showsValues: config.bigQueryEmulatorHost !== undefined,
      shutdown,
    }),
    describeTable: createDescribeTable(call, clock),
  };
}

/** The code for tokens is loaded with the first token, that of `POST /mcp` with the first message. Node remembers it, but not a load that has failed. */
const loadVerify = () => import('./keys/verify-token.ts');
const loadMcp = async () => {
  const { createAnswerMessage } = await import('./mcp/answer-message.ts');
  return createAnswerMessage({ ...config, clock });
};

const inTime = storeDeadlines(clock, config.firestoreTimeoutSeconds * 1000);
const services = {
  ...config,
  ...{ catalogue, clock, log, shutdown, queryRunner },
  keyStore: inTime.calls(createFirestoreKeyStore(keysFirestore)),
  leaseStore: inTime.leases(createFirestoreLeaseStore(firestore)),
  refreshStore: inTime.calls(createFirestoreRefreshStore(firestore)),
  resultStore: inTime.results(createFirestoreResultStore(firestore, () => clock.nowMs())),
  keyLimits: createKeyLimits(clock),
  // `gc` exists with --expose-gc, as deployed (infra/defaults.json); only `last-resort` releases the pages that V8 keeps.
  collectGarbage: () =>
    void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' }),
};

withoutDomains();
http(
  'query',
  createQuery({
    ...services,
    authenticate: createAuthenticator({ ...services, loadVerify }),
    readThrough: createReadThrough(services),
    consolePage:
      config.console === 'off'
        ? undefined
        : loadConsole(`${import.meta.dirname}/console/dist/console.html`, {
            runsExamples: config.console === 'examples',
            isLocal: config.bigQueryEmulatorHost !== undefined,
          }),
    loadMcp: config.mcp === 'on' ? loadMcp : undefined,
  }),
);

http('warm', createWarm({ ...services, ask: createAsk({ ...services, describeTable }) }));
