/** Options of an `LRUCache` with a maximum number of entries. Its `max` would preallocate: 8 ms of a cold start. */
export const atMost = (entries: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: () => 1,
});
