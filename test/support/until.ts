// Waits for a condition that another process or a server fulfils.
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves once the condition is true; rejects after 60 s. */
export async function until(isSo: () => boolean): Promise<void> {
  const tooLateMs = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > tooLateMs) throw new Error(`Still false after 60 s: ${isSo.toString()}`);
    await delay(5);
  }
}

/** Lets this process work on, with `step` before each turn, until the condition is true; rejects after 10 s. */
export async function turnsUntil(
  isSo: () => boolean,
  step: () => void = () => undefined,
  tooLate = `Still false after 10 s: ${isSo.toString()}`,
): Promise<void> {
  const tooLateMs = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > tooLateMs) throw new Error(tooLate);
    step();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The value of a promise, or its error; lets this process work on, with `step` before each turn, until it is settled. */
export async function turnsUntilDone<T>(promise: PromiseLike<T>, step: () => void): Promise<T> {
  let isSettled = false;
  const settled = Promise.resolve(promise).finally(() => (isSettled = true));
  settled.catch(() => undefined);
  const tooLate = 'The promise is not settled after 10 s: does it wait for a clock?';
  await turnsUntil(() => isSettled, step, tooLate);
  return settled;
}

/** Repeats `assertion`, such as an `expect`, until it holds; rejects with its last error after `timeoutMs`. */
export async function eventually(
  assertion: () => unknown,
  timeoutMs = 1000,
  intervalMs = 50,
): Promise<void> {
  const tooLateMs = Date.now() + timeoutMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (Date.now() > tooLateMs) throw error;
    }
    await delay(intervalMs);
  }
}
