// Runs one test file with Jest's own runner, jest-circus, while Node.js itself loads all modules.
//
// Jest's module loader evaluates every module again for each test file: with Google's clients that takes seconds a
// file. This replaces four methods of its runtime. They are private to Jest, so package.json pins Jest to one version.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { JestEnvironment } from '@jest/environment';
import type { TestResult } from '@jest/test-result';
import type { Config } from '@jest/types';

/** The parts of jest-runtime that jest-circus/runner calls and that would load modules. */
interface Loader {
  requireInternalModule: (path: string) => unknown;
  unstable_shouldLoadAsEsm: (path: string) => boolean;
  unstable_importModule: (path: string) => Promise<unknown>;
  setGlobalsForRuntime: (globals: object) => void;
}

type RunFile = (
  globalConfig: Config.GlobalConfig,
  config: Config.ProjectConfig,
  environment: JestEnvironment,
  runtime: Loader,
  testPath: string,
  ...more: unknown[]
) => Promise<TestResult>;

/** Where jest-circus keeps who is told of its events, also for its copies. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

const require = createRequire(import.meta.url);
const { default: runFile } = require('jest-circus/runner') as { default: RunFile };

let files = 0;

const runTestFile: RunFile = (globalConfig, config, environment, runtime, testPath, ...more) => {
  files += 1;
  const run = files;
  // jest-circus has the tests of one file: each file gets a copy of it, without those to whom older ones report.
  runtime.requireInternalModule = (path) => {
    Reflect.deleteProperty(require.cache, path);
    Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
    return require(path) as unknown;
  };
  runtime.unstable_shouldLoadAsEsm = () => true;
  // The setup file runs for every test file, and a test file for every run in watch mode: hence an address of its own.
  runtime.unstable_importModule = (path) => import(`${pathToFileURL(path).href}?run=${run}`);
  runtime.setGlobalsForRuntime = (globals) => void Object.assign(globalThis, globals);
  return runFile(globalConfig, config, environment, runtime, testPath, ...more);
};

export default runTestFile;
