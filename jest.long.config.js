// `npm run test:long`: floods, browsers, bundles, processes that are killed and paused, the soak.
import { base } from './jest.config.js';

// More workers than elsewhere: half of the time these suites wait, for deadlines, leases and the ends of processes.
export default { ...base, testMatch: ['**/*.long.test.ts'], maxWorkers: 3 };
