// What is read once is read right each time after that.
import { resultIdentity } from '../functions/core/cache-key.ts';
import { parseParameters } from '../functions/core/parameters.ts';
import { loadCatalogue } from '../functions/catalogue.ts';
import { createParameterReader } from '../functions/parameter-reader.ts';
import { TEST_SCOPE } from './support/scope.ts';

const { endpoints } = loadCatalogue('sql');
const QUERY_STRINGS = [
  'project=abc&interval=daily',
  'project=abc&interval=hourly',
  'interval=daily&project=abc',
  'project=a%62c&interval=daily',
  `project=${'a'.repeat(100)}&interval=daily&ignored=${'b'.repeat(600)}`,
];

it('gives each endpoint and query string its own parameters, the second time as the first', () => {
  const readParameters = createParameterReader(TEST_SCOPE);
  for (const _round of [1, 2]) {
    for (const endpoint of endpoints) {
      for (const queryString of QUERY_STRINGS) {
        const parameters = parseParameters(endpoint, queryString);
        expect(readParameters(endpoint, queryString)).toEqual({
          parameters,
          identity: resultIdentity(TEST_SCOPE, endpoint, parameters),
        });
      }
    }
  }
});

it('refuses a faulty query string each time', () => {
  const readParameters = createParameterReader(TEST_SCOPE);
  const endpoint = endpoints.find(({ name }) => name === 'usage.api-counts');
  if (endpoint === undefined) throw new Error('no endpoint');
  for (const _round of [1, 2]) {
    expect(() => readParameters(endpoint, 'project=(&interval=daily')).toThrow(/project/);
  }
});
