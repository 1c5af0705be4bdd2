// `npm run doctor`: whether there are API keys that open what the deployment serves, and that do not end soon.
import { DAY_MS } from '../../functions/core/clock.ts';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { digestOf } from '../../functions/core/key-store.ts';
import { TOLD_SHARE, dayOf } from '../../functions/core/leases.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { createFirestoreLeaseStore } from '../../functions/google/lease-store.ts';
import { isValidKey, mayUseEndpoint } from '../../functions/keys/access.ts';
import { counted } from '../cli/table.ts';
import { type ListedKey, isManagedByTerraform, listKeys } from '../keys/api-keys.ts';
import { formatTime } from '../keys/format-keys.ts';

import { createKeyRegister } from '../keys/key-register.ts';
import { type Deployment, keysCommand } from './deployment.ts';
import { type Finding, fault, right, warning } from './finding.ts';
import { inDatabase } from './warming.ts';

const AT_ONCE = 32;
const SOON_MS = 14 * DAY_MS;
/** Older ones nobody misses, and no command removes them. */
const EXPIRED_MS = 30 * DAY_MS;

/** `endpoints` is undefined if `sql/` cannot say which ones exist. */
export async function checkKeys(
  of: Deployment,
  endpoints: readonly Endpoint[] | undefined,
): Promise<Finding[]> {
  let valid: ListedKey[] = [];
  let day = '';
  const found = await inDatabase(of, of.keysDatabase, async (firestore, inTime) => {
    const register = createKeyRegister(firestore, inTime);
    const nowMs = await register.nowMs();
    const { keys, unreadableCount } = await listKeys(register);
    valid = keys.filter(({ key }) => isValidKey(key, nowMs));
    day = dayOf(nowMs);
    const answers = right(`Firestore: the database ${of.keysDatabase} answers`);
    const findings = [answers, ...faultsOfKeys(keys, valid, of, nowMs)];
    if (endpoints) findings.push(...valid.flatMap((key) => faultsOfRights(key, of, endpoints)));
    if (unreadableCount > 0) {
      const what = `${counted(unreadableCount, 'document')} in apiKeys open nothing, because they are not valid keys`;
      findings.push(warning(what, keysCommand(of, 'list')));
    }
    return findings;
  });
  const bounded = valid.filter(({ key }) => key.bytesPerDay !== undefined);
  // Its database has its own check, which names what is wrong with it.
  if (bounded.length === 0) return found;
  const spent = await inDatabase(of, of.database, async (firestore, inTime) => {
    const store = createFirestoreLeaseStore(firestore);
    const bytesOf = new Map<ListedKey, number>();
    await eachLimit(bounded, AT_ONCE, async (one) => {
      bytesOf.set(one, await inTime(store.bytesOf(digestOf(one.storedAs), day)));
    });
    return bounded.flatMap((one) => {
      const { name, bytesPerDay = 0 } = one.key;
      const bytes = bytesOf.get(one) ?? 0;
      if (bytes < TOLD_SHARE * bytesPerDay) return [];
      const share = Math.round((100 * bytes) / bytesPerDay);
      const what = `The key ${name} has used ${share} % of its bytes of today (bytesPerDay ${bytesPerDay})`;
      return [warning(what, 'docs/reference/api-keys.md#bytes-of-a-day')];
    });
  });
  return [...found, ...spent];
}

function faultsOfKeys(
  keys: readonly ListedKey[],
  valid: readonly ListedKey[],
  of: Deployment,
  nowMs: number,
): Finding[] {
  const byName = Map.groupBy(valid, ({ key }) => key.name);
  const ended = keys.flatMap(({ key: { name, expiresAtMs, revokedAtMs } }) => {
    const isMissed = expiresAtMs !== undefined && revokedAtMs === undefined && !byName.has(name);
    const sinceMs = nowMs - (expiresAtMs ?? Infinity);
    if (!isMissed || sinceMs < 0 || sinceMs > EXPIRED_MS) return [];
    const create = keysCommand(of, 'create', name, '--endpoints', 'NAMES');
    return [warning(`The key ${name} expired at ${formatTime(expiresAtMs)}`, create)];
  });
  if (valid.length === 0) {
    const create = keysCommand(of, 'create', 'NAME', '--endpoints', '*');
    return [fault(`There is no valid API key in ${of.keysDatabase}`, create), ...ended];
  }
  const ending = [...byName].flatMap(([name, named]) => {
    // Of a name, the old keys end after a rotation.
    const latest = Math.max(...named.map(({ key }) => key.expiresAtMs ?? Infinity));
    if (latest - nowMs > SOON_MS) return [];
    const rotate = keysCommand(of, 'rotate', name, '--expires', '90d');
    return [warning(`The key ${name} expires at ${formatTime(latest)}`, rotate)];
  });
  return [right(`Keys: ${counted(valid.length, 'valid key')}`), ...ended, ...ending];
}

function faultsOfRights(
  { key }: ListedKey,
  of: Deployment,
  endpoints: readonly Endpoint[],
): Finding[] {
  const openedBy = (list: string[]) =>
    endpoints.filter((endpoint) => mayUseEndpoint({ endpoints: list }, endpoint));
  const opened = openedBy(key.endpoints);
  const unknown = key.endpoints.filter((name) => name !== '*' && openedBy([name]).length === 0);
  const unbound = Object.keys(key.parameters ?? {}).filter(
    (name) => !opened.some(({ rules }) => rules.has(name)),
  );
  const remedy = isManagedByTerraform(key)
    ? 'correct api_keys in infra/terraform.tfvars, and npm run deploy'
    : `${keysCommand(of, 'create', key.name, '--endpoints', 'NAMES')}, then revoke the old key`;
  return [
    ...unknown.map((name) => `the endpoint ${name}, which`),
    ...(opened.length > 0 ? unbound : []).map((name) => `the parameter ${name}, which`),
  ].map((named) => fault(`The key ${key.name} names ${named} ${of.sql} does not have`, remedy));
}
