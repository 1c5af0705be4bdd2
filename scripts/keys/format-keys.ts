// Formats API keys: a list as a table or as records, and new keys with what is secret of them.
import { type ApiKey, TOKEN_SECONDS, digestOf, keyIdOf } from '../../functions/core/key-store.ts';
import { isValidKey } from '../../functions/keys/access.ts';
import { formatTable } from '../cli/table.ts';
import type { ListedKey } from './api-keys.ts';
import { isManagedByTerraform, recordOf } from './key-records.ts';
import { LAST_USED_DAYS } from './last-used.ts';
import type { NamedKey } from './new-key.ts';

/** For each key a record with its name, its id as `list` shows it, and the key itself; of a key that signs, it is a JWK. */
export function formatNewKeys(keys: readonly NamedKey[], isCsv: boolean): string {
  const records = keys.map(({ name, id, secret, jwk = secret }) => {
    return { name, id: keyIdOf(digestOf(id)), key: jwk };
  });
  if (!isCsv) return records.map((record) => JSON.stringify(record)).join('\n');
  const cell = (text: string): string =>
    text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
  return ['name,id,key', ...records.map((one) => Object.values(one).map(cell).join(','))].join(
    '\n',
  );
}

/** A line for each key, with the fields of `export` where they are the same. */
export function formatListed(
  keys: readonly ListedKey[],
  nowMs: number,
  lastUsed: ReadonlyMap<string, number> | undefined,
): string {
  const records = keys.map(({ id, key }) => {
    const usedAtMs = lastUsed?.get(id);
    const time = usedAtMs === undefined ? null : new Date(usedAtMs).toISOString();
    const state = validityOf(key, nowMs);
    return { id, ...recordOf(key), state, lastUsed: lastUsed && time };
  });
  return records.map((record) => JSON.stringify(record)).join('\n');
}

const HEADER = 'NAME,ENDPOINTS,PARAMETERS,LIMITS,CREATED,LAST USED,EXPIRES,STATE,ID'.split(',');

/** `lastUsed` by the id; undefined if it is unknown. */
export function formatKeys(
  keys: readonly ListedKey[],
  nowMs: number,
  lastUsed: ReadonlyMap<string, number> | undefined,
): string {
  const rows = keys.map(({ id, key }) => [
    key.name,
    key.endpoints.join(','),
    Object.entries(key.parameters ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, allowed]) => `${name}=${allowed.join(',')}`)
      .join(' ') || 'any',
    limitsOf(key),
    isManagedByTerraform(key) ? 'by Terraform' : formatTime(key.createdAtMs),
    lastUsed === undefined ? 'unknown' : formatLastUsed(lastUsed.get(id)),
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

function formatLastUsed(ms: number | undefined): string {
  return ms === undefined ? `not in ${LAST_USED_DAYS} days` : formatTime(ms);
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
