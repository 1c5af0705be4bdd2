// Tests of the limits of keys: what counts as a request and as a miss, what callers are told, and that memory is bounded.
import fc from 'fast-check';
import type { Response } from 'supertest';
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
import { runScenarios } from '../support/scenarios.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { API_KEY, type QueryServer, createQueryServer } from '../support/world.ts';
import { turnsUntil, turnsUntilDone } from '../support/until.ts';

runScenarios(import.meta.filename);

const AGENT = 'sqk_agent-with-limits';
const STATS = '/api/endpoints/query/tasks.run-stats';

let service: QueryServer;

beforeEach(() => void (service = createQueryServer()));

async function get(path: string, headers = {}, to = service): Promise<Response> {
  return to.get(path, AGENT).set(headers);
}

/** Status and the field `RateLimit`. */
async function leftAfter(answer: Promise<Response>): Promise<unknown[]> {
  const { status, headers } = await answer;
  return [status, headers.ratelimit];
}

describe('a key with two misses per minute', () => {
  beforeEach(() => service.keyStore.add(AGENT, { name: 'agent', missesPerMinute: 2 }));

  const jobs = () => service.queryRunner.requests.length;
  const rows = (project: string, headers = {}, to = service) =>
    get(`${STATS}?project=${project}`, headers, to);

  async function useUp(to = service): Promise<void> {
    expect(await leftAfter(rows('a', {}, to))).toEqual([200, '"misses";r=1;t=30']);
    expect(await leftAfter(rows('b', {}, to))).toEqual([200, '"misses";r=0;t=30']);
    expect(jobs()).toBe(2);
  }

  /** Waits until so many requests have come from now on, and have gone as far as they can. */
  function arrivals({ server }: QueryServer): (count: number) => Promise<void> {
    let [arrivedCount, turnCount] = [0, 0];
    server.on('request', () => {
      arrivedCount += 1;
      turnCount = 0;
    });
    return (count) => turnsUntil(() => arrivedCount === count && (turnCount += 1) > 20);
  }

  it('uses one miss for concurrent requests for the same rows', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => rows('a')));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect([jobs(), await leftAfter(rows('a'))]).toEqual([1, [200, '"misses";r=1;t=30']]);
  });

  it.each(['this instance', 'another'])(
    'uses none for a running job of another key in %s, and waits for it even without misses left',
    async (where) => {
      const to = where === 'another' ? createQueryServer({ shared: service }) : service;
      await useUp(to);
      const running = Promise.withResolvers<ReturnType<typeof queryResult>>();
      service.queryRunner.answerWith(running.promise);
      const first = rows('c', { 'X-API-KEY': API_KEY });
      await turnsUntil(() => jobs() === 3);
      const arrived = arrivals(to);
      const second = rows('c', {}, to);
      await arrived(1);
      running.resolve(queryResult());
      expect((await first).status).toBe(200);
      // The other instance asks for the end of the job from time to time.
      const { status, headers } = await turnsUntilDone(second, () => service.clock.advance(1));
      expect([status, jobs()]).toEqual([200, 3]);
      expect(headers['cache-status']).toContain('; collapsed');
    },
  );

  // A lease would keep other instances waiting, and a flood of refused requests would write each time.
  it('takes no lease for concurrent rejected requests, and reads it once', async () => {
    await useUp();
    const arrived = arrivals(service);
    const allArrived = Promise.withResolvers<undefined>();
    service.leaseStore.calls.length = 0;
    service.leaseStore.before = () => allArrived.promise;
    const answers = Promise.all(Array.from({ length: 5 }, () => rows('c')));
    await arrived(5);
    allArrived.resolve(undefined);
    expect((await answers).map(({ status }) => status)).toEqual(Array(5).fill(429));
    expect(service.leaseStore.calls.map(({ method }) => method)).toEqual(['read']);
  });

  it('does not cause a rejection of another key that waits for the same rows', async () => {
    await useUp();
    const arrived = arrivals(service);
    const bothArrived = Promise.withResolvers<undefined>();
    service.leaseStore.before = () => bothArrived.promise;
    const refused = rows('c');
    await arrived(1);
    const other = rows('c', { 'X-API-KEY': API_KEY });
    await arrived(2);
    bothArrived.resolve(undefined);
    expect([(await refused).status, (await other).status, jobs()]).toEqual([429, 200, 3]);
  });
});

const NOW = '2026-11-20T10:00:00Z';
const NOW_MS = Date.parse(NOW);

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
