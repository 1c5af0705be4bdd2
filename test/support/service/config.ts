// The settings for tests in this process: the defaults of a deployment.
import { parseConfig } from '../../../functions/config.ts';
import type { Scope } from '../../../functions/cache/cache-key.ts';

const config = parseConfig({ GOOGLE_CLOUD_PROJECT: 'test-project' });

export const TEST_CONFIG = { ...config, storeTimeoutMs: config.firestoreTimeoutSeconds * 1000 };

export const TEST_SCOPE: Scope = TEST_CONFIG;
