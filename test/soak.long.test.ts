// Twenty seconds of the soak; `npm run soak` is ten minutes of it.
import { runScript } from './support/command.ts';

it('answers right, in time and fresh while faults come and go', async () => {
  const { code, stdout, stderr } = await runScript('test/soak/soak.ts', ['--seconds', '20']);
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Passed\n$/) as string,
  });
});
