// Reads and checks the settings of the service; one table holds the name, default and meaning of each.

export interface Setting<T> {
  name: string;
  /** The default, as text of the environment; undefined if the setting is required. */
  default: string | undefined;
  parse: Parse<T>;
  description: string;
}

/** Throws an Error whose message completes "NAME …". The rest is what Terraform can check too (infra/settings.json). */
interface Parse<T> {
  (text: string): T;
  /** The least and the most of a whole number. */
  range?: readonly [number, number];
  allowed?: readonly string[];
}

const text = (value: string): string => {
  if (value.trim() === '') throw new Error('must not be empty');
  return value;
};
const optionalText = (value: string): string | undefined => (value === '' ? undefined : value);
const wholeNumber = (min: number, max: number): Parse<number> => {
  const parse = (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  };
  return Object.assign(parse, { range: [min, max] as const });
};
const oneOf = <const T extends string>(...allowed: T[]): Parse<T> => {
  const parse = (value: string): T => {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  };
  return Object.assign(parse, { allowed });
};
const apiEndpoint = (value: string): string | undefined => {
  if (value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // Access tokens must not cross a network unencrypted.
  const isSafe = url?.protocol === 'https:' || url?.hostname === '127.0.0.1';
  if (url?.origin !== value || !isSafe) {
    throw new Error('must be an origin such as https://bigquery.example.com');
  }
  return value;
};
const origins = (value: string): readonly string[] => {
  const list = value.split(',').map((origin) => origin.trim());
  for (const origin of list) {
    const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin;
    if (origin !== '*' && (!isOrigin || origin.includes('*'))) {
      throw new Error('must be * or origins such as https://example.com, separated by commas');
    }
  }
  return list;
};

/** One row per setting; functions/README.md repeats this table, and a test compares the two. */
export const SETTINGS = {
  project: {
    name: 'GOOGLE_CLOUD_PROJECT',
    default: undefined,
    parse: text,
    description: 'Project that runs the BigQuery jobs and holds the Firestore databases.',
  },
  dataset: {
    name: 'BIGQUERY_DATASET',
    default: 'logs',
    parse: text,
    description: 'Dataset of the log tables, as `dataset` or `project.dataset`.',
  },
  location: {
    name: 'BIGQUERY_LOCATION',
    default: 'US',
    parse: text,
    description: 'Location of the dataset.',
  },
  maxBytesBilled: {
    name: 'MAX_BYTES_BILLED',
    default: '10737418240',
    parse: wholeNumber(10_485_760, Number.MAX_SAFE_INTEGER),
    description: 'A query that would bill more bytes than this fails without cost.',
  },
  maxResultMib: {
    name: 'MAX_RESULT_MIB',
    default: '8',
    parse: wholeNumber(1, 1024),
    description: 'A result with more MiB than this, as BigQuery sends it, fails with 400.',
  },
  maxReadingMib: {
    name: 'MAX_READING_MIB',
    default: '16',
    parse: wholeNumber(1, 16_384),
    description: 'MiB of results that an instance reads from BigQuery at once; more requests wait.',
  },
  maxUnreadMib: {
    name: 'MAX_UNREAD_MIB',
    default: '64',
    parse: wholeNumber(1, 16_384),
    description: 'MiB of answers that an instance holds for clients that have not read them yet.',
  },
  queryTimeoutSeconds: {
    name: 'QUERY_TIMEOUT_SECONDS',
    default: '25',
    // Less than every cachingSeconds, so that no result expires before it is stored.
    parse: wholeNumber(1, 59),
    description: 'A request that has no rows by then gets 504 and its job is cancelled.',
  },
  firestoreDatabase: {
    name: 'FIRESTORE_DATABASE',
    default: '(default)',
    parse: text,
    description: 'Firestore database of results and leases.',
  },
  keysDatabase: {
    name: 'KEYS_DATABASE',
    default: 'saved-queries-keys',
    parse: text,
    description: 'Firestore database of API keys, which `query` only reads.',
  },
  firestoreTimeoutSeconds: {
    name: 'FIRESTORE_TIMEOUT_SECONDS',
    default: '2',
    parse: wholeNumber(1, 60),
    description: 'A Firestore call that takes longer counts as failed.',
  },
  leaseSeconds: {
    name: 'LEASE_SECONDS',
    default: '10',
    parse: wholeNumber(1, 300),
    description: 'Other instances wait at most this long for an instance that died in a query.',
  },
  memoryCacheSeconds: {
    name: 'MEMORY_CACHE_SECONDS',
    default: '15',
    parse: wholeNumber(0, 300),
    description: 'How long an instance answers from memory before it reads Firestore again.',
  },
  memoryCacheMib: {
    name: 'MEMORY_CACHE_MIB',
    default: '64',
    parse: wholeNumber(1, 16_384),
    description: 'Bound on the results that an instance holds in memory.',
  },
  keyCacheSeconds: {
    name: 'KEY_CACHE_SECONDS',
    default: '60',
    parse: wholeNumber(0, 60),
    description: 'How long an instance remembers a key: revocation works within this time.',
  },
  forwardedForPosition: {
    name: 'FORWARDED_FOR_POSITION',
    default: '1',
    parse: wholeNumber(1, 10),
    description:
      'Which address of `X-Forwarded-For` is the caller’s, from the end: 1 on Cloud Run, 2 behind a load balancer.',
  },
  corsOrigins: {
    name: 'CORS_ORIGINS',
    default: '*',
    parse: origins,
    description: 'Origins of browser pages that may read answers, separated by commas.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    parse: oneOf('debug', 'info', 'warning', 'error'),
    description: 'Least severity that is logged: `debug`, `info`, `warning` or `error`.',
  },
  console: {
    name: 'CONSOLE',
    default: 'off',
    parse: oneOf('on', 'off'),
    description: 'Whether `GET /` is the console, a page to try the endpoints: `on` or `off`.',
  },
  warmConcurrency: {
    name: 'WARM_CONCURRENCY',
    default: '8',
    parse: wholeNumber(1, 100),
    description: 'BigQuery jobs that a warming run runs at the same time.',
  },
  warmBudgetSeconds: {
    name: 'WARM_BUDGET_SECONDS',
    default: '280',
    parse: wholeNumber(1, 1740),
    description: 'Time limit of a warming run; the next run refreshes the rest.',
  },
  warmMaxEntries: {
    name: 'WARM_MAX_ENTRIES',
    default: '10000',
    parse: wholeNumber(1, 1_000_000),
    description:
      'Results that are kept warm, the most recently read first; a run looks at five times as many.',
  },
  warmMaxEntriesPerKey: {
    name: 'WARM_MAX_ENTRIES_PER_KEY',
    default: '2000',
    parse: wholeNumber(1, 1_000_000),
    description: 'Results that one API key keeps warm; bounds the cost that one key can cause.',
  },
  bigQueryApiEndpoint: {
    name: 'BIGQUERY_API_ENDPOINT',
    default: '',
    parse: apiEndpoint,
    description:
      'Address of BigQuery’s API instead of the public one, as that of a private endpoint; local only.',
  },
  bigQueryEmulatorHost: {
    name: 'BIGQUERY_EMULATOR_HOST',
    default: '',
    parse: optionalText,
    description: 'Local BigQuery instead of the real one, as `http://127.0.0.1:9050`.',
  },
  firestoreEmulatorHost: {
    name: 'FIRESTORE_EMULATOR_HOST',
    default: '',
    parse: optionalText,
    description: 'Firestore emulator instead of the real one, as `127.0.0.1:8081`.',
  },
  catalogue: {
    name: 'CATALOGUE',
    default: '',
    parse: optionalText,
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
  const values = Object.entries<Setting<unknown>>(SETTINGS).map(([key, setting]) => {
    const given = env[setting.name];
    const value = given === undefined || given === '' ? setting.default : given;
    if (value === undefined) {
      faults.push(`${setting.name} must be set`);
      return [key, undefined];
    }
    try {
      return [key, setting.parse(value)];
    } catch (error) {
      faults.push(`${setting.name} ${error instanceof Error ? error.message : String(error)}`);
      return [key, undefined];
    }
  });
  if (faults.length > 0) throw new ConfigError(`Settings: ${faults.join('; ')}.`);
  return Object.fromEntries(values) as Config;
}
