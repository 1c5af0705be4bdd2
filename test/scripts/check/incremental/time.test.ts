// Tests of what `check` refuses of an endpoint with warming.incremental, because rows that are kept would be those of another time.
import { changesIn, checkWith } from './change-sales.ts';

it.each(changesIn('time.txt'))('%s: %s', async (message, change) => {
  const said = await checkWith(change);
  if (message === 'passes') expect(said).toBe(message);
  else expect(`${said}\n`).toContain(`${message}\n`);
});
