// Starts Firestore emulators: Google's if gcloud has it, and the in-process one.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Firestore } from '@google-cloud/firestore';
import { createFirestore } from '../../../functions/firestore/client.ts';
import { freePort } from './free-port.ts';
import { startInProcessFirestore } from '../../../scripts/start/firestore-emulator.ts';
import { undo } from '../undo.ts';

interface FirestoreEmulator {
  /** The value for FIRESTORE_EMULATOR_HOST: `127.0.0.1:<port>`. */
  host: string;
  stop: () => Promise<void>;
}

const JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';
const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
/** For a process of some minutes: compiling more thoroughly would take more than it saves. */
const JAVA_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const START_MS_MAX = 60_000;

/** The best available emulator: that of FIRESTORE_EMULATOR_HOST, which is not stopped, Google's, or one in this process. */
export async function provideFirestore() {
  const given = process.env.FIRESTORE_EMULATOR_HOST;
  if (given) {
    const stop = (): Promise<void> => Promise.resolve();
    return { kind: 'given', name: 'from FIRESTORE_EMULATOR_HOST', host: given, stop } as const;
  }
  const google = await startGoogleFirestore();
  if (google !== undefined)
    return { kind: 'google', name: "Google's (gcloud)", ...google } as const;
  const name = "in-process (@firestore-emulator/server); install gcloud for Google's";
  return { kind: 'in-process', name, ...(await startInProcess()) } as const;
}

/**
 * Google's emulator on a free port, once it answers. Undefined if gcloud, its component
 * cloud-firestore-emulator or a suitable Java is missing. It ends with this process, however this process
 * ends.
 */
async function startGoogleFirestore(): Promise<FirestoreEmulator | undefined> {
  const jar = [...sdkRoots()].map((root) => join(root, JAR)).find(existsSync);
  if (jar === undefined) return undefined;
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const args = [...JAVA_OPTIONS, '-cp', jar, MAIN_CLASS, '--host=127.0.0.1', `--port=${port}`];
  const java = spawn('java', args, { stdio: 'ignore' });
  const ended = once(java, 'exit').catch(() => undefined);
  java.unref();
  if (java.pid === undefined) return undefined;

  // Signals and exit handlers do not see a SIGKILL of this process; the end of a pipe does.
  const watchdog = spawn('sh', ['-c', `read -r _; kill -9 ${java.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  (watchdog.stdin as unknown as { unref(): void }).unref();
  const stop = async (): Promise<void> => {
    // Keeps the process alive while this waits: otherwise Jest would lose its exit code.
    java.ref();
    watchdog.kill('SIGKILL');
    java.kill('SIGKILL');
    await ended;
  };

  const isUp = await Promise.race([ended.then(() => false), answers(host)]);
  if (isUp) return { host, stop };
  await stop();
  return undefined;
}

/** Guarantees across instances are tested only on Google's. */
async function startInProcess(): Promise<FirestoreEmulator> {
  const { host, stop } = await startInProcessFirestore();
  return { host, stop: () => Promise.resolve(stop()) };
}

/**
 * A client of the emulator at `host`, in a project of its own, so that no other test sees its writes.
 * The caller ends it with `terminate()`.
 */
export function connectFirestore(host: string): Firestore {
  // The variable overrides every setting of the client, which reads it when it is created.
  const usual = process.env.FIRESTORE_EMULATOR_HOST;
  process.env.FIRESTORE_EMULATOR_HOST = host;
  const project = `test-${randomUUID()}`;
  const firestore = createFirestore({ project, database: '(default)', emulatorHost: host });
  if (usual === undefined) delete process.env.FIRESTORE_EMULATOR_HOST;
  else process.env.FIRESTORE_EMULATOR_HOST = usual;
  return firestore;
}

/** For a test, with which it ends: a client of the emulator of the global setup, or of another one. */
export function testFirestore(host = process.env.FIRESTORE_EMULATOR_HOST ?? ''): Firestore {
  const firestore = connectFirestore(host);
  undo(() => firestore.terminate());
  return firestore;
}

/** For a test, with which it ends: a client of another database of the emulator, by default that of the API keys. */
export function testDatabase(project: string, database = 'saved-queries-keys'): Firestore {
  const emulatorHost = process.env.FIRESTORE_EMULATOR_HOST;
  const firestore = createFirestore({ project, database, emulatorHost });
  undo(() => firestore.terminate());
  return firestore;
}

/** The project of a client, and of each service with its data; it is missing in the types. */
export function projectOf(firestore: Firestore): string {
  return (firestore as unknown as { projectId: string }).projectId;
}

/** Where gcloud is, as Google and Debian install it: to ask `gcloud` itself takes seconds. */
function* sdkRoots(): Generator<string> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(directory, 'gcloud');
    if (existsSync(program)) yield dirname(dirname(realpathSync(program)));
  }
}

/** False if it has not answered in time. */
async function answers(host: string): Promise<boolean> {
  const tooLate = AbortSignal.timeout(START_MS_MAX);
  while (!tooLate.aborted) {
    // It fails while nobody listens yet.
    const answer = await fetch(`http://${host}/`, { signal: tooLate }).catch(() => undefined);
    if (answer?.ok) return true;
    await delay(50);
  }
  return false;
}

/**
 * Declares the suite for the in-process emulator, and for the emulator of the global setup if that is
 * another one. `firestore` is available in hooks and tests, not while they are declared.
 */
export function describeOnFirestores(
  suite: (under: { kind: string; firestore: () => Firestore }) => void,
): void {
  let firestore: Firestore;
  describe('on the in-process Firestore emulator', () => {
    beforeAll(async () => {
      const { host, stop } = await startInProcess();
      undo(stop);
      firestore = testFirestore(host);
    });
    suite({ kind: 'in-process', firestore: () => firestore });
  });

  const kind = process.env.FIRESTORE_EMULATOR_KIND;
  const where = kind === 'given' ? 'FIRESTORE_EMULATOR_HOST' : "Google's Firestore emulator";
  const isMissing = kind !== 'google' && kind !== 'given';
  const describeOther = isMissing ? describe.skip : describe;
  describeOther(`on ${where}${isMissing ? ' (not installed: gcloud has none)' : ''}`, () => {
    beforeAll(() => void (firestore = testFirestore()));
    suite({ kind: isMissing ? 'google' : kind, firestore: () => firestore });
  });
}
