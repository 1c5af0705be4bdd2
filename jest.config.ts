// Jest runs the TypeScript sources as Node.js itself does; the types are checked before, by `npm test`.
import type { Config } from 'jest';

const LONG = String.raw`\.long\.test\.ts$`;

/** TESTS is `short` (`npm test`), `long` (`npm run test:long`), or without a value all (`npm run verify`). */
const tests = process.env.TESTS ?? 'all';

const config: Config = {
  roots: ['<rootDir>/functions', '<rootDir>/scripts', '<rootDir>/test'],
  testRegex: tests === 'long' ? LONG : String.raw`\.test\.ts$`,
  testPathIgnorePatterns: tests === 'short' ? [LONG] : [],
  moduleFileExtensions: ['ts', 'js', 'json'],
  // Node.js loads all modules: test/support/jest/runner.ts.
  transform: {},
  testRunner: '<rootDir>/test/support/jest/runner.ts',
  testEnvironment: '<rootDir>/test/support/jest/environment.ts',
  testSequencer: '<rootDir>/test/support/jest/long-first.ts',
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/setup.ts'],
  // A machine with other work makes a test slow, and not wrong.
  testTimeout: 90_000,
  // Two cores; the long suites also wait for programs and browsers.
  maxWorkers: tests === 'short' ? 2 : 3,
  // With any limit Jest runs also a single file in a worker, which setup.ts can end when it hangs.
  workerIdleMemoryLimit: '64GB',
  // A worker writes the compiled modules to the cache at its end: global-setup.ts.
  workerGracefulExitTimeout: 10_000,
};

export default config;
