// Tests of token buckets: how many uses any period allows, and the bounded memory.
import fc from 'fast-check';
import { createBuckets, giveBack, hasOne, takeOne } from '../../functions/keys/limits.ts';
import { FakeClock } from '../support/clock.ts';

const clock = new FakeClock('2026-11-20T10:00:00Z');
let bucketOf = createBuckets(clock);

beforeEach(() => void (bucketOf = createBuckets(clock)));

/** 5 in a second. */
function take(name: string, burst = 40): boolean {
  const bucket = bucketOf(name, 300, burst);
  if (!hasOne(bucket)) return false;
  takeOne(bucket);
  return true;
}

it('allows a burst plus its rate in any period, and that rate of a steady flow', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3000), { minLength: 1, maxLength: 200 }), (pauses) => {
      bucketOf = createBuckets(clock);
      const startMs = clock.nowMs();
      const takenAtMs: number[] = [];
      for (const pause of pauses) {
        clock.advance(pause);
        // The other one is used as often and changes nothing.
        take('other');
        for (let times = 0; times < 3; times += 1) if (take('one')) takenAtMs.push(clock.nowMs());
      }
      for (const [first, fromMs] of takenAtMs.entries()) {
        for (const [last, toMs] of takenAtMs.entries()) {
          if (last < first) continue;
          expect(last - first + 1).toBeLessThanOrEqual(40 + ((toMs - fromMs) * 5) / 1000 + 1e-6);
        }
      }
      const earned = 40 + ((clock.nowMs() - startMs - (pauses[0] ?? 0)) * 5) / 1000;
      const least = Math.min(3 * pauses.length, 40, Math.floor(earned));
      expect(takenAtMs.length).toBeGreaterThanOrEqual(least);
    }),
  );
});

it('gives back no more than the burst', () => {
  for (let times = 0; times < 50; times += 1) giveBack(bucketOf('one', 300, 40));
  const taken = Array.from({ length: 100 }, () => take('one')).filter(Boolean);
  expect(taken).toHaveLength(40);
});
