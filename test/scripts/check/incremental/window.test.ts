// Tests of what `check` refuses of an endpoint with warming.incremental, because it reads other rows than those that it keeps, or than those that it reads anew.
import { changesIn, checkWith } from './change-sales.ts';

it.each(changesIn('window.txt'))('%s: %s', async (message, change) => {
  const said = await checkWith(change);
  if (message === 'passes') expect(said).toBe(message);
  else expect(`${said}\n`).toContain(`${message}\n`);
});
