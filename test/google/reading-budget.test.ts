// Tests of the bound on the bytes that an instance reads at once.
import fc from 'fast-check';
import { type Reading, createReadingBudget } from '../../functions/google/reading-budget.ts';
import { FakeClock } from '../support/fake-clock.ts';

const never = new AbortController().signal;

/** Lets promises that are settled be noticed. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Notes what becomes of a take. */
function watch(taken: Promise<void> | undefined): { outcome: string } {
  const seen = { outcome: taken === undefined ? 'taken' : 'waiting' };
  taken?.then(
    () => (seen.outcome = 'taken'),
    (error: unknown) => (seen.outcome = (error as { reason: string }).reason),
  );
  return seen;
}

it('gives room at once as long as there is some', () => {
  const budget = createReadingBudget(10);
  const [a, b] = [budget.open(), budget.open()];
  expect(a.take(6, never)).toBeUndefined();
  expect(b.take(4, never)).toBeUndefined();
});

it('makes all wait but the one that has been reading longest', async () => {
  const budget = createReadingBudget(10);
  const [a, b, c] = [budget.open(), budget.open(), budget.open()];
  void a.take(5, never);
  void b.take(5, never);
  const second = watch(b.take(1, never));
  const third = watch(c.take(1, never));
  expect(a.take(7, never)).toBeUndefined();
  await settle();
  expect([second.outcome, third.outcome]).toEqual(['waiting', 'waiting']);
  expect([a.hasWaited(), b.hasWaited()]).toEqual([false, true]);
  a.close();
  await settle();
  expect([second.outcome, third.outcome]).toEqual(['taken', 'taken']);
});

it('lets a reader that has released all go behind the others', async () => {
  const budget = createReadingBudget(10);
  const [a, b] = [budget.open(), budget.open()];
  void a.take(5, never);
  void b.take(5, never);
  a.release(5);
  expect(b.take(20, never)).toBeUndefined();
  const waiting = watch(a.take(1, never));
  await settle();
  expect(waiting.outcome).toBe('waiting');
  b.close();
  await settle();
  expect(waiting.outcome).toBe('taken');
});

it('is busy for who waits when his time is over, and forgets him', async () => {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const budget = createReadingBudget(10);
  const [a, b, c] = [budget.open(), budget.open(), budget.open()];
  void a.take(10, never);
  const over = new AbortController();
  void clock.wait(3000).then(() => {
    over.abort();
  });
  const waiting = watch(b.take(5, over.signal));
  clock.advance(2999);
  await settle();
  expect(waiting.outcome).toBe('waiting');
  clock.advance(1);
  await settle();
  expect([waiting.outcome, b.hasWaited()]).toEqual(['INSTANCE_BUSY', true]);
  a.close();
  expect(c.take(10, never)).toBeUndefined();
});

it('takes nothing for a reader that is closed, or whose time is over', async () => {
  const budget = createReadingBudget(10);
  const reading = budget.open();
  reading.close();
  await expect(reading.take(1, never)).rejects.toMatchObject({ reason: 'INSTANCE_BUSY' });
  await expect(budget.open().take(1, AbortSignal.abort())).rejects.toMatchObject({
    reason: 'INSTANCE_BUSY',
  });
  expect(budget.open().take(10, never)).toBeUndefined();
});

it('never lets more be held than its bound and one result, and all get done or are busy', async () => {
  const reader = fc.record({
    beginMs: fc.nat(50),
    patienceMs: fc.integer({ min: 1, max: 200 }),
    parts: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 10 }),
    pauseMs: fc.nat(10),
    isReleasingAtOnce: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(reader, { maxLength: 12 }),
      fc.integer({ min: 10, max: 60 }),
      async (readers, bytesMax) => {
        const clock = new FakeClock('2026-11-20T10:00:00Z');
        const startMs = clock.nowMs();
        const budget = createReadingBudget(bytesMax);
        const held = readers.map(() => 0);
        const outcomes: string[] = [];
        const largest = Math.max(
          0,
          ...readers.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0)),
        );
        const check = (): void => {
          expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(
            bytesMax + largest,
          );
        };
        const readAll = async (index: number): Promise<void> => {
          const { beginMs, patienceMs, parts, pauseMs, isReleasingAtOnce } = readers[
            index
          ] as (typeof readers)[number];
          await clock.wait(beginMs);
          const over = new AbortController();
          void clock.wait(patienceMs).then(() => {
            over.abort();
          });
          const reading: Reading = budget.open();
          try {
            for (const part of parts) {
              await reading.take(part, over.signal);
              held[index] = (held[index] ?? 0) + part;
              check();
              await clock.wait(pauseMs);
              if (!isReleasingAtOnce) continue;
              held[index] -= part;
              reading.release(part);
            }
            outcomes[index] = 'done';
          } catch (error) {
            outcomes[index] = (error as { reason: string }).reason;
          }
          held[index] = 0;
          reading.close();
        };
        const all = Promise.all(readers.map((_, index) => readAll(index)));
        for (let ms = 0; ms <= 400; ms += 5) {
          await settle();
          clock.advance(5);
        }
        await all;
        expect(clock.nowMs() - startMs).toBeLessThan(500);
        for (const outcome of outcomes) expect(['done', 'INSTANCE_BUSY']).toContain(outcome);
        const last = budget.open();
        expect(last.take(bytesMax, never)).toBeUndefined();
        expect(budget.open().take(1, never)).toBeInstanceOf(Promise);
      },
    ),
    { numRuns: 60 },
  );
});
