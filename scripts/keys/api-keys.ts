// Lists API keys, finds those of a name, and revokes them.
import type { Timestamp } from '@google-cloud/firestore';
import { isValidKey } from '../../functions/keys/access.ts';
import { type ApiKey, digestOf, keyIdOf } from '../../functions/core/key-store.ts';
import { isManagedByTerraform } from './key-records.ts';
import type { KeyRegister, KeyWrite } from './key-register.ts';

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

/** Revokes all keys of a name, or only the one whose id begins with `id`. */
export async function revokeKey(
  store: KeyRegister,
  name: string,
  options: Change,
  nowMs: number,
  note: (line: string) => void,
) {
  const { keys } = keysToChange((await listKeys(store)).keys, name, options, nowMs);
  const goOn = 'Run the command again.';
  await store.write(
    changed(keys, () => ({ revokedAtMs: nowMs })),
    { goOn, note },
  );
  return keys;
}

/** The writes that change fields of keys. */
export function changed(keys: readonly ListedKey[], change: (one: ListedKey) => Partial<ApiKey>) {
  return keys.map((one): KeyWrite => {
    return { id: one.storedAs, key: { ...one.key, ...change(one) }, seen: one.seen };
  });
}

interface Change {
  id?: string | undefined;
  force: boolean;
}

/** Valid keys of one name, newest last. */
export interface KeysOfName {
  keys: ListedKey[];
  newest: ApiKey;
}

/** The valid keys of a name and id; at least one, and none of Terraform's unless forced. */
export function keysToChange(
  listed: readonly ListedKey[],
  name: string,
  { id = '', force }: Change,
  nowMs: number,
): KeysOfName {
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
