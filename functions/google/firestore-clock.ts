// Estimates Firestore's time from the timestamps in its answers, as an offset to the local clock.
import type { Timestamp } from '@google-cloud/firestore';
import type { Clock, StoreClock } from '../core/clock.ts';

/** The time in an answer: `readTime` of reads and queries, `writeTime` of writes. */
type Stated = { readonly readTime: Timestamp } | { readonly writeTime: Timestamp };

/** Makes a call, returns its outcome, and reads the time from its answer. */
export type Observe = <T extends Stated>(call: () => Promise<T>) => Promise<T>;

export interface FirestoreClock extends StoreClock {
  observe: Observe;
}

/** For programs that do not need Firestore's time. */
export const unobserved: Observe = (call) => call();

/** An earlier time comes from a clock that was never set. */
const PLAUSIBLE_MS_MIN = Date.parse('2020-01-01T00:00:00Z');

/**
 * Shows the local clock until the first answer. A read proves that Firestore's clock showed its time
 * between sending and receiving. The offset moves into these bounds and no further, so it does not change
 * while the clocks agree, whatever the network does. A write proves only that Firestore's clock is not behind
 * the stated time: a write that changes nothing returns the time of the previous change.
 */
export function createFirestoreClock(clock: Pick<Clock, 'nowMs'>): FirestoreClock {
  let offsetMs = 0;
  return {
    nowMs: () => clock.nowMs() + offsetMs,
    async observe(call) {
      const sentMs = clock.nowMs();
      const answer = await call();
      const receivedMs = clock.nowMs();
      const isRead = 'readTime' in answer;
      const stated: Timestamp | undefined = isRead ? answer.readTime : answer.writeTime;
      const statedMs = stated?.toMillis() ?? 0;
      // If the local clock was set back during the call, the answer proves nothing.
      if (statedMs >= PLAUSIBLE_MS_MIN && sentMs <= receivedMs) {
        offsetMs = Math.max(offsetMs, statedMs - receivedMs);
        if (isRead) offsetMs = Math.min(offsetMs, statedMs - sentMs);
      }
      return answer;
    },
  };
}
