// Bounds the bytes that BigQuery bills in a day (UTC): for the misses of an API key, over all instances, and for warming, over its runs.
import { DAY_MS } from '../core/clock.ts';
import { type Reserved, TOLD_SHARE, dayOf } from '../core/day-bytes.ts';
import { ServiceError, usualError } from '../core/errors.ts';
import { keyIdOf } from '../core/key-store.ts';
import type { Uses } from '../core/services.ts';
import { RUN_SECONDS } from '../endpoints/endpoint.ts';
import type { AuthenticatedKey } from '../keys/access.ts';

/** While the bytes are taken by queries that run. */
const RETRY_SECONDS = 5;
/** What warming may read at any time, because refreshes of all rows come in bursts; the rest comes evenly, so that it lasts all day. */
const BURST_SHARE = 1 / 4;

export type KeyBytes = ReturnType<typeof createKeyBytes>;

export function createKeyBytes(deps: Uses<'clock' | 'leaseStore' | 'log'>) {
  const { leaseStore, clock, log } = deps;
  /** By digest, the day on which the log has last named a key. */
  const warned = new Map<string, string>();
  return { refusalOf, admit };

  /** BYTES_PER_DAY if the bytes of the key are used up; RESULT_STORE_UNAVAILABLE if that is not known. */
  async function refusalOf(key: AuthenticatedKey): Promise<ServiceError | undefined> {
    const { digest, bytesPerDay } = key;
    if (bytesPerDay === undefined) return undefined;
    const day = dayOf(clock.nowMs());
    const spent = await leaseStore.bytesOf(digest, day).catch(() => undefined);
    return spent !== undefined && spent < bytesPerDay ? undefined : refusal(key, spent);
  }

  /** Right before a query is sent: throws the refusal unless its bytes were reserved. */
  function admit(key: AuthenticatedKey, reserved: Reserved | undefined): void {
    if (reserved !== undefined) tell(key, reserved.bytes + reserved.openBytes);
    if (!reserved?.isAdmitted) throw refusal(key, reserved?.bytes);
  }

  function refusal(key: AuthenticatedKey, spent: number | undefined): ServiceError {
    if (spent === undefined) return usualError('RESULT_STORE_UNAVAILABLE');
    const nowMs = clock.nowMs();
    const resetMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    const resetTime = new Date(resetMs).toISOString();
    // The holder of a token must not learn the limit of the key.
    const isOfTeam = key.token === undefined;
    const what = isOfTeam
      ? `This API key is limited to ${key.bytesPerDay} bytes a day that BigQuery reads for it, and they`
      : 'The bytes of the day that BigQuery reads for the key of this token';
    const isUsedUp = spent >= (key.bytesPerDay ?? Infinity);
    const until = isUsedUp
      ? `are used up until ${resetTime}`
      : `do not suffice for this query beside those that run. Ask again in ${RETRY_SECONDS} s`;
    const retryAfterSeconds = isUsedUp ? Math.ceil((resetMs - nowMs) / 1000) : RETRY_SECONDS;
    return new ServiceError('BYTES_PER_DAY', `${what} ${until}. Stored rows are still answered.`, {
      retryAfterSeconds,
      metadata: { ...(isOfTeam && { bytesPerDay: String(key.bytesPerDay) }), resetTime },
    });
  }

  /** Tells the operator, once a day in each instance, that most of the bytes are spent. */
  function tell({ name, digest, bytesPerDay }: AuthenticatedKey, spent: number): void {
    if (bytesPerDay === undefined || spent < TOLD_SHARE * bytesPerDay) return;
    const day = dayOf(clock.nowMs());
    if (warned.get(digest) === day) return;
    warned.set(digest, day);
    const fields = { keyName: name, keyId: keyIdOf(digest), spent, bytesPerDay };
    const message = 'An API key has used up 80 % of its bytes of the day.';
    log.write('WARNING', message, { event: 'key_bytes', ...fields });
  }
}

/** Bytes from the start of the day until after a run that begins now. Reaches `bytesPerDay` with the last run of the day. */
export function allowedBytes(bytesPerDay: number, nowMs: number): number {
  const elapsedShare = Math.min(1, ((nowMs % DAY_MS) + RUN_SECONDS * 1000) / DAY_MS);
  return bytesPerDay * (BURST_SHARE + (1 - BURST_SHARE) * elapsedShare);
}

/** Whether jobs run one after the other, so that what is read most has the bytes that are left. */
export function isScarce(roomBytes: number, bytesPerDay: number): boolean {
  return roomBytes < BURST_SHARE * bytesPerDay;
}
