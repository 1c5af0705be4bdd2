// Tests of the bound on the bytes that an instance reads at once.
import fc from 'fast-check';
import { type MemoryShare, createMemoryBudget } from '../../functions/core/memory-budget.ts';
import { FakeClock } from '../support/clock.ts';

/** Lets promises that are settled be noticed. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What one owner may hold of 16: three quarters. */
const ALONE = 12;

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock('2026-11-20T10:00:00Z');
});

/** Opens readings, whose takes have an outcome that can be looked at. */
function createBudget(bytesMax = 16) {
  const openReading = createMemoryBudget(bytesMax, clock);
  return (owner?: string) => {
    const over = new AbortController();
    const reading = openReading(over.signal, owner);
    const take = async (bytes: number) => {
      const seen = { outcome: 'waiting' };
      reading.take(bytes).then(
        () => (seen.outcome = 'taken'),
        (error: unknown) => (seen.outcome = (error as { reason: string }).reason),
      );
      await settle();
      return seen;
    };
    return { ...reading, take, close: () => over.abort() };
  };
}

it('makes all readers wait except the one that has been reading longest', async () => {
  const open = createBudget();
  const [first, a, b] = [open('a'), open('a'), open('a')];
  await first.take(5);
  await a.take(ALONE);
  const second = await a.take(1);
  const third = await b.take(1);
  expect(await first.take(7)).toEqual({ outcome: 'taken' });
  expect([second.outcome, third.outcome]).toEqual(['waiting', 'waiting']);
  expect([first.isWaiting(), a.isWaiting()]).toEqual([false, true]);
  first.close();
  await settle();
  expect([second.outcome, third.outcome]).toEqual(['taken', 'taken']);
});

it('moves a reader that has released everything behind the others', async () => {
  const open = createBudget();
  const [a, b] = [open('a'), open('a')];
  await a.take(5);
  await b.take(5);
  a.release(5);
  expect(await b.take(20)).toEqual({ outcome: 'taken' });
  await a.take(ALONE);
  const waiting = await a.take(1);
  expect(waiting.outcome).toBe('waiting');
  b.close();
  await settle();
  expect(waiting.outcome).toBe('taken');
});

it('gives room to those that have waited longest, once for all of it', async () => {
  const open = createBudget();
  const [first, a, ...waiting] = [open(), open('a'), open('b'), open('c'), open('d')];
  await first.take(5);
  await a.take(ALONE);
  const taken = [];
  for (const one of waiting) taken.push(await one.take(5));
  a.release(6);
  await settle();
  expect(taken.map(({ outcome }) => outcome)).toEqual(['taken', 'waiting', 'waiting']);
  a.release(6);
  await settle();
  expect(taken.map(({ outcome }) => outcome)).toEqual(['taken', 'taken', 'waiting']);
});

it('leaves room for other owners, even if many owners take all they can', async () => {
  const open = createBudget(1024);
  await open('slow').take(1_000_000);
  for (const owner of ['a', 'b', 'c', 'd']) {
    const reading = open(owner);
    while ((await reading.take(8)).outcome === 'taken');
  }
  expect(await open('e').take(3)).toEqual({ outcome: 'taken' });
});

it('rejects a reader after a total wait of two seconds', async () => {
  const open = createBudget();
  const [first, a, b] = [open('a'), open('a'), open('a')];
  await first.take(5);
  await a.take(ALONE);
  const waiting = await b.take(2);
  clock.advance(1500);
  a.release(2);
  await settle();
  expect(waiting.outcome).toBe('taken');
  const again = await b.take(2);
  clock.advance(499);
  await settle();
  expect(again.outcome).toBe('waiting');
  clock.advance(1);
  await settle();
  expect([again.outcome, b.isWaiting()]).toEqual(['INSTANCE_BUSY', false]);
});

// As in warming: nobody waits for the answer.
it('lets a reader without an owner wait until its run ends', async () => {
  const open = createBudget();
  const [first, a, b] = [open(), open(), open()];
  await first.take(5);
  await a.take(ALONE);
  const waiting = await b.take(1);
  clock.advance(60_000);
  await settle();
  expect(waiting.outcome).toBe('waiting');
  b.close();
  await settle();
  expect(waiting.outcome).toBe('INSTANCE_BUSY');
});

it('grants nothing to a reader that is closed', async () => {
  const open = createBudget();
  const reading = open('a');
  reading.close();
  expect(await reading.take(1)).toEqual({ outcome: 'INSTANCE_BUSY' });
  expect(await open('a').take(10)).toEqual({ outcome: 'taken' });
});

// A call may fail after its run has ended: its bytes are free already.
it('frees bytes once, even if a read fails after its run was closed', async () => {
  const open = createBudget();
  const [first, late] = [open('a'), open('a')];
  await first.take(1);
  await late.take(6);
  late.close();
  late.release(6);
  const next = open('a');
  expect(await next.take(ALONE)).toEqual({ outcome: 'taken' });
  expect(await next.take(1)).toEqual({ outcome: 'waiting' });
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
        const startMs = clock.nowMs();
        const openReading = createMemoryBudget(bytesMax, clock);
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
          over.signal.addEventListener('abort', () => (held[index] = 0));
          void clock.wait(of.patienceMs).then(() => over.abort());
          const reading: MemoryShare = openReading(over.signal, of.owner);
          try {
            for (const part of of.parts) {
              await reading.take(part);
              held[index] = (held[index] ?? 0) + part;
              check();
              await clock.wait(of.pauseMs);
              if (!of.isReleasingAtOnce || over.signal.aborted) continue;
              held[index] -= part;
              reading.release(part);
            }
            outcomes[index] = 'done';
          } catch (error) {
            outcomes[index] = (error as { reason: string }).reason;
          }
          over.abort();
        };
        const all = Promise.all(readers.map(readAll));
        for (let ms = 0; ms <= 400; ms += 5) {
          await settle();
          clock.advance(5);
        }
        await all;
        expect(clock.nowMs() - startMs).toBeLessThan(500);
        for (const outcome of outcomes) expect(['done', 'INSTANCE_BUSY']).toContain(outcome);
        const [first, last] = ['a', 'a'].map((owner) =>
          openReading(new AbortController().signal, owner),
        );
        await first?.take(bytesMax);
        await last?.take(Math.floor((bytesMax * 3) / 4));
        last?.take(1).catch(() => undefined);
        expect(last?.isWaiting()).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
