// `npm test`: Vitest runs the TypeScript sources as Node.js itself does, and the types are checked before.
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** What `npm test` runs, and what `npm run test:long` shares with it. */
export const base = {
  globals: true,
  globalSetup: './test/support/global-setup.ts',
  setupFiles: ['./test/support/setup.ts'],
  // A machine with other work makes a test slow, and not wrong.
  testTimeout: 90_000,
  hookTimeout: 90_000,
  maxWorkers: 2,
  pool: 'forks',
  // Each worker loads a module once, for all of its files: loading Google's clients anew takes seconds.
  isolate: false,
  experimental: { viteModuleRunner: false },
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: { ...base, include: ['test/**/*.test.ts'], exclude: ['**/*.long.test.ts'] },
});
