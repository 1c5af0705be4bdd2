// Tests of the limits of keys: what counts as a request and as a miss, what callers are told, and that memory is bounded.
import fc from 'fast-check';
import type { AuthenticatedKey } from '../../functions/keys/access.ts';
import {
  type KeyLimits,
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

let clock: FakeClock;
let limits: KeyLimits;

beforeEach(start);

function start(): void {
  clock = new FakeClock(NOW);
  limits = createKeyLimits(clock);
}

function keyOf(digest: string, fields: Partial<AuthenticatedKey> = {}): AuthenticatedKey {
  return { name: 'agent', endpoints: ['*'], digest, ...fields };
}

/** Undefined if it is answered, else the seconds to wait. */
function refusal(take: () => void): number | undefined {
  try {
    take();
    return undefined;
  } catch (error) {
    const { reason, retryAfterSeconds } = error as { reason: string; retryAfterSeconds: number };
    expect(reason).toBe('RATE_LIMITED');
    return retryAfterSeconds;
  }
}

const request = (key: AuthenticatedKey) => refusal(() => limits.takeRequest(key));

function granted(key: AuthenticatedKey, tries: number): number {
  return Array.from({ length: tries }, () => request(key)).filter((one) => one === undefined)
    .length;
}

describe('the limit of a key', () => {
  const key = keyOf('a', { requestsPerMinute: 60 });

  it('keeps its remaining share when it is changed', () => {
    granted(key, 30);
    const less = keyOf('a', { requestsPerMinute: 10 });
    expect(granted(less, 10)).toBe(5);
    clock.advance(6000);
    expect(granted(less, 10)).toBe(1);
    const more = keyOf('a', { requestsPerMinute: 600 });
    clock.advance(3000);
    // Half of one of 10 is 30 of 600.
    expect([granted(more, 100), request(more)]).toEqual([30, 1]);
    clock.advance(100);
    expect(request(more)).toBeUndefined();
  });

  it('is evicted after 10,000 other keys: 100,000 keys use no more memory', () => {
    const other = (index: number) => keyOf(`other-${index}`, { requestsPerMinute: 60 });
    granted(key, 60);
    for (let index = 0; index < 9999; index += 1) request(other(index));
    expect(request(key)).toBe(1);
    for (let index = 0; index < 100_000; index += 1) request(other(index));
    expect(granted(key, 100)).toBe(60);
  });

  it('never allows more than itself plus the refill in any period, and exactly one more after Retry-After', () => {
    const NOW_MS = Date.parse(NOW);
    const step = fc.record({ pauseMs: fc.nat(9000), tries: fc.nat(40), isPatient: fc.boolean() });
    const steps = fc.array(step, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), steps, (requestsPerMinute, sequence) => {
        start();
        const own = keyOf('own', { requestsPerMinute });
        const grantedAtMs: number[] = [];
        const attempt = (): number | undefined => {
          const seconds = request(own);
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
          const earned = ((atMs - NOW_MS) * requestsPerMinute) / 60_000;
          least = Math.min(least, index - earned);
          most = Math.max(most, index + 1 - earned - least);
        }
        expect(most).toBeLessThan(requestsPerMinute + 1e-6);
      }),
    );
  });
});

it('a bucket takes back no more than its burst', () => {
  const bucketOf = createBuckets(new FakeClock(NOW));
  const bucket = () => bucketOf('one', 300, 40);
  for (let times = 0; times < 50; times += 1) giveBack(bucket());
  let taken = 0;
  for (; taken < 100 && hasOne(bucket()); taken += 1) takeOne(bucket());
  expect(taken).toBe(40);
});
