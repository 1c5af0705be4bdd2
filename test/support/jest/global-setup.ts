// Jest's global setup: starts one Firestore emulator for all tests, and stops it at their end.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { provideFirestore } from '../service/firestore-emulators.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

declare global {
  /** For global-teardown.ts, which runs in the same process. */
  var stopFirestore: (() => Promise<void>) | undefined;
}

/** Tells the workers FIRESTORE_EMULATOR_HOST, FIRESTORE_EMULATOR_KIND (google, in-process, given), NODE_COMPILE_CACHE and FUNCTION_SOURCE. */
export default async function globalSetup(): Promise<void> {
  // What is right only where the machine's clock shows UTC, as that of a function does, is wrong on many a laptop.
  process.env.TZ = 'Australia/Lord_Howe';
  // No test needs Google's credentials, and looking for them takes time.
  process.env.METADATA_SERVER_DETECTION = 'none';
  // Hundreds of processes load the same modules: once they are compiled, a function starts in half the time.
  process.env.NODE_COMPILE_CACHE = temporaryDirectory('compile-cache-').path;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const [emulator] = await Promise.all([
    provideFirestore(),
    // The short tests run only one function.
    process.env.TESTS === 'short' ? undefined : bundleFunctions(),
  ]);
  process.env.FIRESTORE_EMULATOR_HOST = emulator.host;
  process.env.FIRESTORE_EMULATOR_KIND = emulator.kind;
  process.stdout.write(`Firestore emulator: ${emulator.name}\n`);
  globalThis.stopFirestore = () => emulator.stop();
}

/** The functions as they are deployed, of which some dozen processes are started: from their sources each takes twice as long. */
async function bundleFunctions(): Promise<void> {
  const { MAIN, bundleCode } = await import('../../../scripts/bundle/bundle-files.ts');
  const { path: directory } = temporaryDirectory('functions-');
  for (const [path, content] of await bundleCode(process.cwd())) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', main: MAIN }));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  process.env.FUNCTION_SOURCE = directory;
  // What it has loaded is most of what the workers are about to load.
  flushCompileCache();
}
