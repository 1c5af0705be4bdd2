// Tests of an entry's readers: which keys are recorded, and how often.
import fc from 'fast-check';
import type { Reader } from '../../functions/core/result-store.ts';
import {
  joinReaders,
  liveSeconds,
  needsTouch,
  noteReader,
  withReader,
} from '../../functions/cache/readers.ts';

const ENDPOINT = { cachingSeconds: 900, cacheWarmingSeconds: 300 };
const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const DAY_MS = 86_400_000;

const reader = (keyName: string, agoMs: number): Reader => ({ keyName, readAtMs: NOW - agoMs });

describe('a read', () => {
  it.each([
    [300, 450_000, false],
    [300, 450_001, true],
    [3600, 1_800_000, false],
    [3600, 1_800_001, true],
    [0, DAY_MS, false],
  ])(
    'of an endpoint warmed every %d s must be recorded %d ms after the last one: %s',
    (cacheWarmingSeconds, agoMs, expected) => {
      const endpoint = { cachingSeconds: 900, cacheWarmingSeconds };
      expect(needsTouch({ lastReadAtMs: NOW - agoMs }, endpoint, NOW)).toBe(expected);
    },
  );

  it('puts its reader first, once, and keeps recent readers', () => {
    const readers = [
      reader('b', 10),
      reader('a', 200_000),
      reader('c', 900_000),
      reader('d', 900_001),
    ];
    expect(withReader(readers, 'a', ENDPOINT, NOW)).toEqual([
      reader('a', 0),
      reader('b', 10),
      reader('c', 900_000),
    ]);
  });

  it('removes no recent reader', () => {
    const eight = (agoMs: number): Reader[] =>
      Array.from({ length: 8 }, (_, index) => reader(`key-${index}`, agoMs));
    const nine = [reader('', 0), ...eight(900_000)];
    expect(withReader(eight(900_000), 'a', ENDPOINT, NOW)).toEqual(nine);
    expect(withReader(nine, 'b', ENDPOINT, NOW)).toEqual(nine);
  });

  it('is noted until the next one is recorded, also if the result is read from Firestore again', () => {
    const inMemory = [reader('a', 400_000)];
    noteReader(inMemory, 'b', ENDPOINT, NOW - 1000);
    noteReader(inMemory, 'b', ENDPOINT, NOW - 500);
    const stored = [reader('c', 20), reader('a', 10), reader('d', 900_001)];
    expect(joinReaders(stored, inMemory, ENDPOINT, NOW)).toEqual([
      reader('a', 10),
      reader('c', 20),
      reader('b', 500),
    ]);
  });
});

// The promise of docs/reference/caching.md: who reads a result once in `cachingSeconds` never waits for BigQuery.
it('keeps a result that is read once in its cachingSeconds fresh, whatever the intervals', () => {
  const intervals = fc.record({
    cachingSeconds: fc.constantFrom(600, 720, 900, 1800),
    cacheWarmingSeconds: fc.constantFrom(60, 300, 600, 900),
  });
  const gap = fc.oneof(fc.constant(1), fc.double({ min: 0.01, max: 1, noNaN: true }));
  const gaps = fc.array(gap, { maxLength: 40 });
  fc.assert(
    fc.property(intervals, gaps, fc.nat(299), (endpoint, reads, phase) => {
      fc.pre(endpoint.cachingSeconds >= endpoint.cacheWarmingSeconds / 2 + 300);
      let [now, recorded, computed] = [0, 0, 0];
      for (const part of reads) {
        // Whole seconds, whose sums are exact.
        const next = now + Math.ceil(part * endpoint.cachingSeconds);
        for (let run = phase; run <= next; run += 300) {
          const isRecent = run - computed < endpoint.cacheWarmingSeconds / 2;
          if (run >= now && run - recorded <= liveSeconds(endpoint) && !isRecent) computed = run;
        }
        now = next;
        expect(now - computed).toBeLessThanOrEqual(endpoint.cachingSeconds);
        if (needsTouch({ lastReadAtMs: recorded * 1000 }, endpoint, now * 1000)) recorded = now;
      }
    }),
  );
});

// A busy entry must not become a write with every read.
it('costs at most 200 writes a day, however many keys read, and records at most eight readers by name', () => {
  const reads = fc.array(fc.tuple(fc.nat(19), fc.nat(500_000)), { minLength: 20, maxLength: 400 });
  fc.assert(
    fc.property(reads, (sequence) => {
      let nowMs = NOW;
      let lastReadAtMs = NOW;
      let writesMs: number[] = [];
      const readers: Reader[] = [];
      for (const [key, passedMs] of sequence) {
        nowMs += passedMs;
        noteReader(readers, `key-${key}`, ENDPOINT, nowMs);
        expect(readers.filter(({ keyName }) => keyName !== '').length).toBeLessThanOrEqual(8);
        expect(readers.length).toBeLessThanOrEqual(9);
        expect(new Set(readers.map(({ keyName }) => keyName)).size).toBe(readers.length);
        if (!needsTouch({ lastReadAtMs }, ENDPOINT, nowMs)) continue;
        lastReadAtMs = nowMs;
        writesMs = [...writesMs.filter((ms) => nowMs - ms <= DAY_MS), nowMs];
        expect(writesMs.length).toBeLessThanOrEqual(200);
      }
    }),
  );
});
