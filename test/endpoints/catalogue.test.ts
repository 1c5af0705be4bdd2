// Tests of the file that `sql/` is compiled into: what is served from it, and which file is refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCatalogue, readCompiled } from '../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { compileCatalogue, loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { testFirestore } from '../support/service/firestore-emulators.ts';
import { runFunction } from '../support/service/running-function.ts';
import { testDirectory } from '../support/temporary-directory.ts';

const file = join(testDirectory('compiled-'), 'catalogue.json');

it.each(['sql', 'test/sql'])('contains every endpoint of %s as defined', (sql) => {
  /** Functions cannot be compared, so the rules are compared by what they make of a text. */
  function comparable({ rules, ...endpoint }: Endpoint): object {
    const read = [...rules].map(([name, rule]) => [name, rule.type, rule.read(['1day'])]);
    return { endpoint, read };
  }

  const loaded = loadCatalogue(sql);
  writeFileSync(file, compileCatalogue(loaded));
  const served = createCatalogue(readCompiled(file));
  expect(served.endpoints.map(comparable)).toEqual(loaded.endpoints.map(comparable));
  // The order of fields is part of what is served.
  expect(JSON.stringify(served.endpoints)).toBe(JSON.stringify(loaded.endpoints));
});

it.each([
  ['without a version', '{"endpoints":[]}', 'is of version undefined'],
  ['that is a list', '[]', 'is of version undefined'],
  ['that is cut off', '{"version":2,"endp', 'cannot be read: '],
])('rejects a file %s', (_name, text, expected) => {
  writeFileSync(file, text);
  expect(() => readCompiled(file)).toThrow(`The compiled catalogue ${file} ${expected}`);
});

it('a file of another version stops an instance at startup, with one line that explains what to do', async () => {
  writeFileSync(file, '{"version":0,"endpoints":[]}');
  const started = runFunction({
    target: 'query',
    firestore: testFirestore(),
    bigQueryUrl: 'http://127.0.0.1:1',
    env: { CATALOGUE: file },
  });
  await expect(started).rejects.toThrow(
    `The compiled catalogue ${file} is of version 0, and these functions read version 7: compile it again with npm run bundle.`,
  );
});
