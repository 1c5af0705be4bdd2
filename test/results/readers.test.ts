// Tests of an entry's readers: which keys are recorded, and how often.
import fc from 'fast-check';
import type { Reader } from '../../functions/core/result-store.ts';
import { needsTouch, withReader } from '../../functions/results/readers.ts';

const ENDPOINT = { cachingSeconds: 900, cacheWarmingSeconds: 300 };
const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const HALF_MS = 150_000;

const reader = (keyName: string, agoMs: number): Reader => ({ keyName, readAtMs: NOW - agoMs });
const eight = (agoMs: number): Reader[] =>
  Array.from({ length: 8 }, (_, index) => reader(`key-${index}`, agoMs));

describe('a read', () => {
  it.each([
    ['by a reader who was recorded half an interval ago', [reader('a', HALF_MS)], HALF_MS, false],
    ['by one who was recorded before that', [reader('a', HALF_MS + 1)], 0, true],
    ['by one whose record is missing', [reader('b', 0)], 0, true],
    ['of an entry without a read in half an interval', [reader('a', 0)], HALF_MS + 1, true],
    ['by a ninth reader', eight(HALF_MS), 0, true],
    ['by a tenth reader', [reader('', HALF_MS), ...eight(HALF_MS)], 0, false],
    ['by a tenth reader, later', [reader('', HALF_MS + 1), ...eight(HALF_MS)], 0, true],
    [
      'by a ninth reader, where one of the eight is gone',
      [...eight(0).slice(1), reader('x', 900_001)],
      0,
      true,
    ],
  ])('%s must be recorded, or not', (_name, readers, lastReadAgoMs, expected) => {
    const entry = { readers, lastReadAtMs: NOW - lastReadAgoMs };
    expect(needsTouch(entry, 'a', ENDPOINT, NOW)).toBe(expected);
  });

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
    const nine = [reader('', 0), ...eight(900_000)];
    expect(withReader(eight(900_000), 'a', ENDPOINT, NOW)).toEqual(nine);
    expect(withReader(nine, 'b', ENDPOINT, NOW)).toEqual(nine);
  });
});

// A busy entry must not become a write with every read.
it('costs at most ten writes per half interval, however many keys read, and records at most eight readers', () => {
  const reads = fc.array(fc.tuple(fc.nat(19), fc.nat(5000)), { minLength: 20, maxLength: 400 });
  fc.assert(
    fc.property(reads, (sequence) => {
      let nowMs = NOW;
      let entry = { readers: [] as Reader[], lastReadAtMs: NOW };
      let writesMs: number[] = [];
      for (const [key, passedMs] of sequence) {
        nowMs += passedMs;
        if (!needsTouch(entry, `key-${key}`, ENDPOINT, nowMs)) continue;
        const readers = withReader(entry.readers, `key-${key}`, ENDPOINT, nowMs);
        entry = { readers, lastReadAtMs: nowMs };
        writesMs = [...writesMs.filter((ms) => nowMs - ms <= HALF_MS), nowMs];
        expect(writesMs.length).toBeLessThanOrEqual(10);
        expect(readers.filter(({ keyName }) => keyName !== '').length).toBeLessThanOrEqual(8);
        expect(readers.length).toBeLessThanOrEqual(9);
        expect(new Set(readers.map(({ keyName }) => keyName)).size).toBe(readers.length);
      }
    }),
  );
});
