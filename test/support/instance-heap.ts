// The heap size of a deployed instance.
/**
 * NODE_OPTIONS with the heap size that Node has in an instance with 512 MiB: on a larger machine Node
 * would collect garbage later.
 */
export const INSTANCE_HEAP = '--max-old-space-size=256';
