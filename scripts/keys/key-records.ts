// The records of stored keys, as `export` and `list --json` write them, and the way back.
import { Timestamp } from '@google-cloud/firestore';
import { type ApiKey, BASE64URL_256 } from '../../functions/core/key-store.ts';
import { isObject } from '../../functions/core/json.ts';
import { KEY_FORM, decodeKey } from '../../functions/google/key-store.ts';
import { collectFaults, throwFaults, unknownField } from './key-fields.ts';

/** Terraform's documents have no time of creation: see infra/keys.tf. */
export const isManagedByTerraform = (key: ApiKey): boolean => key.createdAtMs === undefined;

/** Values are undefined for fields that the key does not have. */
export function recordOf(key: ApiKey): Record<string, unknown> {
  const { name, endpoints, parameters, createdAtMs, expiresAtMs, revokedAtMs, ...others } = key;
  const sorted = Object.entries(parameters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const { requestsPerMinute, missesPerMinute, bytesPerDay, publicKey, tokenSeconds } = others;
  return {
    name,
    managedBy: isManagedByTerraform(key) ? 'terraform' : undefined,
    endpoints,
    parameters: parameters && Object.fromEntries(sorted),
    ...{ requestsPerMinute, missesPerMinute, bytesPerDay, publicKey, tokenSeconds },
    createdAt: formatInstant(createdAtMs),
    expiresAt: formatInstant(expiresAtMs),
    revokedAt: formatInstant(revokedAtMs),
  };
}

/** Its id in the store, which is a hash, and its fields. */
export interface ExportedKey {
  hash: string;
  key: ApiKey;
}

export function formatExported({ hash, key }: ExportedKey): string {
  return JSON.stringify({ hash, ...recordOf(key) });
}

const FIELDS = ['hash', 'managedBy', ...Object.keys(KEY_FORM)];
const TIMES = ['createdAt', 'expiresAt', 'revokedAt'];
const HASH = /^[0-9a-f]{64}$/;
/** Names of fields that Firestore does not store. */
const RESERVED = /^(?:__.*__)?$/s;

/** Throws an Error with a line for each fault. */
export function parseExported(record: Record<string, unknown>): ExportedKey {
  const [attempt, faults] = collectFaults();
  for (const field of Object.keys(record)) {
    if (!FIELDS.includes(field)) faults.push(unknownField(field, FIELDS));
  }
  const { hash, managedBy, ...stated } = record;
  const times = TIMES.map((field) => {
    const ms = attempt(() => parseInstant(stated[field], field));
    return [field, ms === undefined ? undefined : Timestamp.fromMillis(ms)] as const;
  });
  const document = { ...stated, ...Object.fromEntries(times) } as Record<string, unknown>;
  for (const [field, isValid] of Object.entries(KEY_FORM)) {
    if (isValid(document[field])) continue;
    faults.push(`${field} is ${document[field] === undefined ? 'missing' : 'not valid'}`);
  }
  const { parameters } = stated;
  const reserved = Object.keys(isObject(parameters) ? parameters : {}).find((name) =>
    RESERVED.test(name),
  );
  if (reserved !== undefined) faults.push(`parameters cannot have the name "${reserved}"`);
  const isHash = typeof hash === 'string' && (HASH.test(hash) || BASE64URL_256.test(hash));
  if (!isHash) faults.push('hash must be a SHA-256 as export writes it');
  if ((stated.createdAt === undefined) !== (managedBy === 'terraform')) {
    faults.push('either createdAt or "managedBy":"terraform" must be there');
  }
  throwFaults(faults);
  const key = decodeKey(String(hash), document);
  if (key !== undefined) return { hash: String(hash), key };
  throw new Error('hash is not that of publicKey, or lacks one');
}

function formatInstant(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** In milliseconds; undefined if there is none. */
function parseInstant(text: unknown, field: string): number | undefined {
  if (text === undefined) return undefined;
  // Not the other forms that `Date` reads, nor the 30th of February.
  const ms = typeof text === 'string' && /^\d{4}-/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(ms) && formatInstant(ms) === text) return ms;
  throw new Error(`${field} must be a time such as 2027-01-01T00:00:00.000Z`);
}
