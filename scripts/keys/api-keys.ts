// Creates, lists (as a table), revokes and rotates API keys; only their SHA-256, or their public key, is stored.
import { isValidKey } from '../../functions/keys/access.ts';
import { type ApiKey, TOKEN_SECONDS, digestOf, keyIdOf } from '../../functions/core/key-store.ts';
import { formatTable } from '../cli/table.ts';
import { LAST_USED_DAYS } from './last-used.ts';
import type { KeyRegister, StoredKey } from './key-register.ts';
import { type NewKey, makeKey, makeSigningKey } from './new-key.ts';

/** A key in a listing. */
interface ListedKey {
  /** The beginning of the digest, to distinguish keys of the same name. */
  id: string;
  /** Its id in the store. */
  storedAs: string;
  key: ApiKey;
}

/** All keys by name, newest last. Documents that are not valid keys are only counted. */
export async function listKeys(store: KeyRegister) {
  const keys: ListedKey[] = [];
  let unreadableCount = 0;
  for (const [storedAs, key] of await store.list()) {
    if (key === undefined) unreadableCount += 1;
    else keys.push({ id: keyIdOf(digestOf(storedAs)), storedAs, key });
  }
  keys.sort(
    (a, b) =>
      a.key.name.localeCompare(b.key.name, 'en') ||
      (a.key.createdAtMs ?? 0) - (b.key.createdAtMs ?? 0),
  );
  return { keys, unreadableCount };
}

/** Returns the key itself, this one time. A name can be used again once all its keys have ended. */
export async function createKey(store: KeyRegister, key: StoredKey, signs: boolean, nowMs: number) {
  if ((await validKeys(store, key.name, nowMs)).length > 0) {
    throw new Error(
      `A key ${key.name} already exists: "rotate ${key.name}" replaces it, "revoke ${key.name}" ends it.`,
    );
  }
  return storeNewKey(store, key, signs, nowMs);
}

/** Revokes all keys of a name, or only the one whose id begins with `id`. */
export async function revokeKey(store: KeyRegister, name: string, options: Change, nowMs: number) {
  const { keys } = await keysToChange(store, name, options, nowMs);
  for (const { storedAs, key } of keys) await store.set(storedAs, { ...key, revokedAtMs: nowMs });
  return keys;
}

/** Creates a key like the newest one of this name. A second step ends the old keys, so that a working key always exists. */
export async function rotateKey(
  store: KeyRegister,
  name: string,
  options: { overlapMs: number; expiresAtMs?: number | undefined; force: boolean },
  nowMs: number,
) {
  const { keys: old, newest } = await keysToChange(store, name, options, nowMs);
  const endsAtMs = (key: ApiKey): number =>
    Math.min(nowMs + options.overlapMs, key.expiresAtMs ?? Infinity);
  const expiresAtMs = options.expiresAtMs ?? newest.expiresAtMs;
  const times = { expiresAtMs, revokedAtMs: undefined };
  const signs = isSigning(newest);
  if (old.some(({ key }) => isSigning(key) !== signs)) {
    throw new Error(
      `Of the valid keys ${name}, some sign tokens and some do not: end those of one kind with "revoke ${name} --id ID".`,
    );
  }
  const newKey = await storeNewKey(store, { ...newest, ...times }, signs, nowMs);
  return {
    newKey,
    expiresAtMs,
    endsAtMs: Math.max(...old.map(({ key }) => endsAtMs(key))),
    /** Ends the old keys after the overlap; a repeat is safe. */
    endOldKeys: async (): Promise<void> => {
      for (const { storedAs, key } of old) {
        await store.set(storedAs, { ...key, expiresAtMs: endsAtMs(key) });
      }
    },
  };
}

/** Terraform's documents have no time of creation: see infra/keys.tf. */
const isManagedByTerraform = (key: ApiKey): boolean => key.createdAtMs === undefined;
const isSigning = (key: ApiKey): boolean => key.publicKey !== undefined;

async function validKeys(store: KeyRegister, name: string, nowMs: number): Promise<ListedKey[]> {
  const { keys } = await listKeys(store);
  return keys.filter(({ key }) => key.name === name && isValidKey(key, nowMs));
}

interface Change {
  id?: string | undefined;
  force: boolean;
}

/** The valid keys of a name and id, newest last; at least one, and none of Terraform's unless forced. */
async function keysToChange(store: KeyRegister, name: string, change: Change, nowMs: number) {
  const { id = '', force } = change;
  const named = await validKeys(store, name, nowMs);
  const keys = named.filter(({ storedAs }) => digestOf(storedAs).startsWith(id));
  const newest = keys.at(-1)?.key;
  if (newest === undefined) {
    if (named.length > 0) throw new Error(`No valid key ${name} has the id ${id}.`);
    throw new Error(`No valid key is named ${name}. "list" shows all keys.`);
  }
  if (!force && keys.some(({ key }) => isManagedByTerraform(key))) {
    throw new Error(
      `The key ${name} is managed by Terraform, whose next apply would undo this: change api_keys there, or use --force.`,
    );
  }
  return { keys, newest };
}

async function storeNewKey(store: KeyRegister, key: StoredKey, signs: boolean, nowMs: number) {
  const made: NewKey = signs ? makeSigningKey() : makeKey();
  await store.set(made.id, { ...key, publicKey: made.publicKey, createdAtMs: nowMs });
  return made;
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
  const ended = key.revokedAtMs === undefined ? 'expired' : 'revoked';
  return `${isValidKey(key, nowMs) ? 'valid' : ended}${isSigning(key) ? ', signs' : ''}`;
}
