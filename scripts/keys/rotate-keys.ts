// Replaces API keys by new ones with the same rights, and ends the old ones after an overlap.
import { isValidKey } from '../../functions/keys/access.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { groupOf } from '../../functions/endpoints/endpoint.ts';
import { type KeysOfName, type ListedKey, changed } from './api-keys.ts';
import { isManagedByTerraform } from './key-records.ts';
import type { KeyRegister } from './key-register.ts';
import { makeNamedKey } from './new-key.ts';

/**
 * Creates a key like the newest one of each name. A second step ends the old keys, so that a working key always exists. If the
 * first is interrupted, nobody has seen a new key, and a repeat replaces them too.
 */
export async function rotateKeys(
  store: KeyRegister,
  named: readonly KeysOfName[],
  options: { overlapMs: number; expiresAtMs?: number | undefined },
  nowMs: number,
  note: (line: string) => void,
) {
  const endsAtMs = (key: ApiKey): number =>
    Math.min(nowMs + options.overlapMs, key.expiresAtMs ?? Infinity);
  const mixed = named.filter(({ keys, newest }) =>
    keys.some(({ key }) => isSigning(key) !== isSigning(newest)),
  );
  if (mixed.length > 0) {
    const faults = mixed.map(
      ({ newest: { name } }) =>
        `Of the valid keys ${name}, some sign tokens and some do not: end those of one kind with "revoke ${name} --id ID".`,
    );
    throw new Error(faults.join('\n'));
  }
  const made = named.map(({ newest }) => {
    const times = {
      expiresAtMs: options.expiresAtMs ?? newest.expiresAtMs,
      revokedAtMs: undefined,
    };
    return makeNamedKey({ ...newest, ...times }, isSigning(newest), nowMs);
  });
  const goOn = 'No new key is shown, and the old ones are as before: run the command again.';
  await store.write(
    made.map(({ write }) => write),
    { goOn, note },
  );
  const old = named.flatMap(({ keys }) => keys);
  return {
    newKeys: made.map(({ shown }) => shown),
    /** Of the new keys, when the first one does. */
    expiresAtMs: Math.min(...made.map(({ write }) => write.key.expiresAtMs ?? Infinity)),
    endsAtMs: Math.max(...old.map(({ key }) => endsAtMs(key))),
    /** Ends the old keys after the overlap. */
    endOldKeys: () => {
      const goOn =
        'The new keys are valid, and the other old ones have no new end: "revoke" ends them.';
      const writes = changed(old, ({ key }) => ({ expiresAtMs: endsAtMs(key) }));
      return store.write(writes, { goOn, note });
    },
  };
}

const isSigning = (key: ApiKey): boolean => key.publicKey !== undefined;

/**
 * The valid keys by name whose newest one lists an endpoint that a pattern matches: `sales.*` matches itself and the endpoints of
 * the group, `*` all keys. `left` are the names of those that Terraform manages, unless forced.
 */
export function keysOfEndpoints(
  listed: readonly ListedKey[],
  patterns: readonly string[],
  force: boolean,
  nowMs: number,
): { named: KeysOfName[]; left: string[] } {
  const isMatched = (endpoint: string): boolean =>
    [endpoint, `${groupOf(endpoint)}.*`, '*'].some((name) => patterns.includes(name));
  const valid = listed.filter(({ key }) => isValidKey(key, nowMs));
  const all = [...Map.groupBy(valid, ({ key }) => key.name).values()]
    .map((keys) => ({ keys, newest: keys.at(-1)?.key }))
    .filter((one): one is KeysOfName => one.newest?.endpoints.some(isMatched) ?? false);
  const isLeft = ({ keys }: KeysOfName): boolean =>
    !force && keys.some(({ key }) => isManagedByTerraform(key));
  return {
    named: all.filter((one) => !isLeft(one)),
    left: all.filter(isLeft).map(({ newest }) => newest.name),
  };
}
