// What every part of the benchmark stands on: functions, a project in Firestore with a key, and load.
import { type Firestore } from '@google-cloud/firestore';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { type FunctionProcess, startFunction } from '../../scripts/local/function-process.ts';
import { freePort } from '../../scripts/local/tcp-ports.ts';
import { connectFirestore, projectOf } from '../support/firestore-emulators.ts';
import { storeKey } from '../support/service.ts';
import type { FunctionFolders } from './functions-to-compare.ts';
import type { LoadClient } from './processes.ts';

export interface Bench {
  folders: FunctionFolders;
  firestoreHost: string;
  client: LoadClient;
  /** How long one turn of a comparison lasts. */
  turnSeconds: number;
  /** Open for writing: the logs of all functions. */
  logFile: number;
  /** One line of progress. */
  say: (line: string) => void;
}

export const API_KEY = 'sqk_bench-key-that-opens-everything-0000000000000';

/** A project of its own in the emulator: nothing of another part is in it. */
export interface Project {
  id: string;
  firestore: Firestore;
}

export async function createProject(bench: Bench): Promise<Project> {
  const firestore = connectFirestore(bench.firestoreHost);
  await storeKey(firestore, API_KEY);
  return { id: projectOf(firestore), firestore };
}

/** Puts the key of the benchmark into a second database of the project; returns the database's name. */
export async function storeKeyApart({ firestoreHost }: Bench, { id }: Project): Promise<string> {
  const database = 'saved-queries-keys';
  const firestore = createFirestore({ project: id, database, emulatorHost: firestoreHost });
  await storeKey(firestore, API_KEY);
  await firestore.terminate();
  return database;
}

/** The environment of a function; what is not set has its default, as deployed. */
export function environment(
  project: Project,
  firestoreHost: string,
  settings: Record<string, string> = {},
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: project.id,
    FIRESTORE_EMULATOR_HOST: firestoreHost,
    ...settings,
  };
}

export async function serve(
  bench: Bench,
  folder: string,
  target: string,
  env: Record<string, string>,
): Promise<FunctionProcess> {
  const started = await startFunction({
    target,
    source: folder,
    port: await freePort(),
    env,
    // Written as it is where functions run, and read by nobody: that is not the function's work.
    stdio: bench.logFile,
  });
  void started.failed.then((sentence) => {
    throw new Error(sentence);
  });
  return started;
}

/** Paths of as many different results; `offset` keeps those of two calls apart. */
export function resultPaths(count: number, offset = 0): string[] {
  return Array.from(
    { length: count },
    (_, index) => `/api/endpoints/query/tasks.run-stats?project=p${offset + index}&interval=1day`,
  );
}

/** Every value in turn, and then everything again the other way round: what drifts hits both alike. */
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
