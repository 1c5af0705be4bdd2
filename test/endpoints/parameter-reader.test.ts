// Tests of the cache of query strings: a second request with the same query string gets the same parameters.
import { resultIdentity } from '../../functions/results/cache-key.ts';
import type { ParameterRule } from '../../functions/endpoints/parameter-rule.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { createParameterReader } from '../../functions/endpoints/parameter-reader.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

const { endpoints } = loadCatalogue(TEST_SQL);
const identify: Parameters<typeof createParameterReader>[0] = (endpoint, parameters) =>
  resultIdentity(TEST_SCOPE, endpoint, parameters);
const anyone = (): void => undefined;
const QUERY_STRINGS = [
  'project=abc&interval=daily',
  'project=abc&interval=hourly',
  'interval=daily&project=abc',
  'project=a%62c&interval=daily',
  `project=${'a'.repeat(100)}&interval=daily&ignored=${'b'.repeat(600)}`,
];

it('returns the parameters of each endpoint and query string, also on the second call', () => {
  const readParameters = createParameterReader(identify);
  for (const _round of [1, 2]) {
    for (const endpoint of endpoints) {
      for (const queryString of QUERY_STRINGS) {
        const parameters = parseParameters(endpoint, queryString);
        expect(readParameters(endpoint, queryString, anyone)).toEqual({
          parameters,
          identity: resultIdentity(TEST_SCOPE, endpoint, parameters),
          format: undefined,
        });
      }
    }
  }
});

it('returns the format of each query string, and the same identity for all formats', () => {
  const readParameters = createParameterReader(identify);
  const endpoint = endpoints.find(({ name }) => name === 'web.visit-counts') as Endpoint;
  const QUERY = 'project=abc&interval=daily';
  const identity = resultIdentity(TEST_SCOPE, endpoint, { project: 'abc', interval: 'daily' });
  for (const _round of [1, 2]) {
    for (const format of ['json', 'csv', 'ndjson', undefined]) {
      const queryString = format === undefined ? QUERY : `${QUERY}&format=${format}`;
      expect(readParameters(endpoint, queryString, anyone)).toMatchObject({ identity, format });
    }
  }
});

it('parses a query string again for another definition of the same name', () => {
  const readParameters = createParameterReader(identify);
  const endpoint = endpoints.find(({ name }) => name === 'web.visit-counts') as Endpoint;
  const QUERY = 'project=abc&interval=daily';
  expect(readParameters(endpoint, QUERY, anyone).parameters.interval).toBe('daily');
  const rule = endpoint.rules.get('interval') as ParameterRule;
  const rules = new Map(endpoint.rules).set('interval', { ...rule, check: () => 'is too often' });
  const changed = { ...endpoint, definitionDigest: 'changed', rules };
  expect(() => readParameters(changed, QUERY, anyone)).toThrow('interval is too often');
});

it('rejects an invalid query string on each call', () => {
  const readParameters = createParameterReader(identify);
  const endpoint = endpoints.find(({ name }) => name === 'web.visit-counts');
  if (endpoint === undefined) throw new Error('no endpoint');
  for (const _round of [1, 2]) {
    expect(() => readParameters(endpoint, 'project=(&interval=daily', anyone)).toThrow(/project/);
  }
});

describe('a pattern', () => {
  const endpoint = loadCatalogue(TEST_SQL).resolve('web.visit-counts') as Endpoint;

  /** The endpoint with a rule that counts what it is asked. */
  function counted(digest = 'digest'): { endpoint: Endpoint; asked: unknown[] } {
    const asked: unknown[] = [];
    const rule = endpoint.rules.get('project') as ParameterRule;
    const rules = new Map(endpoint.rules).set('project', {
      ...rule,
      check: (value) => {
        asked.push(value);
        return rule.check(value);
      },
    });
    return { endpoint: { ...endpoint, definitionDigest: digest, rules }, asked };
  }

  it('that is rejected is checked only once', () => {
    const readParameters = createParameterReader(identify);
    const { endpoint: counting, asked } = counted();
    for (const interval of ['daily', 'hourly', 'daily']) {
      expect(() => readParameters(counting, `project=(&interval=${interval}`, anyone)).toThrow(
        /^Invalid parameters: project is not a regular expression of RE2: .*missing closing \)/,
      );
    }
    expect(asked).toEqual(['(']);
  });

  it('is not rejected because another definition rejects it', () => {
    const readParameters = createParameterReader(identify);
    const [one, other] = [counted('one'), counted('other')];
    for (const { endpoint: counting, asked } of [one, other]) {
      expect(() => readParameters(counting, 'project=(&interval=daily', anyone)).toThrow(/project/);
      expect(asked).toEqual(['(']);
    }
  });

  it('that is rejected is evicted after 1,000 other patterns', () => {
    const readParameters = createParameterReader(identify);
    const { endpoint: counting, asked } = counted();
    const refuse = (pattern: string): void =>
      expect(() => readParameters(counting, `project=${pattern}&interval=daily`, anyone)).toThrow(
        /project/,
      );
    refuse('(');
    for (let index = 0; index < 1000; index += 1) refuse(`(${index}`);
    refuse('(');
    expect(asked).toHaveLength(1002);
  });

  it('is rejected but not cached if it exceeds the size limit', () => {
    const readParameters = createParameterReader(identify);
    const { endpoint: counting, asked } = counted();
    const pattern = '('.repeat(600_000);
    for (const _round of [1, 2]) {
      expect(() => readParameters(counting, `project=${pattern}&interval=daily`, anyone)).toThrow(
        /must NOT have more than 256 characters/,
      );
    }
    expect(asked).toHaveLength(2);
  });

  it('is not checked for a caller that may not use it, even after another caller has used it', () => {
    const readParameters = createParameterReader(identify);
    const { endpoint: counting, asked } = counted();
    const nobody = ({ project }: CanonicalParameters): void => {
      throw new Error(`not ${String(project)}`);
    };
    const QUERY = 'project=a(b)&interval=daily';
    expect(() => readParameters(counting, QUERY, nobody)).toThrow('not a(b)');
    expect(asked).toEqual([]);
    expect(readParameters(counting, QUERY, anyone).parameters.project).toBe('a(b)');
    expect(() => readParameters(counting, QUERY, nobody)).toThrow('not a(b)');
    expect(asked).toEqual(['a(b)']);
  });
});
