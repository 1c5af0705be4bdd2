// Tests of the bound on the bytes that an instance reads at once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { type MemoryShare, createMemoryBudget } from '../../functions/core/memory-budget.ts';
import { casesBeside } from '../support/cases.ts';
import { FakeClock } from '../support/clock.ts';

const cases = casesBeside(import.meta.filename);
const NOW = '2026-11-20T10:00:00Z';

it.each(cases<string[]>('readers'))('%s', async (_name, ...steps) => {
  const clock = new FakeClock(NOW);
  const openReading = createMemoryBudget(16, clock);
  /** Opens a reading, whose last take has an outcome that can be looked at. */
  const open = (owner?: string) => {
    const over = new AbortController();
    const reading = openReading(over.signal, owner);
    const seen = { outcome: '' };
    const take = (bytes: number) => {
      seen.outcome = 'waiting';
      reading.take(bytes).then(
        () => (seen.outcome = 'taken'),
        (error: unknown) => (seen.outcome = (error as { reason: string }).reason),
      );
    };
    return { ...reading, seen, take, close: () => over.abort() };
  };
  const parsed = steps.map((step) => step.split(' '));
  const names = new Set(parsed.flatMap(([who, act]) => (act === 'ms' ? [] : [who ?? ''])));
  const readers = new Map(
    [...names].map((name) => [name, open(name.replace(/\d/, '') || undefined)]),
  );
  for (const [index, [who = '', act = '', outcome]] of parsed.entries()) {
    const reader = readers.get(who);
    if (act === 'ms') clock.advance(Number(who));
    if (act === 'closes') reader?.close();
    if (act.startsWith('-')) reader?.release(-Number(act));
    if (act.startsWith('+')) reader?.take(Number(act));
    await nextTurn();
    if (act === 'waits' || act === 'reads') expect(reader?.isWaiting()).toBe(act === 'waits');
    if (outcome !== undefined) expect([index, reader?.seen.outcome]).toEqual([index, outcome]);
  }
});

it('leaves room for other owners, even if many owners take all they can', async () => {
  const openReading = createMemoryBudget(1024, new FakeClock(NOW));
  const open = (owner: string) => {
    const { take } = openReading(new AbortController().signal, owner);
    return (bytes: number) =>
      Promise.race([take(bytes).then(() => 'taken'), nextTurn('is waiting')]);
  };
  await open('slow')(1_000_000);
  for (const owner of ['a', 'b', 'c', 'd']) {
    const take = open(owner);
    while ((await take(8)) === 'taken');
  }
  expect(await open('e')(3)).toBe('taken');
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
        const clock = new FakeClock(NOW);
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
          await nextTurn();
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
