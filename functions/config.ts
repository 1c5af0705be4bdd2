// Reads and checks the settings of the service.
import settings from './settings.json' with { type: 'json' };
import { errorMessage } from './core/errors.ts';

/** `npm run docs` writes docs/reference/settings.md from it. Terraform checks range, allowed texts and pattern too (infra/settings.json). */
export interface Setting {
  name: string;
  description: string;
  /** As text of the environment; absent if the setting is required, empty if it is optional. */
  default?: string;
  /** Bounds of a whole number. */
  range?: number[];
  allowed?: string[];
  /** What a text looks like; without it, the text `must` be so. */
  pattern?: string;
  must?: string;
}

type Key = keyof typeof settings;

/** Of the settings that are neither a whole number nor a text. */
const READERS = {
  pricePerTib: Number,
  warmBytesPerDay: Number,
  corsOrigins: parseOrigins,
  sourceTables: parseSourceTables,
  reservation: unlessEmpty,
  bigQueryApiEndpoint: parseApiEndpoint,
  bigQueryEmulatorHost: unlessEmpty,
  firestoreEmulatorHost: unlessEmpty,
  catalogue: unlessEmpty,
} satisfies Partial<Record<Key, (text: string) => unknown>>;

const readers = new Map<string, (text: string) => unknown>(Object.entries(READERS));

export const SETTINGS: { [K in Key]: (typeof settings)[K] & Setting } = settings;

export type Config = {
  readonly [K in Key]: K extends keyof typeof READERS
    ? ReturnType<(typeof READERS)[K]>
    : (typeof settings)[K] extends { range: number[] }
      ? number
      : string;
};

/** Pure: the environment is an argument. The message of the error lists every fault. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const key of Object.keys(SETTINGS) as Key[]) {
    const { name } = SETTINGS[key];
    try {
      values[key] = readSetting(key, env[name]);
    } catch (error) {
      faults.push(`${name} ${errorMessage(error)}`);
    }
  }
  if (faults.length > 0) throw new Error(`Settings: ${faults.join('; ')}.`);
  return values as Config;
}

/** An empty text counts as absent. Throws an Error whose message completes "NAME …". */
export function readSetting(key: Key, text: string | undefined): unknown {
  const setting: Setting = SETTINGS[key];
  const { range, allowed, pattern = '', must } = setting;
  const value = text || setting.default;
  if (value === undefined) throw new Error('must be set');
  if (value !== '') {
    const [min = 0, max = Infinity] = range ?? [];
    if (range && !(/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max)) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    if (allowed?.includes(value) === false) throw new Error(`must be one of ${allowed.join(', ')}`);
    if (!new RegExp(pattern).test(value)) throw new Error(`must ${must}`);
    if (value.trim() === '') throw new Error('must not be empty');
  }
  return (readers.get(key) ?? (range ? Number : String))(value);
}

function unlessEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
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

function parseApiEndpoint(value: string): string | undefined {
  // Access tokens must not cross a network unencrypted.
  const isSafe = /^https:|^http:\/\/127\.0\.0\.1(?::|$)/.test(value);
  if (value !== '' && !(isOrigin(value) && isSafe)) {
    throw new Error('must be an origin such as https://bigquery.example.com');
  }
  return unlessEmpty(value);
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value && !value.includes('*');
}
