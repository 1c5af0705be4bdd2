// Vitest runs the TypeScript sources as Node.js itself does; the types are checked before, by `npm test`.
import { defineConfig } from 'vitest/config';

const LONG = '**/*.long.test.ts';

/** The mode is `test` (`npm test`), `long` (`npm run test:long`) or `all` (`npm run verify`). */
export default defineConfig(({ mode }) => ({
  test: {
    globals: true,
    globalSetup: './test/support/global-setup.ts',
    setupFiles: ['./test/support/setup.ts'],
    include: mode === 'long' ? [`test/${LONG}`] : ['test/**/*.test.ts'],
    exclude: mode === 'test' ? [LONG] : [],
    // A machine with other work makes a test slow, and not wrong.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // The long suites wait half of their time.
    maxWorkers: mode === 'test' ? 2 : 4,
    pool: 'forks',
    // Each worker loads a module once, for all of its files: loading Google's clients takes seconds.
    isolate: false,
    experimental: { viteModuleRunner: false },
  },
}));
