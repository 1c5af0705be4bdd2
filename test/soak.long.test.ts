// A short soak test of twenty seconds; `npm run soak` takes ten minutes. Another seed gives other faults.
import { runScript } from './support/command.ts';

it('all answers are correct, in time and fresh while faults occur and an instance is paused', async () => {
  const options = ['--seconds', '20', '--seed', '5'];
  const { code, stdout, stderr } = await runScript('test/soak/soak.ts', options);
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Passed\n$/) as string,
  });
  // Half a minute, and more on a machine that is busy.
}, 300_000);

it('an old answer is found: with metadata that hides all changes of tables, the soak test fails', async () => {
  const { code, stdout } = await runScript('test/soak/soak.ts', ['--seconds', '180', '--control']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/VIOLATION stock\.\w+\?shop=\w: rows \d+ changes old, Age \d+/);
}, 300_000);
