// Reads and checks the settings of the service; functions/README.md says what each means.

export interface Setting<T> {
  name: string;
  /** As text of the environment; undefined if the setting is required. */
  default: string | undefined;
  /** Throws an Error whose message completes "NAME …". */
  parse: (text: string) => T;
  /** The least and the most of a whole number; this and the next Terraform can check too (infra/settings.json). */
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
const wholeNumber = (
  name: string,
  byDefault: number,
  min: number,
  max: number,
): Setting<number> => ({
  name,
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
const oneOf = <const T extends string>(
  name: string,
  byDefault: T,
  ...allowed: T[]
): Setting<T> => ({
  name,
  default: byDefault,
  parse(value) {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  },
  allowed,
});
const optional = (
  name: string,
  check: (value: string) => void = () => undefined,
): Setting<string | undefined> => ({
  name,
  default: '',
  parse(value) {
    if (value === '') return undefined;
    check(value);
    return value;
  },
});

/** One row per setting; functions/README.md lists them with their meaning, and a test compares the two. */
export const SETTINGS = {
  project: text('GOOGLE_CLOUD_PROJECT', undefined),
  dataset: text('BIGQUERY_DATASET', 'logs'),
  location: text('BIGQUERY_LOCATION', 'US'),
  maxBytesBilled: wholeNumber('MAX_BYTES_BILLED', 10_737_418_240, 10_485_760, 2 ** 53 - 1),
  maxResultMib: wholeNumber('MAX_RESULT_MIB', 8, 1, 1024),
  maxReadingMib: wholeNumber('MAX_READING_MIB', 16, 1, 16_384),
  maxUnreadMib: wholeNumber('MAX_UNREAD_MIB', 64, 1, 16_384),
  reservation: optional('BIGQUERY_RESERVATION', checkReservation),
  // Less than every cachingSeconds, so that no result expires before it is stored.
  queryTimeoutSeconds: wholeNumber('QUERY_TIMEOUT_SECONDS', 25, 1, 59),
  firestoreDatabase: text('FIRESTORE_DATABASE', '(default)'),
  keysDatabase: text('KEYS_DATABASE', 'saved-queries-keys'),
  firestoreTimeoutSeconds: wholeNumber('FIRESTORE_TIMEOUT_SECONDS', 2, 1, 60),
  leaseSeconds: wholeNumber('LEASE_SECONDS', 10, 1, 300),
  memoryCacheSeconds: wholeNumber('MEMORY_CACHE_SECONDS', 15, 0, 300),
  memoryCacheMib: wholeNumber('MEMORY_CACHE_MIB', 64, 1, 16_384),
  keyCacheSeconds: wholeNumber('KEY_CACHE_SECONDS', 60, 0, 60),
  forwardedForPosition: wholeNumber('FORWARDED_FOR_POSITION', 1, 1, 10),
  corsOrigins: origins('CORS_ORIGINS', '*'),
  logLevel: oneOf('LOG_LEVEL', 'info', 'debug', 'info', 'warning', 'error'),
  console: oneOf('CONSOLE', 'off', 'on', 'examples', 'off'),
  mcp: oneOf('MCP', 'off', 'on', 'off'),
  warmConcurrency: wholeNumber('WARM_CONCURRENCY', 8, 1, 100),
  warmBudgetSeconds: wholeNumber('WARM_BUDGET_SECONDS', 280, 1, 1740),
  warmMaxEntries: wholeNumber('WARM_MAX_ENTRIES', 10_000, 1, 1_000_000),
  warmMaxEntriesPerKey: wholeNumber('WARM_MAX_ENTRIES_PER_KEY', 2000, 1, 1_000_000),
  warmUnchanged: oneOf('WARM_UNCHANGED', 'on', 'on', 'off'),
  warmFullSeconds: wholeNumber('WARM_FULL_SECONDS', 21_600, 0, 86_400),
  sourceTables: sourceTables('SOURCE_TABLES'),
  bigQueryApiEndpoint: optional('BIGQUERY_API_ENDPOINT', checkApiEndpoint),
  bigQueryEmulatorHost: optional('BIGQUERY_EMULATOR_HOST'),
  firestoreEmulatorHost: optional('FIRESTORE_EMULATOR_HOST'),
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

function origins(name: string, byDefault: string): Setting<readonly string[]> {
  return {
    name,
    default: byDefault,
    parse(value) {
      const list = value.split(',').map((origin) => origin.trim());
      if (list.every((origin) => origin === '*' || isOrigin(origin))) return list;
      throw new Error('must be * or origins such as https://example.com, separated by commas');
    },
  };
}

/** `view=project.dataset.table`, separated by commas: the table behind each view that a deployment makes of a source. */
function sourceTables(name: string): Setting<ReadonlyMap<string, string>> {
  return {
    name,
    default: '',
    parse(value) {
      const pairs = value === '' ? [] : value.split(',').map((pair) => pair.trim().split('='));
      return new Map(
        pairs.map(([view = '', table = '', ...more]) => {
          const isPair = /^[^.]+$/.test(view) && /^[^.]+(?:\.[^.]+){2,}$/.test(table);
          if (isPair && more.length === 0) return [view, table];
          throw new Error('must be view=project.dataset.table, separated by commas');
        }),
      );
    },
  };
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
