// Formats API keys: a list as a table, and a key as a record.
import { type ApiKey, TOKEN_SECONDS, digestOf, keyIdOf } from '../../functions/core/key-store.ts';
import { isValidKey } from '../../functions/keys/access.ts';
import { formatTable } from '../cli/table.ts';
import { type ListedKey, isManagedByTerraform } from './api-keys.ts';

/** A line of JSON with what the key may do, its state and `others`. */
export function formatRecord(
  storedAs: string,
  key: ApiKey,
  nowMs: number,
  others: Readonly<Record<string, unknown>> = {},
): string {
  const { name, endpoints, parameters, createdAtMs, expiresAtMs, revokedAtMs, ...limits } = key;
  const { requestsPerMinute, missesPerMinute, bytesPerDay, publicKey, tokenSeconds } = limits;
  const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toJSON());
  return JSON.stringify({
    id: keyIdOf(digestOf(storedAs)),
    name,
    managedBy: isManagedByTerraform(key) ? 'terraform' : undefined,
    endpoints,
    parameters: parameters && Object.fromEntries(sortedParameters(key)),
    ...{ requestsPerMinute, missesPerMinute, bytesPerDay, publicKey, tokenSeconds },
    createdAt: time(createdAtMs),
    expiresAt: time(expiresAtMs),
    revokedAt: time(revokedAtMs),
    state: validityOf(key, nowMs),
    ...others,
  });
}

const sortedParameters = ({ parameters = {} }: ApiKey) =>
  Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));

/** A line for each key. */
export function formatListed(keys: readonly ListedKey[], nowMs: number): string {
  return keys.map(({ storedAs, key }) => formatRecord(storedAs, key, nowMs)).join('\n');
}

const HEADER = 'NAME,ENDPOINTS,PARAMETERS,LIMITS,CREATED,EXPIRES,STATE,ID'.split(',');

export function formatKeys(keys: readonly ListedKey[], nowMs: number): string {
  const rows = keys.map(({ id, key }) => [
    key.name,
    key.endpoints.join(','),
    sortedParameters(key)
      .map(([name, allowed]) => `${name}=${allowed.join(',')}`)
      .join(' ') || 'any',
    limitsOf(key),
    isManagedByTerraform(key) ? 'by Terraform' : formatTime(key.createdAtMs),
    formatTime(key.expiresAtMs),
    stateOf(key, nowMs),
    id,
  ]);
  return formatTable([HEADER, ...rows]);
}

/** An instant to the second, in UTC; `never` if there is none. */
export function formatTime(ms: number | undefined): string {
  return ms === undefined ? 'never' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function limitsOf(key: ApiKey): string {
  const { requestsPerMinute, missesPerMinute, bytesPerDay, tokenSeconds } = key;
  const limits = {
    'requests/min': requestsPerMinute,
    'misses/min': missesPerMinute,
    'bytes/day': bytesPerDay,
    'seconds/token': tokenSeconds === TOKEN_SECONDS ? undefined : tokenSeconds,
  };
  const stated = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return stated.map(([kind, limit]) => `${kind}=${limit}`).join(' ') || 'any';
}

function stateOf(key: ApiKey, nowMs: number): string {
  return `${validityOf(key, nowMs)}${key.publicKey !== undefined ? ', signs' : ''}`;
}

function validityOf(key: ApiKey, nowMs: number): 'valid' | 'expired' | 'revoked' {
  const ended = key.revokedAtMs === undefined ? 'expired' : 'revoked';
  return isValidKey(key, nowMs) ? 'valid' : ended;
}
