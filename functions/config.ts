// Reads and checks the settings of the service.
import settings from './settings.json' with { type: 'json' };

/** How the text of a setting is read. */
interface Reader<T> {
  /** Throws an Error whose message completes "NAME …". */
  parse: (text: string) => T;
  /** Terraform also checks this, and the range (infra/settings.json). */
  allowed?: readonly string[];
}

/** `npm run docs` writes docs/reference/settings.md from it. */
export interface Setting extends Reader<unknown> {
  name: string;
  description: string;
  /** As text of the environment; absent if the setting is required. */
  default?: string;
  /** Bounds of a whole number. */
  range?: number[];
  /** What a text looks like; without it, the text `must` be so. */
  pattern?: string;
  must?: string;
}

const text: Reader<string> = {
  parse(value) {
    if (value.trim() === '') throw new Error('must not be empty');
    return value;
  },
};
const wholeNumber = ([min = 0, max = 0]: readonly number[]): Reader<number> => ({
  parse(value) {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  },
});
const oneOf = <const T extends string>(...allowed: T[]) => ({
  parse(value: string): T {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  },
  allowed,
});
const matching = ({ pattern, must }: { pattern: string; must: string }): Reader<string> => ({
  parse(value) {
    if (new RegExp(pattern).test(value)) return value;
    throw new Error(`must ${must}`);
  },
});
const numberMatching = (setting: { pattern: string; must: string }): Reader<number> => ({
  parse: (value) => Number(matching(setting).parse(value)),
});
const optional = (check: (value: string) => void = () => undefined) => ({
  parse(value: string): string | undefined {
    if (value === '') return undefined;
    check(value);
    return value;
  },
});

type Key = keyof typeof settings;
type NumberKey = {
  [K in Key]: (typeof settings)[K] extends { range: number[] } ? K : never;
}[Key];

/** Of the settings that are not whole numbers. */
const READERS = {
  project: text,
  dataset: text,
  location: text,
  deployment: matching(settings.deployment),
  pricePerTib: numberMatching(settings.pricePerTib),
  warmBytesPerDay: numberMatching(settings.warmBytesPerDay),
  reservation: optional(matching(settings.reservation).parse),
  firestoreDatabase: text,
  keysDatabase: text,
  corsOrigins: { parse: parseOrigins },
  logLevel: oneOf('debug', 'info', 'warning', 'error'),
  console: oneOf('on', 'examples', 'off'),
  mcp: oneOf('on', 'off'),
  warmUnchanged: oneOf('on', 'off'),
  warmIncremental: oneOf('on', 'off'),
  sourceTables: { parse: parseSourceTables },
  bigQueryApiEndpoint: optional(checkApiEndpoint),
  bigQueryEmulatorHost: optional(),
  firestoreEmulatorHost: optional(),
  catalogue: optional(),
} satisfies Record<Exclude<Key, NumberKey>, Reader<unknown>>;

const readers = new Map<string, Reader<unknown>>(Object.entries(READERS));

export const SETTINGS = Object.fromEntries(
  Object.entries<Omit<Setting, 'parse'>>(settings).map(([key, setting]) => {
    return [key, { ...setting, ...(readers.get(key) ?? wholeNumber(setting.range ?? [])) }];
  }),
) as { [K in Key]: (typeof settings)[K] & Setting };

export type Config = {
  readonly [K in Key]: K extends keyof typeof READERS
    ? ReturnType<(typeof READERS)[K]['parse']>
    : number;
};

/** Settings that cannot be used; the message lists every fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Pure: the environment is an argument. An empty variable counts as absent. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries<Setting>(SETTINGS)) {
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

function checkApiEndpoint(value: string): void {
  // Access tokens must not cross a network unencrypted.
  const isSafe = /^https:|^http:\/\/127\.0\.0\.1(?::|$)/.test(value);
  if (isOrigin(value) && isSafe) return;
  throw new Error('must be an origin such as https://bigquery.example.com');
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value && !value.includes('*');
}
