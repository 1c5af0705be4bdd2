// Starts Firestore emulators: Google's if gcloud has it, and the in-process one.
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Firestore } from '@google-cloud/firestore';
import { createFirestore } from '../../../functions/google/firestore-client.ts';
import { freePort } from '../../../scripts/cli/tcp-ports.ts';
import { startInProcessFirestore } from '../../../scripts/start/firestore-emulator.ts';
import { undo } from '../undo.ts';

export interface FirestoreEmulator {
  /** The value for FIRESTORE_EMULATOR_HOST: `127.0.0.1:<port>`. */
  host: string;
  stop: () => Promise<void>;
}

/** The kind of emulator: that of FIRESTORE_EMULATOR_HOST, Google's, or the one in this process. */
export type FirestoreKind = 'given' | 'google' | 'in-process';

const JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';
const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
/** For a process of some minutes: compiling more thoroughly would take more than it saves. */
const JAVA_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const START_MS_MAX = 60_000;

/** The best available emulator; an emulator that was given is not stopped. */
export async function provideFirestore(): Promise<FirestoreEmulator & { kind: FirestoreKind }> {
  const given = process.env.FIRESTORE_EMULATOR_HOST;
  if (given) return { kind: 'given', host: given, stop: () => Promise.resolve() };
  const google = await startGoogleFirestore();
  if (google !== undefined) return { kind: 'google', ...google };
  return { kind: 'in-process', ...(await startInProcess()) };
}

/**
 * Google's emulator on a free port, once it answers. Undefined if gcloud, its component
 * cloud-firestore-emulator or a suitable Java is missing. It ends with this process, however this process
 * ends.
 */
async function startGoogleFirestore(): Promise<FirestoreEmulator | undefined> {
  const jar = await findGoogleJar();
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
    // Keeps the process alive while this waits: otherwise Vitest would lose its exit code.
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
  try {
    return createFirestore({
      project: `test-${randomUUID()}`,
      database: '(default)',
      emulatorHost: host,
    });
  } finally {
    if (usual === undefined) delete process.env.FIRESTORE_EMULATOR_HOST;
    else process.env.FIRESTORE_EMULATOR_HOST = usual;
  }
}

/** For a test, with which it ends: a client of the emulator of the global setup, or of another one. */
export function testFirestore(host = process.env.FIRESTORE_EMULATOR_HOST ?? ''): Firestore {
  const firestore = connectFirestore(host);
  undo(() => firestore.terminate());
  return firestore;
}

/** The project of a client, which is missing in its types. */
export function projectOf(firestore: Firestore): string {
  return (firestore as unknown as { projectId: string }).projectId;
}

async function findGoogleJar(): Promise<string | undefined> {
  const beside = [...sdkRoots()].map((root) => join(root, JAR)).find(existsSync);
  if (beside !== undefined) return beside;
  try {
    const format = '--format=value(installation.sdk_root)';
    const { stdout } = await promisify(execFile)('gcloud', ['info', format]);
    const jar = join(stdout.trim(), JAR);
    return existsSync(jar) ? jar : undefined;
  } catch {
    return undefined;
  }
}

/** Where the program is, as Google and Debian install it: to ask `gcloud` itself takes seconds. */
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
    try {
      const response = await fetch(`http://${host}/`, { signal: tooLate });
      if (response.ok) return true;
    } catch {
      // Not listening yet.
    }
    await delay(50);
  }
  return false;
}

/** The emulator on which the contract of a store is tested. */
export interface FirestoreUnderTest {
  kind: FirestoreKind;
  /** Available in hooks and tests, not while they are declared. */
  firestore: () => Firestore;
}

/**
 * Declares the suite for the in-process emulator, and for the emulator of the global setup if that is
 * another one.
 */
export function describeOnFirestores(suite: (under: FirestoreUnderTest) => void): void {
  describe('on the in-process Firestore emulator', () => {
    let firestore: Firestore;
    beforeAll(async () => {
      const { host, stop } = await startInProcess();
      undo(stop);
      firestore = testFirestore(host);
    });
    suite({ kind: 'in-process', firestore: () => firestore });
  });

  const { FIRESTORE_EMULATOR_HOST: host = '', FIRESTORE_EMULATOR_KIND: kind } = process.env;
  if (kind !== 'google' && kind !== 'given') {
    describe.skip("on Google's Firestore emulator (not installed: gcloud has none)", () => {
      suite({ kind: 'google', firestore: () => connectFirestore(host) });
    });
    return;
  }
  const where = kind === 'google' ? "Google's Firestore emulator" : 'FIRESTORE_EMULATOR_HOST';
  describe(`on ${where}`, () => {
    let firestore: Firestore;
    beforeAll(() => {
      firestore = testFirestore(host);
    });
    suite({ kind, firestore: () => firestore });
  });
}
