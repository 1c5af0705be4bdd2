// Bounds the bytes that BigQuery bills in a day (UTC) for the misses of an API key, over all instances.
import { DAY_MS, type Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { keyIdOf } from '../core/key-store.ts';
import { type LeaseStore, TOLD_SHARE, chargeOf, dayOf } from '../core/leases.ts';
import type { Log } from '../core/log.ts';
import type { AuthenticatedKey } from './access.ts';

interface DayBytesDeps {
  leaseStore: Pick<LeaseStore, 'bytesOf' | 'addBytes'>;
  clock: Clock;
  log: Log;
}

export function createDayBytes({ leaseStore, clock, log }: DayBytesDeps) {
  /** The keys that the log has named, and the day. */
  let told = { day: '', digests: new Set<string>() };
  return { spentBy, isOver, check, add, tell };

  /** What a key with a bound has spent today; undefined if it is not known. Never rejects. */
  async function spentBy({ digest, bytesPerDay }: AuthenticatedKey): Promise<number | undefined> {
    if (bytesPerDay === undefined) return 0;
    return leaseStore.bytesOf(digest, dayOf(clock.nowMs())).catch(() => undefined);
  }

  /** Whether `check` would throw. */
  function isOver({ bytesPerDay }: AuthenticatedKey, spent: number | undefined): boolean {
    return bytesPerDay !== undefined && (spent === undefined || spent >= bytesPerDay);
  }

  /** Right before a query is started. Throws BYTES_PER_DAY, or RESULT_STORE_UNAVAILABLE. */
  function check(key: AuthenticatedKey, spent: number | undefined): void {
    if (!isOver(key, spent)) return;
    if (spent === undefined) {
      const message = 'The bytes of the day cannot be counted at the moment. Try again shortly.';
      throw new ServiceError('RESULT_STORE_UNAVAILABLE', message);
    }
    const nowMs = clock.nowMs();
    const resetMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    const resetTime = new Date(resetMs).toISOString();
    // The holder of a token must not learn the limit of the key.
    const isOfTeam = key.token === undefined;
    const what = isOfTeam
      ? `This API key is limited to ${key.bytesPerDay} bytes a day that BigQuery reads for it, and they`
      : 'The bytes of the day that BigQuery reads for the key of this token';
    throw new ServiceError(
      'BYTES_PER_DAY',
      `${what} are used up until ${resetTime}. Stored rows are still answered.`,
      {
        retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
        metadata: { ...(isOfTeam && { bytesPerDay: String(key.bytesPerDay) }), resetTime },
      },
    );
  }

  /** Counts the bytes of a query without a lease. Those of a query with one are counted when the lease ends. Never rejects. */
  async function add({ digest, bytesPerDay }: AuthenticatedKey, bytes: number): Promise<void> {
    const account = bytesPerDay === undefined ? undefined : digest;
    const charge = chargeOf(account, bytes, clock.nowMs());
    if (charge) await leaseStore.addBytes(charge).catch(() => undefined);
  }

  /** Tells the operator, once a day in each instance, that most of the bytes are spent. */
  function tell({ name, digest, bytesPerDay }: AuthenticatedKey, spent: number): void {
    if (bytesPerDay === undefined || spent < TOLD_SHARE * bytesPerDay) return;
    const day = dayOf(clock.nowMs());
    if (told.day !== day) told = { day, digests: new Set() };
    if (told.digests.has(digest)) return;
    told.digests.add(digest);
    const fields = {
      event: 'key_bytes',
      keyName: name,
      keyId: keyIdOf(digest),
      spent,
      bytesPerDay,
    };
    log.write('WARNING', 'An API key has used up 80 % of its bytes of the day.', fields);
  }
}
