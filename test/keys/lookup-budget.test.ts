// Tests of the budget of look-ups for each address: a token bucket, with bounded memory.
import fc from 'fast-check';
import { createLookupBudget } from '../../functions/keys/lookup-budget.ts';

const A = '192.0.2.1';
const B = '192.0.2.2';
const NOW = Date.parse('2026-11-20T10:00:00Z');

let budget = createLookupBudget();

beforeEach(() => void (budget = createLookupBudget()));

/** Whether a look-up was allowed; it ends at once. */
function take(address: string, nowMs: number, costs = true): boolean {
  const end = budget.take(address, nowMs);
  if (end instanceof Promise) throw new Error('Nothing is under way.');
  end?.({ costs, nowMs });
  return end !== undefined;
}

function taken(address: string, nowMs: number, tries = 1000): number {
  return Array.from({ length: tries }, () => take(address, nowMs)).filter(Boolean).length;
}

describe('the look-up budget of an address', () => {
  it('is 40 at once and 5 per second', () => {
    expect(taken(A, NOW)).toBe(40);
    expect(taken(A, NOW + 199)).toBe(0);
    expect(taken(A, NOW + 200)).toBe(1);
    expect(taken(A, NOW + 1200)).toBe(5);
    expect(taken(A, NOW + 9200)).toBe(40);
    expect(taken(A, NOW + 999_000)).toBe(40);
  });

  it('is refunded for a look-up of a valid key, and never exceeds 40', () => {
    for (let times = 0; times < 100; times += 1) expect(take(A, NOW, false)).toBe(true);
    const end = budget.take(A, NOW);
    expect(taken(A, NOW, 39)).toBe(39);
    if (typeof end === 'function') end({ costs: false, nowMs: NOW });
    expect(taken(A, NOW)).toBe(1);
  });

  it('is passed to waiting look-ups with each refund, and they are rejected when no other is in progress', async () => {
    const ends = await Promise.all(Array.from({ length: 40 }, async () => budget.take(A, NOW)));
    const waiting = Array.from({ length: 61 }, () => Promise.resolve(budget.take(A, NOW)));
    expect(await waiting[60]).toBeUndefined();
    ends[0]?.({ costs: false, nowMs: NOW });
    const handedOn = await waiting[0];
    for (const end of ends.slice(1)) end?.({ costs: true, nowMs: NOW });
    handedOn?.({ costs: false, nowMs: NOW });
    const last = await waiting[1];
    last?.({ costs: true, nowMs: NOW });
    expect(await Promise.all(waiting.slice(2, 60))).toEqual(Array(58).fill(undefined));
    expect(budget.take(A, NOW)).toBeUndefined();
  });

  it('is granted in order of arrival, or denied after two seconds, while a flood keeps look-ups in progress', async () => {
    for (let times = 0; times < 40; times += 1) void budget.take(A, NOW);
    const [first, second] = [budget.take(A, NOW), budget.take(A, NOW)];
    // The one that comes when there is one again waits behind both.
    const third = budget.take(A, NOW + 200);
    expect(await first).toEqual(expect.any(Function));
    const end = await first;
    end?.({ costs: true, nowMs: NOW + 400 });
    expect(await second).toEqual(expect.any(Function));
    const fourth = budget.take(A, NOW + 401);
    expect(fourth).toBeInstanceOf(Promise);
    expect(await Promise.race([Promise.resolve(third), Promise.resolve('waits')])).toBe('waits');
    // Only as many are earned as two are given.
    const rest = Array.from({ length: 50 }, () => Promise.resolve(budget.take(A, NOW + 500)));
    (await second)?.({ costs: true, nowMs: NOW + 2500 });
    expect(await Promise.all(rest.slice(20))).toEqual(Array(30).fill(undefined));
  });

  it('is passed to look-ups that have waited for two seconds when slow look-ups return', async () => {
    const ends = await Promise.all(Array.from({ length: 40 }, async () => budget.take(A, NOW)));
    const waiting = Array.from({ length: 20 }, () => Promise.resolve(budget.take(A, NOW)));
    // Ten are earned by then.
    for (const end of ends) end?.({ costs: false, nowMs: NOW + 2000 });
    expect(await Promise.all(waiting)).toEqual(Array(20).fill(expect.any(Function)));
  });

  it('does not grow if the clock is set back', () => {
    taken(A, NOW);
    expect(taken(A, NOW - 60_000)).toBe(0);
    expect(taken(A, NOW - 59_800)).toBe(1);
  });

  it('is evicted after 10,000 other addresses', () => {
    taken(A, NOW);
    for (let other = 0; other < 9999; other += 1) take(`other-${other}`, NOW);
    expect(take(A, NOW)).toBe(false);
    for (let other = 0; other < 10_000; other += 1) take(`another-${other}`, NOW);
    expect(take(A, NOW)).toBe(true);
  });

  it('allows 40 plus 5 per second in any period, and that rate of a steady flow', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3000), { minLength: 1, maxLength: 200 }), (pauses) => {
        budget = createLookupBudget();
        const takenAtMs: number[] = [];
        let nowMs = NOW;
        for (const pause of pauses) {
          nowMs += pause;
          // The other address asks as often and changes nothing.
          take(B, nowMs);
          for (let times = 0; times < 3; times += 1) {
            if (take(A, nowMs)) takenAtMs.push(nowMs);
          }
        }
        for (const [first, startMs] of takenAtMs.entries()) {
          for (const [last, endMs] of takenAtMs.entries()) {
            if (last < first) continue;
            const allowed = 40 + ((endMs - startMs) * 5) / 1000;
            expect(last - first + 1).toBeLessThanOrEqual(allowed + 1e-6);
          }
        }
        const earned = 40 + ((nowMs - NOW - (pauses[0] ?? 0)) * 5) / 1000;
        expect(takenAtMs.length).toBeGreaterThanOrEqual(
          Math.min(3 * pauses.length, 40, Math.floor(earned)),
        );
      }),
    );
  });
});
