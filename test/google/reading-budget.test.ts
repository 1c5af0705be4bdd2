// Tests of the bound on the bytes that an instance reads at once.
import fc from 'fast-check';
import { type Reading, createReadingBudget } from '../../functions/google/reading-budget.ts';
import { FakeClock } from '../support/clock.ts';

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

/** What one owner may hold of 16: three quarters. */
const ALONE = 12;

function createBudget(bytesMax = 16) {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  return { clock, budget: createReadingBudget(bytesMax, clock) };
}

it('makes all readers wait except the one that has been reading longest', async () => {
  const { budget } = createBudget();
  const [first, a, b] = [budget.open('a'), budget.open('a'), budget.open('a')];
  void first.take(5, never);
  void a.take(ALONE, never);
  const second = watch(a.take(1, never));
  const third = watch(b.take(1, never));
  expect(first.take(7, never)).toBeUndefined();
  await settle();
  expect([second.outcome, third.outcome]).toEqual(['waiting', 'waiting']);
  expect([first.isWaiting(), a.isWaiting()]).toEqual([false, true]);
  first.close();
  await settle();
  expect([second.outcome, third.outcome]).toEqual(['taken', 'taken']);
});

it('moves a reader that has released everything behind the others', async () => {
  const { budget } = createBudget();
  const [a, b] = [budget.open('a'), budget.open('a')];
  void a.take(5, never);
  void b.take(5, never);
  a.release(5);
  expect(b.take(20, never)).toBeUndefined();
  void a.take(ALONE, never);
  const waiting = watch(a.take(1, never));
  await settle();
  expect(waiting.outcome).toBe('waiting');
  b.close();
  await settle();
  expect(waiting.outcome).toBe('taken');
});

it('leaves room for other owners, even if many owners take all they can', () => {
  const { budget } = createBudget(1024);
  void budget.open('slow').take(1_000_000, never);
  for (const owner of ['a', 'b', 'c', 'd']) {
    const reading = budget.open(owner);
    while (reading.take(1, never) === undefined);
  }
  expect(budget.open('e').take(3, never)).toBeUndefined();
});

it('rejects a reader after a total wait of two seconds', async () => {
  const { clock, budget } = createBudget();
  const [first, a, b] = [budget.open('a'), budget.open('a'), budget.open('a')];
  void first.take(5, never);
  void a.take(ALONE, never);
  const waiting = watch(b.take(2, never));
  clock.advance(1500);
  a.release(2);
  await settle();
  expect(waiting.outcome).toBe('taken');
  const again = watch(b.take(2, never));
  clock.advance(499);
  await settle();
  expect(again.outcome).toBe('waiting');
  clock.advance(1);
  await settle();
  expect([again.outcome, b.isWaiting()]).toEqual(['INSTANCE_BUSY', false]);
});

// As in warming: nobody waits for the answer.
it('lets a reader without an owner wait until its run ends', async () => {
  const { clock, budget } = createBudget();
  const [first, a, b] = [budget.open(), budget.open(), budget.open()];
  void first.take(5, never);
  void a.take(ALONE, never);
  const over = new AbortController();
  const waiting = watch(b.take(1, over.signal));
  clock.advance(60_000);
  await settle();
  expect(waiting.outcome).toBe('waiting');
  over.abort();
  await settle();
  expect(waiting.outcome).toBe('INSTANCE_BUSY');
});

it('grants nothing to a reader that is closed or past its deadline', async () => {
  const { budget } = createBudget();
  const reading = budget.open('a');
  reading.close();
  await expect(reading.take(1, never)).rejects.toMatchObject({ reason: 'INSTANCE_BUSY' });
  await expect(budget.open('a').take(1, AbortSignal.abort())).rejects.toMatchObject({
    reason: 'INSTANCE_BUSY',
  });
  expect(budget.open('a').take(10, never)).toBeUndefined();
});

// A call may fail after its run has ended: its bytes are free already.
it('frees bytes once, even if a read fails after its run was closed', () => {
  const { budget } = createBudget();
  const [first, late] = [budget.open('a'), budget.open('a')];
  void first.take(1, never);
  void late.take(6, never);
  late.close();
  late.release(6);
  const next = budget.open('a');
  expect(next.take(ALONE, never)).toBeUndefined();
  expect(next.take(1, never)).toBeInstanceOf(Promise);
});

it('never exceeds its bound by more than one result, and every reader finishes or is rejected as busy', async () => {
  const reader = fc.record({
    beginMs: fc.nat(50),
    patienceMs: fc.integer({ min: 1, max: 200 }),
    parts: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 10 }),
    pauseMs: fc.nat(10),
    isReleasingAtOnce: fc.boolean(),
    owner: fc.constantFrom('a', 'b', undefined),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(reader, { maxLength: 12 }),
      fc.integer({ min: 10, max: 60 }),
      async (readers, bytesMax) => {
        const clock = new FakeClock('2026-11-20T10:00:00Z');
        const startMs = clock.nowMs();
        const budget = createReadingBudget(bytesMax, clock);
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
        const readAll = async (of: (typeof readers)[number], index: number): Promise<void> => {
          await clock.wait(of.beginMs);
          const over = new AbortController();
          void clock.wait(of.patienceMs).then(() => over.abort());
          const reading: Reading = budget.open(of.owner);
          try {
            for (const part of of.parts) {
              await reading.take(part, over.signal);
              held[index] = (held[index] ?? 0) + part;
              check();
              await clock.wait(of.pauseMs);
              if (!of.isReleasingAtOnce) continue;
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
        const all = Promise.all(readers.map(readAll));
        for (let ms = 0; ms <= 400; ms += 5) {
          await settle();
          clock.advance(5);
        }
        await all;
        expect(clock.nowMs() - startMs).toBeLessThan(500);
        for (const outcome of outcomes) expect(['done', 'INSTANCE_BUSY']).toContain(outcome);
        expect(budget.open('a').take(bytesMax, never)).toBeUndefined();
        const last = budget.open('a');
        expect(last.take(Math.floor((bytesMax * 3) / 4), never)).toBeUndefined();
        expect(last.take(1, never)).toBeInstanceOf(Promise);
      },
    ),
    { numRuns: 60 },
  );
});
