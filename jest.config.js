// Jest runs the TypeScript sources as CommonJS through swc; `npm test` checks the types beside it.
/** What `npm test` runs, and what `npm run test:long` shares with it. */
export const base = {
  testEnvironment: '<rootDir>/test/support/environment.ts',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  roots: ['<rootDir>/test'],
  // A machine with other work makes a test slow, and not wrong.
  testTimeout: 90_000,
  maxWorkers: 2,
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' } },
    ],
  },
};

export default {
  ...base,
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['\\.long\\.test\\.ts$'],
};
