// Tests of the age limits of a result: 900 s for caching, 300 s for warming.
import { ageSeconds, isFresh, ttlSeconds } from '../../functions/results/freshness.ts';

const COMPUTED = Date.parse('2026-11-20T10:00:00.000Z');
const ENTRY = {
  computedAtMs: COMPUTED,
  freshUntilMs: Date.parse('2026-11-20T10:15:00.000Z'),
};

describe('an entry of 900 s', () => {
  it.each([
    ['at once', '2026-11-20T10:00:00.000Z', true, 0, 900],
    ['in its first second', '2026-11-20T10:00:00.999Z', true, 0, 899],
    ['after a second', '2026-11-20T10:00:01.000Z', true, 1, 899],
    ['after 288 s', '2026-11-20T10:04:48.000Z', true, 288, 612],
    ['after 899 s', '2026-11-20T10:14:59.000Z', true, 899, 1],
    ['in its last millisecond', '2026-11-20T10:14:59.999Z', true, 899, 0],
    ['after 900 s', '2026-11-20T10:15:00.000Z', false, 900, 0],
    ['after a day', '2026-11-21T10:00:00.000Z', false, 86_400, -85_500],
  ])('%s (%s): fresh %s, age %d s, ttl %d s', (_name, now, fresh, age, ttl) => {
    const nowMs = Date.parse(now);
    expect(isFresh(ENTRY, nowMs)).toBe(fresh);
    expect(ageSeconds(ENTRY, nowMs)).toBe(age);
    expect(ttlSeconds(ENTRY, nowMs)).toBe(ttl);
  });

  it('is not of negative age where another instance has a faster clock', () => {
    expect(ageSeconds(ENTRY, Date.parse('2026-11-20T09:59:58.000Z'))).toBe(0);
  });
});
