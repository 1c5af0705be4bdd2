// Where the logs of a test's service are, as in a deployment with the default settings.
import type { Scope } from '../../functions/results/cache-key.ts';

export const TEST_SCOPE: Scope = { dataset: 'logs', location: 'US' };
