// What all measurements use: functions to serve, a Firestore project with a key, and paths to request.
import { type Firestore } from '@google-cloud/firestore';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { DEPLOYMENT } from '../../scripts/deploy/defaults.ts';
import { type FunctionProcess, startFunction } from '../../scripts/start/function-process.ts';
import { freePort } from '../../scripts/cli/tcp-ports.ts';
import { connectFirestore, projectOf } from '../support/service/firestore-emulators.ts';
import { storeKey } from '../support/service/service.ts';
import type { FunctionFolders } from './functions-to-compare.ts';
import type { LoadClient } from './processes.ts';

export interface Bench {
  folders: FunctionFolders;
  firestoreHost: string;
  client: LoadClient;
  /** Length of one turn of a comparison. */
  turnSeconds: number;
  /** File descriptor to which all functions write their logs. */
  logFile: number;
  /** Prints one line of progress. */
  say: (line: string) => void;
}

export const API_KEY = 'sqk_bench-key-that-opens-everything-0000000000000';

/** A project in the emulator that no other measurement uses. */
export interface Project {
  id: string;
  firestore: Firestore;
}

export async function createProject(bench: Bench): Promise<Project> {
  const firestore = connectFirestore(bench.firestoreHost);
  const id = projectOf(firestore);
  const where = { project: id, database: 'saved-queries-keys', emulatorHost: bench.firestoreHost };
  const keys = createFirestore(where);
  // The handwritten function has its keys beside its results.
  for (const database of [keys, firestore]) await storeKey(database, API_KEY);
  await keys.terminate();
  return { id, firestore };
}

/** The environment of a function; other settings have their defaults, as deployed. */
export function environment(
  project: Project,
  firestoreHost: string,
  settings: Record<string, string> = {},
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    ...DEPLOYMENT.processEnvironment,
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
    // Functions write their logs, as where they are deployed; processing logs is not measured.
    stdio: bench.logFile,
  });
  void started.failed.then((sentence) => {
    throw new Error(sentence);
  });
  return started;
}

/** Paths of `count` different results; calls with other offsets give other results. */
export function resultPaths(count: number, offset = 0): string[] {
  return Array.from(
    { length: count },
    (_, index) => `/api/endpoints/query/tasks.run-stats?project=p${offset + index}&interval=1day`,
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
