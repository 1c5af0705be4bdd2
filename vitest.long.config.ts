// `npm run test:long`: floods, browsers, bundles, processes that are killed and paused, the soak.
import { defineConfig } from 'vitest/config';
import { base } from './vitest.config.ts';

export default defineConfig({ test: { ...base, include: ['test/**/*.long.test.ts'] } });
