// Tests of what `check` refuses of an endpoint with warming.incremental, because rows of a bucket that are kept may depend on others.
import { changesIn, checkWith } from './change-sales.ts';

it.each(changesIn('buckets.txt'))('%s: %s', async (message, change) => {
  const said = await checkWith(change);
  if (message === 'passes') expect(said).toBe(message);
  else expect(`${said}\n`).toContain(`${message}\n`);
});
