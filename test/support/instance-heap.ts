/**
 * NODE_OPTIONS with the heap that Node takes where an instance has 512 MiB: with all of a big
 * machine it would collect later.
 */
export const INSTANCE_HEAP = '--max-old-space-size=256';
