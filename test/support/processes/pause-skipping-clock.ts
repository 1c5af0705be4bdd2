// A controlled clock on which the pauses between remote calls take no real time.
import type { RestCall } from '../../../functions/google/bigquery-rest.ts';
import { FakeClock } from '../fakes/fake-clock.ts';

/**
 * A wait that begins while no call is open is a pause: the time moves to its end at once. A wait that
 * begins while a call is open is a deadline: it ends when the test advances the time.
 */
export class PauseSkippingClock extends FakeClock {
  /** If false, pauses end when the test advances the time, too. */
  skipsPauses = true;
  /** Pauses so far. */
  pauseCount = 0;
  /** Calls that have not settled. */
  openCalls = 0;

  /** The same calls, known to the clock. */
  observe(call: RestCall): RestCall {
    return async (...args) => {
      this.openCalls += 1;
      try {
        return await call(...args);
      } finally {
        this.openCalls -= 1;
      }
    };
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    const over = super.wait(ms, signal);
    if (this.openCalls > 0) return over;
    this.pauseCount += 1;
    if (this.skipsPauses) this.advance(ms);
    return over;
  }
}
