// Tests of the time limit for remote calls.
import { withDeadline } from '../../functions/core/clock.ts';
import { FakeClock } from '../support/clock.ts';

const late = (): Error => new Error('late');

it.each([0, -1])('withDeadline rejects immediately when given %d ms', async (ms) => {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const outcome = withDeadline(clock, ms, new Promise(() => undefined), late);
  clock.advance(0);
  await expect(outcome).rejects.toThrow('late');
});

it('withDeadline ignores an error of the work after the deadline', async () => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listen);
  try {
    const clock = new FakeClock('2026-11-20T10:00:00Z');
    const work = Promise.withResolvers<number>();
    const outcome = withDeadline(clock, 100, work.promise, late);
    clock.advance(100);
    await expect(outcome).rejects.toThrow('late');
    work.reject(new Error('broken much later'));
    // Unhandled rejections are reported once the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', listen);
  }
});

it('withDeadline stops its timer when the work is done, and then creates no error', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const watched = {
    nowMs: () => clock.nowMs(),
    wait: (ms: number, signal?: AbortSignal) => {
      signals.push(signal);
      return clock.wait(ms, signal);
    },
  };
  const error = jest.fn(late);
  await withDeadline(watched, 100, Promise.resolve(1), error);
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(error).not.toHaveBeenCalled();
});
