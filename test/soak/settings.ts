// The settings of the service under soak, and the bounds on answers that follow from them.

export const CACHING_SECONDS = 20;
export const WARMING_SECONDS = 6;
export const QUERY_SECONDS = 7;
export const STORE_SECONDS = 2;
export const LEASE_SECONDS = 2;
export const KEY_CACHE_SECONDS = 15;
export const MEMORY_SECONDS = 1;

/** Longest time that a request may take: its deadline, the calls of Firestore after it, a busy machine. */
export const ANSWER_MS_MAX = QUERY_SECONDS * 1000 + 4 * STORE_SECONDS * 1000 + 3000;
/** Longest time of a hit in memory: nothing may hold up an instance for as long as a busy machine does. */
export const MEMORY_HIT_MS_MAX = 3000;
/** How long a fault that is over may still show: in a run that others wait for, in a call on its way. */
export const AFTERMATH_MS = {
  bigquery: QUERY_SECONDS * 1000 + 1000,
  firestore: STORE_SECONDS * 1000 + 1500,
};
/** What takes longer by itself, without a fault, is on a busy machine. */
export const SLOW_MS = { bigquery: QUERY_SECONDS * 250, firestore: STORE_SECONDS * 250 };
/** Longer than a lease and a run of somebody else, and short enough for the own run to come to its end. */
export const PAUSE_MS = LEASE_SECONDS * 1000 + 2000;
/** Cloud Run kills by then; and a busy machine. */
export const END_MS_MAX = 10_000 + 2000;

export const ENVIRONMENT = {
  QUERY_TIMEOUT_SECONDS: String(QUERY_SECONDS),
  FIRESTORE_TIMEOUT_SECONDS: String(STORE_SECONDS),
  KEY_CACHE_SECONDS: String(KEY_CACHE_SECONDS),
  LEASE_SECONDS: String(LEASE_SECONDS),
  MEMORY_CACHE_SECONDS: String(MEMORY_SECONDS),
  // An answer without end is read so far.
  MAX_RESULT_MIB: '1',
  WARM_BUDGET_SECONDS: '10',
};
