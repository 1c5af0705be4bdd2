// `npm run test:long`: floods, browsers, bundles, processes that are killed and paused, the soak.
import { base } from './jest.config.js';

export default { ...base, testMatch: ['**/*.long.test.ts'] };
