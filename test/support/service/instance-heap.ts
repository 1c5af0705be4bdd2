// The memory of a deployed instance.
import { DEPLOYMENT } from '../../../scripts/deploy/defaults.ts';

/**
 * NODE_OPTIONS as deployed, with the heap size that Node has in an instance with 512 MiB: on a larger
 * machine Node would collect garbage later.
 */
export const INSTANCE_HEAP = `${DEPLOYMENT.process_environment.NODE_OPTIONS} --max-old-space-size=256`;
