// Firestore's time, which every answer of it states, as an offset to the clock of this instance.
import type { Timestamp } from '@google-cloud/firestore';
import type { Clock, StoreClock } from '../core/clock.ts';

/** What answers state: of reads and queries `readTime`, of writes `writeTime`. */
type Stated = { readonly readTime: Timestamp } | { readonly writeTime: Timestamp };

/** Makes a call and learns from its answer what time it is; the outcome is that of the call. */
export type Observe = <T extends Stated>(call: () => Promise<T>) => Promise<T>;

export interface FirestoreClock extends StoreClock {
  observe: Observe;
}

/** For programs that have no use for Firestore's time. */
export const unobserved: Observe = (call) => call();

/** What is before this was stated by a clock that nobody has set. */
const PLAUSIBLE_MS_MIN = Date.parse('2020-01-01T00:00:00Z');

/**
 * The own clock until the first answer. A read proves that Firestore's clock showed its time between the
 * moment of sending and that of receiving: the offset moves into these bounds and no further, so it stays
 * where it is while clocks agree, whatever the network does. A write proves the second half alone: where
 * it changed nothing, Firestore states the time of the change before.
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
      // Where the own clock was set back meanwhile, nothing is proved.
      if (statedMs >= PLAUSIBLE_MS_MIN && sentMs <= receivedMs) {
        offsetMs = Math.max(offsetMs, statedMs - receivedMs);
        if (isRead) offsetMs = Math.min(offsetMs, statedMs - sentMs);
      }
      return answer;
    },
  };
}
