// Tests of the limits of keys: what counts as a request and as a miss, what callers are told, and that memory is bounded.
import fc from 'fast-check';
import {
  createBuckets,
  createKeyLimits,
  giveBack,
  hasOne,
  takeOne,
} from '../../functions/keys/limits.ts';
import { FakeClock } from '../support/clock.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

const NOW = '2026-11-20T10:00:00Z';

function start() {
  const clock = new FakeClock(NOW);
  const limits = createKeyLimits(clock);
  /** A request of a key: undefined if it is answered, else the seconds to wait. */
  const request = (requestsPerMinute: number, digest = 'a'): number | undefined => {
    try {
      limits.takeRequest({ name: 'agent', endpoints: ['*'], digest, requestsPerMinute });
      return undefined;
    } catch (error) {
      const { reason, retryAfterSeconds } = error as { reason: string; retryAfterSeconds: number };
      expect(reason).toBe('RATE_LIMITED');
      return retryAfterSeconds;
    }
  };
  const granted = (tries: number, requestsPerMinute: number): number =>
    Array.from({ length: tries }, () => request(requestsPerMinute)).filter(
      (one) => one === undefined,
    ).length;
  return { clock, request, granted };
}

it('the limit of a key keeps its remaining share when it is changed', () => {
  const { clock, request, granted } = start();
  granted(30, 60);
  expect(granted(10, 10)).toBe(5);
  clock.advance(6000);
  expect(granted(10, 10)).toBe(1);
  clock.advance(3000);
  // Half of one of 10 is 30 of 600.
  expect([granted(100, 600), request(600)]).toEqual([30, 1]);
  clock.advance(100);
  expect(request(600)).toBeUndefined();
});

it('the limit of a key is evicted after 10,000 other keys: 100,000 keys use no more memory', () => {
  const { request, granted } = start();
  granted(60, 60);
  for (let index = 0; index < 9999; index += 1) request(60, `other-${index}`);
  expect(request(60)).toBe(1);
  for (let index = 0; index < 100_000; index += 1) request(60, `other-${index}`);
  expect(granted(100, 60)).toBe(60);
});

it('the limit of a key never allows more than itself plus the refill in any period, and exactly one more after Retry-After', () => {
  const step = fc.record({ pauseMs: fc.nat(9000), tries: fc.nat(40), isPatient: fc.boolean() });
  const steps = fc.array(step, { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90 }), steps, (requestsPerMinute, sequence) => {
      const { clock, request } = start();
      const startMs = clock.nowMs();
      const grantedAtMs: number[] = [];
      const attempt = (): number | undefined => {
        const seconds = request(requestsPerMinute);
        if (seconds === undefined) grantedAtMs.push(clock.nowMs());
        return seconds;
      };
      for (const { pauseMs, tries, isPatient } of sequence) {
        clock.advance(pauseMs);
        for (let count = 0; count < tries; count += 1) attempt();
        const seconds = isPatient ? attempt() : undefined;
        if (seconds === undefined) continue;
        clock.advance((seconds - 1) * 1000);
        expect(attempt()).toBe(1);
        clock.advance(1000);
        expect(attempt()).toBeUndefined();
      }
      // The excess of a span: what was granted in it, less what is earned until its end.
      let [most, least] = [0, Infinity];
      for (const [index, atMs] of grantedAtMs.entries()) {
        const earned = ((atMs - startMs) * requestsPerMinute) / 60_000;
        least = Math.min(least, index - earned);
        most = Math.max(most, index + 1 - earned - least);
      }
      expect(most).toBeLessThan(requestsPerMinute + 1e-6);
    }),
  );
});

it('a bucket takes back no more than its burst', () => {
  const bucketOf = createBuckets(new FakeClock(NOW));
  const bucket = () => bucketOf('one', 300, 40);
  for (let times = 0; times < 50; times += 1) giveBack(bucket());
  let taken = 0;
  for (; taken < 100 && hasOne(bucket()); taken += 1) takeOne(bucket());
  expect(taken).toBe(40);
});
