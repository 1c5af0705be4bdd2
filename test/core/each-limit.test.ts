// Tests of bounded concurrency: order of the items, and the end after an error.
import { eachLimit } from '../../functions/core/each-limit.ts';

it('starts the items in order, with at most the given number at a time', async () => {
  const begun: number[] = [];
  let running = 0;
  let runningMax = 0;
  await eachLimit([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    running += 1;
    runningMax = Math.max(runningMax, running);
    await new Promise(setImmediate);
    running -= 1;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(runningMax).toBe(2);
});

it('starts no item after an error, and rejects with it once the running items have ended', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const slow = Promise.withResolvers<void>();
  let isSettled = false;
  const work = eachLimit([1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error('the second fails');
    await slow.promise;
    ended.push(item);
  });
  const outcome = expect(work).rejects.toThrow('the second fails');
  void work.catch(() => undefined).then(() => (isSettled = true));
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  slow.resolve();
  await outcome;
  expect([begun, ended]).toEqual([[1, 2], [1]]);
});
