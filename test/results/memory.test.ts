// Tests of the results in memory: what they count for, and when they are let go.
import type { Entry } from '../../functions/core/result-store.ts';
import { createMemory } from '../../functions/results/memory.ts';

const clock = { nowMs: () => Date.now(), wait: () => Promise.resolve() };
const entry = { body: Buffer.alloc(20), bodyBytes: 13 } as Entry;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('lets results go at the end of their time, without another request', () => {
  const memory = createMemory(clock, 1);
  memory.set('a', entry, 1000);
  memory.set('b', entry, 2000);
  const both = memory.bytes();
  jest.advanceTimersByTime(1500);
  expect(memory.bytes()).toBe(both / 2);
  jest.advanceTimersByTime(1000);
  expect(memory.bytes()).toBe(0);
});

// Timers run up to a millisecond early, and both are counted in whole milliseconds.
it('lets a result go whose timer runs when it is exactly as old as it may be', () => {
  let earlyMs = 0;
  const memory = createMemory({ ...clock, nowMs: () => Date.now() - earlyMs }, 1);
  memory.set('a', entry, 1000);
  earlyMs = 1;
  jest.advanceTimersByTime(2000);
  expect(memory.bytes()).toBe(0);
});

it('counts the objects of a small result too', () => {
  const memory = createMemory(clock, 1);
  for (let count = 0; count < 10_000; count += 1) memory.set(`small-${count}`, entry, 1000);
  expect(memory.bytes()).toBeLessThanOrEqual(1024 * 1024);
  expect(memory.get('small-9999')).toBe(entry);
  // 2 KB each: fewer than 500 of them fit.
  expect(memory.get('small-9500')).toBeUndefined();
});
