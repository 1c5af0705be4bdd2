// The dataset and location that tests use: those of a deployment with default settings.
import type { Scope } from '../../functions/results/cache-key.ts';

export const TEST_SCOPE: Scope = { dataset: 'logs', location: 'US' };
