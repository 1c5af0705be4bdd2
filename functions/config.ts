// Reads and checks the settings of the service; one table holds the name, default and meaning of each.

export interface Setting<T> extends Kind<T> {
  name: string;
  description: string;
}

interface Kind<T> {
  /** The default, as text of the environment; undefined if the setting is required. */
  default: string | undefined;
  /** Throws an Error whose message completes "NAME …". */
  parse: (text: string) => T;
  /** The least and the most of a whole number; this and the next Terraform can check too (infra/settings.json). */
  range?: readonly [number, number];
  allowed?: readonly string[];
}

const text = <Default extends string | undefined>(byDefault: Default) => ({
  default: byDefault,
  parse(value: string): string {
    if (value.trim() === '') throw new Error('must not be empty');
    return value;
  },
});
const wholeNumber = (byDefault: number, min: number, max: number): Kind<number> => ({
  default: String(byDefault),
  parse(value) {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  },
  range: [min, max],
});
const oneOf = <const T extends string>(byDefault: T, ...allowed: T[]): Kind<T> => ({
  default: byDefault,
  parse(value) {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  },
  allowed,
});
const OPTIONAL: Kind<string | undefined> = {
  default: '',
  parse: (value) => (value === '' ? undefined : value),
};
const isOrigin = (value: string): boolean =>
  URL.canParse(value) && new URL(value).origin === value && !value.includes('*');
const API_ENDPOINT: Kind<string | undefined> = {
  default: '',
  parse(value) {
    if (value === '') return undefined;
    // Access tokens must not cross a network unencrypted.
    const isSafe = /^https:|^http:\/\/127\.0\.0\.1(?::|$)/.test(value);
    if (isOrigin(value) && isSafe) return value;
    throw new Error('must be an origin such as https://bigquery.example.com');
  },
};
const ORIGINS: Kind<readonly string[]> = {
  default: '*',
  parse(value) {
    const list = value.split(',').map((origin) => origin.trim());
    if (list.every((origin) => origin === '*' || isOrigin(origin))) return list;
    throw new Error('must be * or origins such as https://example.com, separated by commas');
  },
};

/** One row per setting; functions/README.md repeats this table, and a test compares the two. */
export const SETTINGS = {
  project: {
    name: 'GOOGLE_CLOUD_PROJECT',
    ...text(undefined),
    description: 'Project that runs the BigQuery jobs and holds the Firestore databases.',
  },
  dataset: {
    name: 'BIGQUERY_DATASET',
    ...text('logs'),
    description: 'Dataset of the log tables, as `dataset` or `project.dataset`.',
  },
  location: {
    name: 'BIGQUERY_LOCATION',
    ...text('US'),
    description: 'Location of the dataset.',
  },
  maxBytesBilled: {
    name: 'MAX_BYTES_BILLED',
    ...wholeNumber(10_737_418_240, 10_485_760, Number.MAX_SAFE_INTEGER),
    description: 'A query that would bill more bytes than this fails without cost.',
  },
  maxResultMib: {
    name: 'MAX_RESULT_MIB',
    ...wholeNumber(8, 1, 1024),
    description: 'A result with more MiB than this, as BigQuery sends it, fails with 400.',
  },
  maxReadingMib: {
    name: 'MAX_READING_MIB',
    ...wholeNumber(16, 1, 16_384),
    description: 'MiB of results that an instance reads from BigQuery at once; more requests wait.',
  },
  maxUnreadMib: {
    name: 'MAX_UNREAD_MIB',
    ...wholeNumber(64, 1, 16_384),
    description: 'MiB of answers that an instance holds for clients that have not read them yet.',
  },
  queryTimeoutSeconds: {
    name: 'QUERY_TIMEOUT_SECONDS',
    // Less than every cachingSeconds, so that no result expires before it is stored.
    ...wholeNumber(25, 1, 59),
    description: 'A request that has no rows by then gets 504 and its job is cancelled.',
  },
  firestoreDatabase: {
    name: 'FIRESTORE_DATABASE',
    ...text('(default)'),
    description: 'Firestore database of results and leases.',
  },
  keysDatabase: {
    name: 'KEYS_DATABASE',
    ...text('saved-queries-keys'),
    description: 'Firestore database of API keys, which `query` only reads.',
  },
  firestoreTimeoutSeconds: {
    name: 'FIRESTORE_TIMEOUT_SECONDS',
    ...wholeNumber(2, 1, 60),
    description: 'A Firestore call that takes longer counts as failed.',
  },
  leaseSeconds: {
    name: 'LEASE_SECONDS',
    ...wholeNumber(10, 1, 300),
    description: 'Other instances wait at most this long for an instance that died in a query.',
  },
  memoryCacheSeconds: {
    name: 'MEMORY_CACHE_SECONDS',
    ...wholeNumber(15, 0, 300),
    description: 'How long an instance answers from memory before it reads Firestore again.',
  },
  memoryCacheMib: {
    name: 'MEMORY_CACHE_MIB',
    ...wholeNumber(64, 1, 16_384),
    description: 'Bound on the results that an instance holds in memory.',
  },
  keyCacheSeconds: {
    name: 'KEY_CACHE_SECONDS',
    ...wholeNumber(60, 0, 60),
    description: 'How long an instance remembers a key: revocation works within this time.',
  },
  forwardedForPosition: {
    name: 'FORWARDED_FOR_POSITION',
    ...wholeNumber(1, 1, 10),
    description:
      'Which address of `X-Forwarded-For` is the caller’s, from the end: 1 on Cloud Run, 2 behind a load balancer.',
  },
  corsOrigins: {
    name: 'CORS_ORIGINS',
    ...ORIGINS,
    description: 'Origins of browser pages that may read answers, separated by commas.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    ...oneOf('info', 'debug', 'info', 'warning', 'error'),
    description: 'Least severity that is logged: `debug`, `info`, `warning` or `error`.',
  },
  console: {
    name: 'CONSOLE',
    ...oneOf('off', 'on', 'off'),
    description: 'Whether `GET /` is the console, a page to try the endpoints: `on` or `off`.',
  },
  warmConcurrency: {
    name: 'WARM_CONCURRENCY',
    ...wholeNumber(8, 1, 100),
    description: 'BigQuery jobs that a warming run runs at the same time.',
  },
  warmBudgetSeconds: {
    name: 'WARM_BUDGET_SECONDS',
    ...wholeNumber(280, 1, 1740),
    description: 'Time limit of a warming run; the next run refreshes the rest.',
  },
  warmMaxEntries: {
    name: 'WARM_MAX_ENTRIES',
    ...wholeNumber(10_000, 1, 1_000_000),
    description:
      'Results that are kept warm, the most recently read first; a run looks at five times as many.',
  },
  warmMaxEntriesPerKey: {
    name: 'WARM_MAX_ENTRIES_PER_KEY',
    ...wholeNumber(2000, 1, 1_000_000),
    description: 'Results that one API key keeps warm; bounds the cost that one key can cause.',
  },
  bigQueryApiEndpoint: {
    name: 'BIGQUERY_API_ENDPOINT',
    ...API_ENDPOINT,
    description:
      'Address of BigQuery’s API instead of the public one, as that of a private endpoint; local only.',
  },
  bigQueryEmulatorHost: {
    name: 'BIGQUERY_EMULATOR_HOST',
    ...OPTIONAL,
    description: 'Local BigQuery instead of the real one, as `http://127.0.0.1:9050`.',
  },
  firestoreEmulatorHost: {
    name: 'FIRESTORE_EMULATOR_HOST',
    ...OPTIONAL,
    description: 'Firestore emulator instead of the real one, as `127.0.0.1:8081`.',
  },
  catalogue: {
    name: 'CATALOGUE',
    ...OPTIONAL,
    description:
      'File of compiled saved queries instead of the one beside the functions; local only.',
  },
} satisfies Record<string, Setting<unknown>>;

/** Settings for local runs only: deployed functions use Google's public services and their own saved queries. */
export const LOCAL_SETTINGS: readonly string[] = [
  SETTINGS.bigQueryApiEndpoint.name,
  SETTINGS.bigQueryEmulatorHost.name,
  SETTINGS.firestoreEmulatorHost.name,
  SETTINGS.catalogue.name,
];

export type Config = {
  readonly [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['parse']>;
};

/** Settings that cannot be used; the message lists every fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Pure: the environment is an argument. An empty variable counts as absent. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const value = env[setting.name] || setting.default;
    try {
      if (value === undefined) throw new Error('must be set');
      values[key] = setting.parse(value);
    } catch (error) {
      faults.push(`${setting.name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(`Settings: ${faults.join('; ')}.`);
  return values as Config;
}
