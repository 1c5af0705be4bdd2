// Tests of the estimate of Firestore's time while the local clock is wrong.
import { Timestamp } from '@google-cloud/firestore';
import fc from 'fast-check';
import { createFirestoreClock } from '../../functions/google/firestore-clock.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

/** An own clock, and answers that Firestore's clock stamps while they are on their way. */
class World {
  ownMs = NOW;
  readonly clock = createFirestoreClock({ nowMs: () => this.ownMs });

  offsetMs: number;

  constructor(offsetMs: number) {
    this.offsetMs = offsetMs;
  }

  /** A call that takes `thereMs` until Firestore states its time and `backMs` from then on. */
  async call(thereMs: number, backMs: number): Promise<void> {
    await this.clock.observe(() => {
      this.ownMs += thereMs;
      const stated = Timestamp.fromMillis(this.ownMs + this.offsetMs);
      this.ownMs += backMs;
      return Promise.resolve({ readTime: stated });
    });
  }

  /** What the clock is wrong by. */
  errorMs(): number {
    return this.clock.nowMs() - (this.ownMs + this.offsetMs);
  }
}

async function observe(
  ownMs: [sent: number, received: number],
  answer: { readTime: Timestamp } | { writeTime: Timestamp },
): Promise<number> {
  let nowMs = ownMs[0];
  const clock = createFirestoreClock({ nowMs: () => nowMs });
  await clock.observe(() => {
    nowMs = ownMs[1];
    return Promise.resolve(answer);
  });
  nowMs = NOW;
  return clock.nowMs() - NOW;
}

it.each([
  ['fast by 120 s', NOW + 120_000, 119_900],
  ['slow by 120 s', NOW - 120_000, -120_000],
  ['between sending and receiving', NOW + 40, 0],
  ['the moment of sending', NOW, 0],
  ['the moment of receiving', NOW + 100, 0],
  ['just after receiving', NOW + 101, 1],
  ['just before sending', NOW - 1, -1],
])('moves only as far as an answer proves: Firestore %s', async (_name, stated, offset) => {
  const at = Timestamp.fromMillis(stated);
  expect(await observe([NOW, NOW + 100], { readTime: at })).toBe(offset);
  // A write that changed nothing states an earlier time than its own.
  expect(await observe([NOW, NOW + 100], { writeTime: at })).toBe(Math.max(0, offset));
});

it.each([
  ['states no time', { readTime: undefined as unknown as Timestamp }],
  ['states the epoch', { readTime: Timestamp.fromMillis(0) }],
  ['states a time that no clock shows', { writeTime: Timestamp.fromMillis(1_000_000_000_000) }],
])('ignores an answer that %s', async (_name, answer) => {
  expect(await observe([NOW, NOW + 100], answer)).toBe(0);
});

it('ignores a call during which the local clock was set back', async () => {
  const at = Timestamp.fromMillis(NOW + 120_000);
  expect(await observe([NOW, NOW - 50], { readTime: at })).toBe(0);
});

it('ignores a failed call, and passes on its error', async () => {
  const clock = createFirestoreClock({ nowMs: () => NOW });
  await expect(clock.observe(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(clock.nowMs()).toBe(NOW);
});

it('is wrong by at most the duration of one call, and its error never grows', async () => {
  const calls = fc.array(fc.tuple(fc.nat(30_000), fc.nat(30_000)), { maxLength: 30 });
  // Clocks that agree stay so.
  const offset = fc.oneof(fc.constant(0), fc.integer({ min: -300_000, max: 300_000 }));
  await fc.assert(
    fc.asyncProperty(offset, calls, async (offsetMs, taken) => {
      const world = new World(offsetMs);
      let lastErrorMs = Math.abs(world.errorMs());
      for (const [thereMs, backMs] of taken) {
        await world.call(thereMs, backMs);
        const errorMs = Math.abs(world.errorMs());
        expect(errorMs).toBeLessThanOrEqual(Math.min(lastErrorMs, Math.max(thereMs, backMs)));
        lastErrorMs = errorMs;
      }
    }),
  );
});

it('corrects itself with the next answer after the local clock was set', async () => {
  const world = new World(0);
  await world.call(5, 5);
  // The machine's clock jumps an hour ahead of Firestore's.
  world.ownMs += 3_600_000;
  world.offsetMs -= 3_600_000;
  expect(world.errorMs()).toBe(3_600_000);
  await world.call(5, 7);
  expect(world.errorMs()).toBe(5);
});
