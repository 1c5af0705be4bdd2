// Tests of the results in memory: how their size is counted, and when they are removed.
import type { Entry } from '../../functions/core/result-store.ts';
import { createMemory } from '../../functions/cache/memory.ts';

const clock = { nowMs: () => Date.now(), wait: () => Promise.resolve() };
const entry = { body: Buffer.alloc(20), bodyBytes: 13 } as Entry;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('evicts results within a second of their end, without another request', () => {
  const memory = createMemory(clock, 1, jest.fn());
  memory.set('a', entry, 1000);
  memory.set('b', entry, 2000);
  const both = memory.bytes();
  jest.advanceTimersByTime(2000);
  expect(memory.bytes()).toBe(both / 2);
  jest.advanceTimersByTime(1000);
  expect(memory.bytes()).toBe(0);
});

// A timer for each of them was seen to miss some: it ran when they were exactly as old as they may be.
it('evicts many results stored at different times, and then has no timer', () => {
  const memory = createMemory(clock, 64, jest.fn());
  for (let count = 0; count < 3000; count += 1) {
    memory.set(`small-${count}`, entry, 1000 + (count % 7));
    if (count % 10 === 0) jest.advanceTimersByTime(1);
  }
  jest.advanceTimersByTime(2000);
  expect(memory.bytes()).toBe(0);
  expect(jest.getTimerCount()).toBe(0);
});

it('counts the object overhead of small results', () => {
  const memory = createMemory(clock, 1, jest.fn());
  for (let count = 0; count < 10_000; count += 1) memory.set(`small-${count}`, entry, 1000);
  expect(memory.bytes()).toBeLessThanOrEqual(1024 * 1024);
  expect(memory.get('small-9999')).toBe(entry);
  // 2 KB each: fewer than 500 of them fit.
  expect(memory.get('small-9500')).toBeUndefined();
});

it('keeps one result of 8 MiB, and forgets nothing for one that is larger than the memory', () => {
  const memory = createMemory(clock, 64, jest.fn());
  for (const mib of [8, 16]) {
    const body = Buffer.alloc(mib * 1024 * 1024);
    // Kept uncompressed too, and in two other forms.
    memory.set(`${mib} MiB`, { body, bodyBytes: body.length + 1 } as Entry, 1000);
  }
  expect(memory.get('8 MiB')).toBeDefined();
  expect(memory.get('16 MiB')).toBeUndefined();
});

it('runs the garbage collector once after large results, or all of many, were evicted', () => {
  const collectGarbage = jest.fn();
  const memory = createMemory(clock, 128, collectGarbage);
  const keep = (bytes: number, results: number): void => {
    const of = { body: Buffer.alloc(bytes), bodyBytes: bytes } as Entry;
    for (let count = 0; count < results; count += 1) memory.set(`${bytes}-${count}`, of, 1000);
    jest.advanceTimersByTime(3000);
  };
  memory.set('kept', entry, 10_000);
  keep(100_000, 100);
  keep(6_000_000, 2);
  expect(collectGarbage).not.toHaveBeenCalled();
  keep(6_000_000, 3);
  expect(collectGarbage).toHaveBeenCalledTimes(1);
  // 30 MB that are not large, and are all that there was.
  keep(100_000, 100);
  expect(collectGarbage).toHaveBeenCalledTimes(2);
  keep(100_000, 1);
  expect(collectGarbage).toHaveBeenCalledTimes(2);
});
