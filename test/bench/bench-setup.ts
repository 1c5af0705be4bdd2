// What all measurements use: functions to serve, a Firestore project with a key, and paths to request.
import { setTimeout as delay } from 'node:timers/promises';
import { createFirestore } from '../../functions/firestore/client.ts';
import { DEPLOYMENT } from '../../scripts/deploy/defaults.ts';
import { startFunction } from '../../scripts/start/function-process.ts';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import type { StubSettings } from '../support/bigquery/bigquery-stub.ts';
import { connectFirestore, projectOf } from '../support/service/firestore-emulators.ts';
import { storeKey } from '../support/world.ts';
import { createSigner } from '../support/service/sign-token.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { type Own, owning } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { API_KEY, ask } from './answers.ts';
import type { FunctionFolders } from './functions-to-compare.ts';

const FIRST_TRIES_MAX = 20;

export interface Bench {
  folders: FunctionFolders;
  firestoreHost: string;
  /** Length of one turn of a comparison. */
  turnSeconds: number;
  /** To test the parts: too little of everything for figures that mean something. */
  isSmall: boolean;
  /** File descriptor to which all functions write their logs. */
  logFile: number;
  /** Prints one line of progress. */
  say: (line: string) => void;
}

export type Backends = Awaited<ReturnType<typeof startBackends>>;

/** Measures with a BigQuery stub of these settings, then ends the backends. */
export function withBackends<T>(
  bench: Bench,
  stub: Partial<StubSettings>,
  measure: (backends: Backends) => Promise<T>,
): Promise<T> {
  return owning(async (own) => measure(await startBackends(bench, stub, own)));
}

/** A project in the emulator that no other measurement uses, and a BigQuery stub. */
async function startBackends(
  { firestoreHost, logFile }: Bench,
  stub: Partial<StubSettings>,
  own: Own,
) {
  const firestore = own(connectFirestore(firestoreHost), (client) => client.terminate());
  const project = projectOf(firestore);
  const where = { project, database: 'saved-queries-keys', emulatorHost: firestoreHost };
  const keys = createFirestore(where);
  // The handwritten function has its keys in the database of its results.
  for (const database of [keys, firestore]) await storeKey(database, API_KEY);
  const signer = createSigner();
  await createKeyRegister(keys).set(signer.id, signer.stored());
  const iat = Math.floor(Date.now() / 1000);
  await keys.terminate();
  const bigquery = own(await startBigQueryStub(stub), ({ stop }) => stop());
  const directory = own(temporaryDirectory('bench-'), ({ remove }) => remove());
  /** Of a function; other settings have their defaults, as deployed. */
  const env = {
    PATH: process.env.PATH ?? '',
    ...DEPLOYMENT.process_environment,
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: project,
    FIRESTORE_EMULATOR_HOST: firestoreHost,
    BIGQUERY_EMULATOR_HOST: bigquery.url,
  };
  return {
    firestore,
    bigquery,
    directory: directory.path,
    /** Of one customer, for an hour. */
    token: signer.sign({ iat, exp: iat + 3600, sub: 'customer-4711', endpoints: ['tasks.*'] }),
    env,
    /** Starts a function, which ends with the backends. One of rows has loaded its modules and the key. */
    serve: async (source: string, target: string, settings?: object) => {
      // Functions write their logs, as where they are deployed; processing logs is not measured.
      const options = { target, source, port: 0, env: { ...env, ...settings }, stdio: logFile };
      const started = own(await startFunction(options), ({ stop }) => stop());
      void started.failed.then((sentence) => {
        throw new Error(sentence);
      });
      if (target === 'query' || target === 'handwritten') await answers(started.url);
      return started;
    },
  };
}

async function answers(url: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { status } = await ask(`${url}${resultPaths(1, -1)[0]}`, 'gzip');
    if (status === 200) return;
    // On a busy machine the first look-up of a key may take too long.
    if (tries === FIRST_TRIES_MAX) throw new Error(`${url} answers ${status}.`);
    await delay(500);
  }
}

/** Fails where a part has not done what it measures: each is what was counted, and what it must be. */
export function expectDone(done: Record<string, [counted: number, expected: number]>): void {
  for (const [what, [counted, expected]] of Object.entries(done)) {
    if (counted !== expected) throw new Error(`${what}: ${counted}, not ${expected}.`);
  }
}

/** Paths of `count` different results; calls with other offsets give other results. */
export function resultPaths(count: number, offset = 0): string[] {
  const path = '/api/endpoints/query/tasks.run-stats';
  return [...Array(count).keys()].map(
    (index) => `${path}?project=p${offset + index}&interval=1day`,
  );
}

/**
 * Calls `turn` for every contestant in each round, in alternating order (ABBA), so that a drift of the
 * machine affects all of them equally.
 */
export async function inTurns<T>(
  contestants: readonly T[],
  rounds: number,
  turn: (contestant: T) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? contestants : [...contestants].reverse();
    for (const contestant of order) await turn(contestant);
  }
}
