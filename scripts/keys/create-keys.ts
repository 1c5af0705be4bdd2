// Creates many API keys, all or none; only their SHA-256, or their public key, is stored.
import type { Timestamp } from '@google-cloud/firestore';
import { isValidKey } from '../../functions/keys/access.ts';
import { type ListedKey, changed } from './api-keys.ts';
import type { KeyToCreate } from './key-fields.ts';
import { type KeyRegister, commitsOf } from './key-register.ts';
import { type NamedKey, makeNamedKey } from './new-key.ts';

type Note = (line: string) => void;

/** When keys that have never become valid are revoked: a time that no other key has, a millisecond after the start of 1970. */
const UNFINISHED_MS = 1;

/**
 * Throws for a name that a valid key has: a name can be used again once all its keys have ended. Keys that an interrupted
 * `createKeys` has left do not count.
 */
export function requireFreeNames(keys: readonly ListedKey[], nowMs: number) {
  const left = new Set(leftKeys(keys));
  const valid = keys.filter((one) => isValidKey(one.key, nowMs) && !left.has(one));
  const names = new Set(valid.map(({ key }) => key.name));
  return (name: string): void => {
    if (!names.has(name)) return;
    throw new Error(
      `A key ${name} already exists: "rotate ${name}" replaces it, "revoke ${name}" ends it.`,
    );
  };
}

/**
 * Creates keys with free names, all or none: if they need several commits, they are stored as revoked, and become valid once
 * all are there. They are returned this one time, after that. If it is interrupted, nobody has seen any of them.
 */
export async function createKeys(
  store: KeyRegister,
  keys: readonly ListedKey[],
  toCreate: readonly KeyToCreate[],
  nowMs: number,
  note: Note,
): Promise<NamedKey[]> {
  await endLeftKeys(store, keys, nowMs, note);
  const made = toCreate.map(({ key, signs }) => makeNamedKey(key, signs, nowMs));
  const writes = made.map(({ write }) => write);
  const goOn =
    'No key is shown, so nobody can use one: run the command again, which ends them first.';
  let times: (Timestamp | undefined)[] = [];
  if (commitsOf(writes).length > 1) {
    const revoked = writes.map(({ id, key }) => ({
      id,
      key: { ...key, revokedAtMs: UNFINISHED_MS },
    }));
    times = await store.write(revoked, { goOn, note });
    note('Now they become valid.');
  }
  const valid = writes.map((write, index) => ({ ...write, seen: times[index] }));
  await store.write(valid, { goOn, note });
  const allowed = toCreate.flatMap(({ key }) => Object.values(key.parameters ?? {}).flat());
  for (const value of new Set(allowed.filter((one) => one.includes('*')))) {
    note(`Only the text "${value}" itself is allowed: * stands for no other value.`);
  }
  return made.map(({ shown }) => shown);
}

const isUnfinished = ({ key }: ListedKey): boolean => key.revokedAtMs === UNFINISHED_MS;

/** The keys of interrupted runs of `createKeys`: all that were created together with one that has not become valid. */
function leftKeys(keys: readonly ListedKey[]): ListedKey[] {
  const unfinished = keys.filter(isUnfinished);
  const runs = new Set(unfinished.map(({ key }) => key.createdAtMs));
  const started = keys.filter(
    ({ key }) => key.revokedAtMs === undefined && runs.has(key.createdAtMs),
  );
  return [...unfinished, ...started];
}

/**
 * First changes the keys that have not become valid: if their run goes on after all, it stops there and shows no key, else
 * this stops. They stay recognisable, so that a repeat finds the others.
 */
async function endLeftKeys(
  store: KeyRegister,
  keys: readonly ListedKey[],
  nowMs: number,
  note: Note,
): Promise<void> {
  const isEnded = ({ key }: ListedKey): boolean => (key.expiresAtMs ?? Infinity) <= nowMs;
  const left = leftKeys(keys).filter((one) => !isEnded(one));
  if (left.length === 0) return;
  const writes = changed(left, (one) =>
    isUnfinished(one) ? { expiresAtMs: nowMs } : { revokedAtMs: nowMs },
  );
  await store.write(writes, { goOn: 'Run the command again.', note });
  note(`${left.length} keys of an interrupted run are ended. They were never shown.`);
}
