// Jest's global setup: starts one Firestore emulator for all tests, and stops it at their end.
import { provideFirestore } from './service/firestore-emulators.ts';
import { temporaryDirectory } from './temporary-directory.ts';

declare global {
  /** For global-teardown.ts, which runs in the same process. */
  var stopFirestore: (() => Promise<void>) | undefined;
}

/** Tells the workers FIRESTORE_EMULATOR_HOST, FIRESTORE_EMULATOR_KIND (google, in-process, given) and NODE_COMPILE_CACHE. */
export default async function globalSetup(): Promise<void> {
  // No test needs Google's credentials, and looking for them takes time.
  process.env.METADATA_SERVER_DETECTION = 'none';
  // Hundreds of processes load the same modules: once they are compiled, a function starts in half the time.
  process.env.NODE_COMPILE_CACHE = temporaryDirectory('compile-cache-').path;
  const emulator = await provideFirestore();
  process.env.FIRESTORE_EMULATOR_HOST = emulator.host;
  process.env.FIRESTORE_EMULATOR_KIND = emulator.kind;
  process.stdout.write(`Firestore emulator: ${emulator.name}\n`);
  globalThis.stopFirestore = () => emulator.stop();
}
