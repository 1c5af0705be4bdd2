// The settings of what is tested in this process: those of a deployment that sets nothing.
import { parseConfig } from '../../functions/config.ts';
import type { Scope } from '../../functions/results/cache-key.ts';

const config = parseConfig({ GOOGLE_CLOUD_PROJECT: 'test-project' });

export const TEST_CONFIG = { ...config, storeTimeoutMs: config.firestoreTimeoutSeconds * 1000 };

export const TEST_SCOPE: Scope = TEST_CONFIG;
