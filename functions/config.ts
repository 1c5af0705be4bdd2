// Reads and checks the settings of the service.

export interface Setting<T> {
  name: string;
  /** As text of the environment; undefined if the setting is required. */
  default: string | undefined;
  /** Throws an Error whose message completes "NAME …". */
  parse: (text: string) => T;
  /** Bounds of a whole number. Terraform also checks this and the next field (infra/settings.json). */
  range?: readonly [number, number];
  allowed?: readonly string[];
}

const text = <Default extends string | undefined>(name: string, byDefault: Default) => ({
  name,
  default: byDefault,
  parse(value: string): string {
    if (value.trim() === '') throw new Error('must not be empty');
    return value;
  },
});
const wholeNumber = (name: string, byDefault: number, min: number, max: number) => ({
  name,
  default: String(byDefault),
  parse(value: string): number {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  },
  range: [min, max] as const,
});
const optional = (name: string, check: (value: string) => void = () => undefined) => ({
  name,
  default: '',
  parse(value: string): string | undefined {
    if (value === '') return undefined;
    check(value);
    return value;
  },
});
const oneOf = <const T extends string>(name: string, byDefault: T, ...allowed: T[]) => ({
  name,
  default: byDefault,
  parse(value: string): T {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  },
  allowed,
});

/** `npm run docs` writes docs/reference/settings.md from the one-line comment of each. */
export const SETTINGS = {
  /** The project that runs the BigQuery jobs and has the Firestore databases. */
  project: text('GOOGLE_CLOUD_PROJECT', undefined),
  /** The dataset of the tables, as `dataset` or `project.dataset`. */
  dataset: text('BIGQUERY_DATASET', 'logs'),
  /** The location of the dataset. */
  location: text('BIGQUERY_LOCATION', 'US'),
  /** The name of this deployment, in the labels of its BigQuery jobs: 1 to 63 lower-case letters, digits, `-` and `_`. */
  deployment: { name: 'DEPLOYMENT', default: 'default', parse: parseLabel },
  /** US dollars for a TiB that BigQuery reads, in the costs that the service states: the list price by default. */
  pricePerTib: { name: 'PRICE_PER_TIB', default: '6.25', parse: parsePrice },
  /** A query for which more bytes than this would be billed fails with the error `BYTES_BILLED_LIMIT` and costs nothing. */
  maxBytesBilled: wholeNumber('MAX_BYTES_BILLED', 10_737_418_240, 10_485_760, 2 ** 53 - 1),
  /** A query whose result is larger than this, as BigQuery sends it, fails with the error `RESULT_BYTES_LIMIT`. */
  maxResultMib: wholeNumber('MAX_RESULT_MIB', 8, 1, 1024),
  /** MiB of BigQuery results that an instance reads at the same time. Requests above this limit wait up to two seconds. */
  maxReadingMib: wholeNumber('MAX_READING_MIB', 16, 1, 16_384),
  /** MiB of answers that an instance keeps for clients that have not read them yet. */
  maxUnreadMib: wholeNumber('MAX_UNREAD_MIB', 64, 1, 16_384),
  /** The reservation that runs the jobs: `projects/PROJECT/locations/LOCATION/reservations/NAME`. */
  reservation: optional('BIGQUERY_RESERVATION', checkReservation),
  // Less than every cachingSeconds, so that no result expires before it is stored.
  /** A request whose query has not finished after this time gets 503 with the reason `QUERY_RUNNING`; the query goes on. */
  queryTimeoutSeconds: wholeNumber('QUERY_TIMEOUT_SECONDS', 25, 1, 59),
  // BigQuery itself ends a query after six hours (https://cloud.google.com/bigquery/quotas#query_jobs).
  /** How long a query may run in BigQuery, also after the request that started it has been answered. An endpoint may have less. */
  jobTimeoutSeconds: wholeNumber('JOB_TIMEOUT_SECONDS', 600, 1, 21_600),
  /** The Firestore database of results and leases. */
  firestoreDatabase: text('FIRESTORE_DATABASE', '(default)'),
  /** The Firestore database of API keys. The function `query` reads it and never writes to it. */
  keysDatabase: text('KEYS_DATABASE', 'saved-queries-keys'),
  /** A Firestore call that takes longer counts as failed. A large result has this time once more for each 4 MiB. */
  firestoreTimeoutSeconds: wholeNumber('FIRESTORE_TIMEOUT_SECONDS', 2, 1, 60),
  /** If an instance dies during a query, another instance that waits for the rows takes over within this time. */
  leaseSeconds: wholeNumber('LEASE_SECONDS', 10, 1, 300),
  /** How long an instance answers from memory before it reads Firestore again. */
  memoryCacheSeconds: wholeNumber('MEMORY_CACHE_SECONDS', 15, 0, 300),
  /** MiB of memory in which an instance keeps results. */
  memoryCacheMib: wholeNumber('MEMORY_CACHE_MIB', 64, 1, 16_384),
  /** How long an instance keeps a key in memory, and so how long it can still accept a revoked key. */
  keyCacheSeconds: wholeNumber('KEY_CACHE_SECONDS', 60, 0, 60),
  /** The position of the client's address in `X-Forwarded-For`, counted from the end: 1 on Cloud Run, 2 behind a load balancer. */
  forwardedForPosition: wholeNumber('FORWARDED_FOR_POSITION', 1, 1, 10),
  /** Origins whose pages may read answers, such as `https://example.com`, separated by commas. */
  corsOrigins: { name: 'CORS_ORIGINS', default: '*', parse: parseOrigins },
  /** The lowest severity that is logged. */
  logLevel: oneOf('LOG_LEVEL', 'info', 'debug', 'info', 'warning', 'error'),
  /** Whether `GET /` serves the console. With `examples`, an endpoint that is opened there runs with its example values. */
  console: oneOf('CONSOLE', 'off', 'on', 'examples', 'off'),
  /** Whether `POST /mcp` serves the endpoints as tools for agents. */
  mcp: oneOf('MCP', 'off', 'on', 'off'),
  /** The number of BigQuery jobs that a run of the function `warm` starts at the same time. */
  warmConcurrency: wholeNumber('WARM_CONCURRENCY', 8, 1, 100),
  /** The time limit of a run of the function `warm`. The next run refreshes the rest. */
  warmBudgetSeconds: wholeNumber('WARM_BUDGET_SECONDS', 280, 1, 1740),
  /** The maximum number of results that are kept warm. If callers read more, the most recently read ones are kept warm. */
  warmMaxEntries: wholeNumber('WARM_MAX_ENTRIES', 10_000, 1, 1_000_000),
  /** The maximum number of results that one API key can keep warm, which limits the cost of a key. */
  warmMaxEntriesPerKey: wholeNumber('WARM_MAX_ENTRIES_PER_KEY', 2000, 1, 1_000_000),
  /** Whether a run of the function `warm` skips a result if its tables have not changed. */
  warmUnchanged: oneOf('WARM_UNCHANGED', 'on', 'on', 'off'),
  /** Whether a run of the function `warm` reads only what has changed, where an endpoint is incremental. */
  warmIncremental: oneOf('WARM_INCREMENTAL', 'on', 'on', 'off'),
  /** The age at which a result is computed again even if its tables have not changed. */
  warmFullSeconds: wholeNumber('WARM_FULL_SECONDS', 21_600, 0, 86_400),
  /** The bytes that warming may read in a day (UTC); 0 for no bound. Beyond its share, a run refreshes only what is read most. */
  warmBytesPerDay: wholeNumber('WARM_BYTES_PER_DAY', 0, 0, 2 ** 53 - 1),
  /** The table behind each source that is a view: `source=project.dataset.table`, several of them separated by commas. */
  sourceTables: { name: 'SOURCE_TABLES', default: '', parse: parseSourceTables },
  /** The address of BigQuery's API, if it is not the public one. */
  bigQueryApiEndpoint: optional('BIGQUERY_API_ENDPOINT', checkApiEndpoint),
  /** A local BigQuery instead of the real one, such as `http://127.0.0.1:9050`. */
  bigQueryEmulatorHost: optional('BIGQUERY_EMULATOR_HOST'),
  /** A Firestore emulator instead of the real one, such as `127.0.0.1:8081`. */
  firestoreEmulatorHost: optional('FIRESTORE_EMULATOR_HOST'),
  /** The file of compiled saved queries, if it is not the one next to the functions. */
  catalogue: optional('CATALOGUE'),
} satisfies Record<string, Setting<unknown>>;

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

function parseLabel(value: string): string {
  if (/^[a-z0-9_-]{1,63}$/.test(value)) return value;
  throw new Error('must be 1 to 63 lower-case letters, digits, - and _');
}

function parsePrice(value: string): number {
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(value)) return Number(value);
  throw new Error('must be a number of US dollars such as 6.25');
}

function parseOrigins(value: string): readonly string[] {
  const list = value.split(',').map((origin) => origin.trim());
  if (list.every((origin) => origin === '*' || isOrigin(origin))) return list;
  throw new Error('must be * or origins such as https://example.com, separated by commas');
}

/** `source=project.dataset.table`, separated by commas: the table behind the view that a deployment creates for the source. */
function parseSourceTables(value: string): ReadonlyMap<string, string> {
  const pairs = value === '' ? [] : value.split(',').map((pair) => pair.trim().split('='));
  return new Map(
    pairs.map(([source = '', table = '', ...more]) => {
      const isPair = /^[^.]+$/.test(source) && /^[^.]+(?:\.[^.]+){2,}$/.test(table);
      if (isPair && more.length === 0) return [source, table];
      throw new Error('must be source=project.dataset.table, separated by commas');
    }),
  );
}

function checkReservation(value: string): void {
  if (/^projects\/[^/\s]+\/locations\/[^/\s]+\/reservations\/[^/\s]+$/.test(value)) return;
  throw new Error('must be projects/PROJECT/locations/LOCATION/reservations/RESERVATION');
}

function checkApiEndpoint(value: string): void {
  // Access tokens must not cross a network unencrypted.
  const isSafe = /^https:|^http:\/\/127\.0\.0\.1(?::|$)/.test(value);
  if (isOrigin(value) && isSafe) return;
  throw new Error('must be an origin such as https://bigquery.example.com');
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value && !value.includes('*');
}
