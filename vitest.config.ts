// Vitest runs the TypeScript sources as Node.js itself does; the types are checked before, by `npm test`.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG = '**/*.long.test.ts';

/** The long suites come first: one that began last would leave the other workers without work. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ moduleId }: TestSpecification): number =>
      Number(!moduleId.endsWith('.long.test.ts'));
    return (await super.sort(files)).sort((a, b) => isShort(a) - isShort(b));
  }
}

/** The mode is `test` (`npm test`), `long` (`npm run test:long`) or `all` (`npm run verify`). */
export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongFirst },
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
