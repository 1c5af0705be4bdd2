// The settings of the service in a soak test, and the time limits that follow from them.

/** Opens everything. */
export const API_KEY = 'sqk_soak-key-that-opens-everything-00000000000000';
export const CACHING_SECONDS = 20;
export const WARMING_SECONDS = 6;
const QUERY_SECONDS = 7;
export const STORE_SECONDS = 2;
export const LEASE_SECONDS = 2;
const KEY_CACHE_SECONDS = 15;
const MEMORY_SECONDS = 1;

/** Time limit of a request: the query deadline, four calls of Firestore, and 3 s for a busy machine. */
export const ANSWER_MS_MAX = QUERY_SECONDS * 1000 + 4 * STORE_SECONDS * 1000 + 3000;
/** Time limit of a hit in memory: nothing may block the event loop longer than a busy machine does. */
export const MEMORY_HIT_MS_MAX = 3000;
/** How long a fault may still have effects after its end: in a run that others wait for, or an open call. */
export const AFTERMATH_MS = {
  bigquery: QUERY_SECONDS * 1000 + 1000,
  firestore: STORE_SECONDS * 1000 + 1500,
};
/** A call that takes longer without a fault is slow because the machine is busy. */
export const SLOW_MS = { bigquery: QUERY_SECONDS * 250, firestore: STORE_SECONDS * 250 };
/** Longer than a lease and the run of another instance, and shorter than the deadline of the paused run. */
export const PAUSE_MS = LEASE_SECONDS * 1000 + 2000;
/** Cloud Run kills an instance 10 s after SIGTERM; 2 s more for a busy machine. */
export const END_MS_MAX = 10_000 + 2000;

export const ENVIRONMENT = {
  QUERY_TIMEOUT_SECONDS: String(QUERY_SECONDS),
  FIRESTORE_TIMEOUT_SECONDS: String(STORE_SECONDS),
  KEY_CACHE_SECONDS: String(KEY_CACHE_SECONDS),
  LEASE_SECONDS: String(LEASE_SECONDS),
  MEMORY_CACHE_SECONDS: String(MEMORY_SECONDS),
  // So much is read of an endless answer.
  MAX_RESULT_MIB: '1',
  WARM_BUDGET_SECONDS: '10',
};
/** Time from a write of newer rows until no request gets older ones, from an open read or from memory. */
export const SHARED_MS = (2 * STORE_SECONDS + MEMORY_SECONDS + 1) * 1000;
