// `npm run docs`: the generated parts of the pages in docs/ are those of the code.
import { main } from '../docs/generate/docs.ts';
import { runCommand } from '../support/command.ts';

it('every page of docs/ is as generated from the code', async () => {
  expect(await runCommand(main, ['--check'])).toMatchObject({ code: 0 });
});
