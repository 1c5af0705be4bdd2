// Makes API keys, lists them, finds those of a name, and revokes or replaces them.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Timestamp } from '@google-cloud/firestore';
import { isValidKey, withChecksum } from '../../functions/keys/access.ts';
import { sha256Hex } from '../../functions/core/bytes.ts';
import { type ApiKey, digestOf, keyIdOf, signingKeyId } from '../../functions/core/key-store.ts';
import type { KeyRegister } from './key-register.ts';

/** A key in a listing. */
export interface ListedKey {
  /** The beginning of the digest, to distinguish keys of the same name. */
  id: string;
  /** Its id in the store. */
  storedAs: string;
  key: ApiKey;
  /** When it was last written. */
  seen: Timestamp;
}

/** Terraform's documents have no time of creation: see infra/keys.tf. */
export const isManagedByTerraform = (key: ApiKey): boolean => key.createdAtMs === undefined;

/** All keys by name, newest last. Documents that are not valid keys are only counted. */
export async function listKeys(store: KeyRegister) {
  const keys: ListedKey[] = [];
  let unreadableCount = 0;
  for (const [storedAs, { key, seen }] of await store.list()) {
    if (key === undefined) unreadableCount += 1;
    else keys.push({ id: keyIdOf(digestOf(storedAs)), storedAs, key, seen });
  }
  keys.sort(
    (a, b) =>
      a.key.name.localeCompare(b.key.name, 'en') ||
      (a.key.createdAtMs ?? 0) - (b.key.createdAtMs ?? 0),
  );
  return { keys, unreadableCount };
}

/** Throws for a name that a valid key has: a name can be used again once all its keys have ended. */
export async function requireFreeName(store: KeyRegister, name: string, nowMs: number) {
  const { keys } = await listKeys(store);
  if (!keys.some(({ key }) => key.name === name && isValidKey(key, nowMs))) return;
  throw new Error(
    `A key ${name} already exists: "rotate ${name}" replaces it, "revoke ${name}" ends it.`,
  );
}

/** Revokes all keys of a name, or only the one whose id begins with `id`. */
export async function revokeKey(
  store: KeyRegister,
  name: string,
  which: Which,
  nowMs: number,
): Promise<ListedKey[]> {
  const { keys } = await keysToChange(store, name, which, nowMs);
  await store.end(keys.map((one) => ({ ...one, field: 'revokedAt', atMs: nowMs })));
  return keys.map((one) => ({ ...one, key: { ...one.key, revokedAtMs: nowMs } }));
}

/**
 * Creates a key like the newest one of the name. A second step, `endOldKeys`, ends the old keys after the overlap, so that a
 * working key always exists. If the first step fails, no caller has a new key, and a repeat replaces it too.
 */
export async function rotateKey(
  store: KeyRegister,
  name: string,
  {
    overlapMs,
    expiresAtMs,
    ...which
  }: Which & { overlapMs: number; expiresAtMs?: number | undefined },
  nowMs: number,
) {
  const { keys, newest } = await keysToChange(store, name, which, nowMs);
  const isSigning = newest.publicKey !== undefined;
  if (keys.some(({ key }) => (key.publicKey !== undefined) !== isSigning)) {
    throw new Error(
      `Of the valid keys ${name}, some sign tokens and some do not: end those of one kind with "revoke ${name} --id ID".`,
    );
  }
  const times = { expiresAtMs: expiresAtMs ?? newest.expiresAtMs, revokedAtMs: undefined };
  const newKey = makeNewKey({ ...newest, ...times }, isSigning, nowMs);
  await store.set(newKey.storedAs, newKey.key);
  const ends = keys.map((one) => {
    const atMs = Math.min(nowMs + overlapMs, one.key.expiresAtMs ?? Infinity);
    return { ...one, field: 'expiresAt', atMs } as const;
  });
  return {
    newKey,
    endsAtMs: Math.max(...ends.map(({ atMs }) => atMs)),
    endOldKeys: () => store.end(ends),
  };
}

interface Which {
  id?: string | undefined;
  force: boolean;
}

/** The valid keys of a name and id, newest last; at least one, and none of Terraform's unless forced. */
async function keysToChange(
  store: KeyRegister,
  name: string,
  { id = '', force }: Which,
  nowMs: number,
): Promise<{ keys: ListedKey[]; newest: ApiKey }> {
  const listed = (await listKeys(store)).keys;
  const named = listed.filter(({ key }) => key.name === name && isValidKey(key, nowMs));
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

/** What is secret of it is shown once and never stored. */
export interface NewKey {
  /** As `KeyStore` says: the `kid` of a key that signs. */
  storedAs: string;
  key: ApiKey;
  /** The key, or the private key: as PEM (PKCS#8), and in the line after it as JWK (RFC 8037). */
  secret: string;
  /** Only of a key that signs: the JWK alone. */
  jwk?: object;
}

/** A key with these fields, to be stored and to be shown this one time. */
export function makeNewKey(fields: ApiKey, isSigning: boolean, nowMs: number): NewKey {
  const key = { ...fields, publicKey: undefined, createdAtMs: nowMs };
  if (!isSigning) {
    const secret = withChecksum(`sqk_${randomBytes(32).toString('base64url')}`);
    return { storedAs: sha256Hex(secret), key, secret };
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kty, crv, x = '', d } = privateKey.export({ format: 'jwk' });
  const storedAs = signingKeyId(x);
  const jwk = { kty, crv, x, d, kid: storedAs, alg: 'EdDSA', use: 'sig' };
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const secret = `${pem.toString()}${JSON.stringify(jwk)}`;
  return { storedAs, key: { ...key, publicKey: x }, secret, jwk };
}
