// Tests of the cache of query strings: a second request with the same query string gets the same parameters.
import { resultIdentity } from '../../functions/cache/cache-key.ts';
import type { ParameterRule } from '../../functions/endpoints/parameter-rule.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { createParameterReader } from '../../functions/endpoints/parameter-reader.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { testCatalogue } from '../support/sql/test-sql.ts';

const COUNTS = testCatalogue().resolve('web.visit-counts') as Endpoint;
const anyone = (): void => undefined;
const QUERY = 'project=abc&interval=daily';

const createReader = () =>
  createParameterReader((endpoint, parameters) => resultIdentity(TEST_SCOPE, endpoint, parameters));

it('returns the parameters and the format of each endpoint and query string, also on the second call', () => {
  const QUERY_STRINGS = [
    ...[QUERY, `${QUERY}&format=json`, `${QUERY}&format=csv`, `${QUERY}&format=ndjson`],
    'project=abc&interval=hourly',
    'interval=daily&project=abc',
    'project=a%62c&interval=daily',
    `${QUERY}&ignored=1`,
    `project=${'a'.repeat(100)}&interval=daily&ignored=${'b'.repeat(600)}`,
  ];
  const readParameters = createReader();
  for (const _round of [1, 2]) {
    for (const endpoint of testCatalogue().endpoints) {
      for (const queryString of QUERY_STRINGS) {
        const parameters = parseParameters(endpoint, queryString);
        expect(readParameters(endpoint, queryString, anyone)).toEqual({
          parameters,
          identity: resultIdentity(TEST_SCOPE, endpoint, parameters),
          format: /&format=(.*)/.exec(queryString)?.[1],
          unknown: queryString.includes('&ignored=')
            ? { header: 'ignored', log: 'ignored' }
            : undefined,
        });
      }
    }
  }
});

it('parses a query string again for another definition of the same name', () => {
  const readParameters = createReader();
  expect(readParameters(COUNTS, QUERY, anyone).parameters.interval).toBe('daily');
  const rule = COUNTS.rules.get('interval') as ParameterRule;
  const rules = new Map(COUNTS.rules).set('interval', { ...rule, check: () => 'is too often' });
  const changed = { ...COUNTS, definitionDigest: 'changed', rules };
  expect(() => readParameters(changed, QUERY, anyone)).toThrow('interval is too often');
});

describe('a pattern', () => {
  /** The endpoint with a rule that counts what it is asked. */
  function counted(digest = 'digest'): { endpoint: Endpoint; asked: unknown[] } {
    const asked: unknown[] = [];
    const rule = COUNTS.rules.get('project') as ParameterRule;
    const rules = new Map(COUNTS.rules).set('project', {
      ...rule,
      check: (value) => {
        asked.push(value);
        return rule.check(value);
      },
    });
    return { endpoint: { ...COUNTS, definitionDigest: digest, rules }, asked };
  }

  it('is not rejected because another definition rejects it', () => {
    const readParameters = createReader();
    const [one, other] = [counted('one'), counted('other')];
    for (const { endpoint: counting, asked } of [one, other]) {
      expect(() => readParameters(counting, 'project=(&interval=daily', anyone)).toThrow(/project/);
      expect(asked).toEqual(['(']);
    }
  });

  it('that is rejected is evicted after 1,000 other patterns', () => {
    const readParameters = createReader();
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
    const readParameters = createReader();
    const { endpoint: counting, asked } = counted();
    const pattern = '('.repeat(600_000);
    for (const _round of [1, 2]) {
      expect(() => readParameters(counting, `project=${pattern}&interval=daily`, anyone)).toThrow(
        /must NOT have more than 256 characters/,
      );
    }
    expect(asked).toHaveLength(2);
  });
});
