// Runs a function as deployed in a process of its own, and collects what it prints.
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Firestore } from '@google-cloud/firestore';
import { compileCatalogue, loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { startFunction } from '../../../scripts/start/function-process.ts';
import { DEPLOYMENT } from '../../../scripts/deploy/defaults.ts';
import { projectOf } from './firestore-emulators.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { TEST_SQL } from '../sql/test-sql.ts';
import { undo } from '../undo.ts';

interface LogLine {
  severity: string;
  message: string;
  event?: string;
  [field: string]: unknown;
}

export type RunningFunction = Awaited<ReturnType<typeof runFunction>>;

interface RunningFunctionOptions {
  target: 'query' | 'warm';
  firestore: Firestore;
  bigQueryUrl: string;
  env?: Record<string, string>;
  /** Directory of saved queries; that of the tests by default. */
  sql?: string;
  /** The compiled catalogue, as a bundle has it; by default that of `sql` without what `npm run check` adds. */
  compiled?: string;
  /** A free one by default. */
  port?: number;
}

/** Ended by `stop`, which may be called again; in a test it ends with it. */
export async function runFunction(options: RunningFunctionOptions) {
  const { target, firestore, bigQueryUrl, env, sql = TEST_SQL, port = 0 } = options;
  const compiled = options.compiled ?? compileCatalogue(loadCatalogue(sql));
  const directory = temporaryDirectory('function-');
  const path = join(directory.path, 'output');
  const file = openSync(path, 'a');
  const output = (): string => readFileSync(path, 'utf8');
  const catalogue = join(directory.path, 'catalogue.json');
  writeFileSync(catalogue, compiled);
  const started = await startFunction({
    // The bundle of global-setup.ts, where there is one.
    ...{ target, source: process.env.FUNCTION_SOURCE ?? '.', port, stdio: file },
    env: {
      ...DEPLOYMENT.process_environment,
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      METADATA_SERVER_DETECTION: 'none',
      GOOGLE_CLOUD_PROJECT: projectOf(firestore),
      FIRESTORE_EMULATOR_HOST: process.env.FIRESTORE_EMULATOR_HOST,
      BIGQUERY_EMULATOR_HOST: bigQueryUrl,
      CATALOGUE: catalogue,
      // Beside the results, so that a test needs one client; test/keys/keys-database.long.test.ts has them apart.
      KEYS_DATABASE: '(default)',
      ...env,
    },
  })
    .catch((error: unknown) => {
      throw new Error(output() || String(error), { cause: error });
    })
    .finally(() => closeSync(file));
  const stop = async (): Promise<void> => {
    await started.stop();
    directory.remove();
  };
  undo(stop);
  return {
    ...started,
    /** What stdout and stderr hold. */
    output,
    /** The same as log lines. The process may be in the middle of a write. */
    lines: () => parseLog(output().replace(/[^\n]*$/, '')),
    stop,
  };
}

/** Throws where a line is not a JSON object with severity and message. */
export function parseLog(output: string): LogLine[] {
  const lines = output.split('\n');
  if (lines.pop() !== '') throw new Error('The last line has no end.');
  return lines.map((line) => {
    const { severity, message } = JSON.parse(line) as Partial<LogLine>;
    if (typeof severity !== 'string' || typeof message !== 'string') {
      throw new Error(`no severity or message: ${line}`);
    }
    return JSON.parse(line) as LogLine;
  });
}
