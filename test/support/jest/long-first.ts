// Starts the long suites first: one that began last would leave the other workers without work.
import { createRequire } from 'node:module';
import type { Test } from '@jest/test-result';
import type Sequencer from '@jest/test-sequencer';

// What its types say of an import is true of `require` alone.
const { default: TestSequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as {
  default: typeof Sequencer.default;
};

const isShort = ({ path }: Test): number => Number(!path.endsWith('.long.test.ts'));

export default class LongFirst extends TestSequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    return (await super.sort(tests)).sort((a, b) => isShort(a) - isShort(b));
  }
}
