// What is generated from the code is as the code says: the marked parts of the pages in docs/, and infra/settings.json.
import { outdatedFiles } from './generate/docs.ts';

it('npm run docs would change no file', async () => {
  expect([...(await outdatedFiles()).keys()]).toEqual([]);
});
