// Parses a new API key: its name, rights, limits and expiry, from options of `create` or from a record of a file.
import { errorMessage } from '../../functions/core/describe-error.ts';
import { isObject } from '../../functions/core/json.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { StoredKey } from './key-register.ts';
import {
  type Restriction,
  parseBytes,
  parseExpiry,
  parseLimit,
  parseList,
  parseName,
  parseRights,
  parseTokenLifetime,
} from './key-rights.ts';

/** As texts; a field that is undefined is not stated. */
interface KeyFields {
  name: string;
  endpoints: readonly string[];
  parameters: readonly Restriction[];
  expires?: string | undefined;
  requestsPerMinute?: string | undefined;
  missesPerMinute?: string | undefined;
  bytesPerDay?: string | undefined;
  signs: boolean;
  tokenLifetime?: string | undefined;
}

export interface KeyToCreate {
  key: StoredKey;
  signs: boolean;
}

/** Throws an Error with a line for each fault. The returned function throws if the key would have expired. */
export function parseKey(
  catalogue: Catalogue,
  { signs, ...fields }: KeyFields,
  spelled: (field: string) => string,
): (nowMs: number) => KeyToCreate {
  const [attempt, faults] = collectFaults();
  const limit = (field: 'requestsPerMinute' | 'missesPerMinute') =>
    attempt(() => parseLimit(fields[field], spelled(field)));
  const { expires, tokenLifetime } = fields;
  const key = {
    name: attempt(() => parseName(fields.name)) ?? '',
    ...(attempt(() => parseRights(catalogue, fields.endpoints, fields.parameters)) ?? {
      endpoints: [],
    }),
    requestsPerMinute: limit('requestsPerMinute'),
    missesPerMinute: limit('missesPerMinute'),
    bytesPerDay: attempt(() => parseBytes(fields.bytesPerDay, spelled('bytesPerDay'))),
    tokenSeconds: attempt(() => parseTokenLifetime(tokenLifetime, spelled('tokenLifetime'))),
  };
  const expiry = attempt(() =>
    expires === undefined ? undefined : parseExpiry(expires, spelled('expires')),
  );
  if (tokenLifetime !== undefined && !signs) {
    faults.push(
      `${spelled('tokenLifetime')} is for a key that signs tokens: add ${spelled('signs')}.`,
    );
  }
  throwFaults(faults);
  return (nowMs) => ({ key: { ...key, expiresAtMs: expiry?.(nowMs) }, signs });
}

const TEXTS = [
  ...['name', 'expires', 'requestsPerMinute', 'missesPerMinute', 'bytesPerDay', 'tokenLifetime'],
] as const;
/** Of a record. */
export const FIELDS: readonly string[] = [...TEXTS, 'endpoints', 'parameters', 'signs'];

/** The fields of a record, whose values are those of JSON, or texts. Throws an Error with a line for each fault. */
export function readFields(record: Readonly<Record<string, unknown>>): KeyFields {
  const [attempt, faults] = collectFaults();
  for (const field of Object.keys(record)) {
    if (!FIELDS.includes(field)) faults.push(unknownField(field, FIELDS));
  }
  for (const field of ['name', 'endpoints']) {
    if (record[field] === undefined) faults.push(`${field} is missing`);
  }
  const { parameters = {}, signs = false, endpoints } = record;
  if (!isObject(parameters)) faults.push('parameters must be an object of lists of values');
  if (!['true', 'false'].includes(String(signs))) faults.push('signs must be true or false');
  const texts = TEXTS.map((field) => [field, attempt(() => scalar(record[field], field))] as const);
  const fields = {
    ...(Object.fromEntries(texts) as Partial<Record<(typeof TEXTS)[number], string>>),
    endpoints: attempt(() => (endpoints === undefined ? [] : listOf(endpoints, 'endpoints'))) ?? [],
    parameters: Object.entries(isObject(parameters) ? parameters : {}).map(
      ([name, allowed]) =>
        [name, attempt(() => listOf(allowed, `parameters.${name}`)) ?? []] as const,
    ),
    signs: String(signs) === 'true',
  };
  throwFaults(faults);
  return { ...fields, name: fields.name ?? '' };
}

export function unknownField(field: string, known: readonly string[]): string {
  return `unknown field "${field}"; known are ${known.join(', ')}`;
}

/** The first function notes an error, and returns undefined for it; then the errors. */
export function collectFaults() {
  const faults: string[] = [];
  const attempt = <T>(parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      faults.push(errorMessage(error));
      return undefined;
    }
  };
  return [attempt, faults] as const;
}

export function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

function scalar(value: unknown, field: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new Error(`${field} must be a text or a number`);
}

/** A text is a list with commas; texts of a list may have commas themselves. */
function listOf(value: unknown, field: string): string[] {
  if (typeof value === 'string') return parseList(value, field);
  const items = Array.isArray(value) ? value.map((item) => scalar(item, field)) : [];
  const texts = items.filter((item) => item !== undefined && item !== '');
  if (texts.length > 0 && texts.length === items.length) return texts as string[];
  throw new Error(`${field} must be a list of texts, with at least one and none empty`);
}
