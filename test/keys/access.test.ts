// Tests of the endpoints and parameter values that an API key may use, and of its end. See also typed-restrictions.test.ts.
import { authoriseParameters, isValidKey, mayUseEndpoint } from '../../functions/keys/access.ts';
import { createParameterRule } from '../../functions/endpoints/parameter-rule.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const NOW = Date.parse('2026-11-20T10:00:00Z');
const ENDPOINT = { name: 'web.visit-counts' };

const key = (fields: Partial<ApiKey>): ApiKey => ({ name: 'test', endpoints: ['*'], ...fields });

it.each(cases<[string, object, boolean]>('valid'))(
  'a key %s: %j is valid: %s',
  (_name, fields, expected) => {
    expect(isValidKey(key(fields), NOW)).toBe(expected);
  },
);

it.each([
  ['the beginning of its name', ['web'], false],
  ['its group', ['web.*'], true],
  ['another group', ['we.*', 'web.visit.*', 'tasks.*'], false],
  ['a wildcard in a name', ['web.visit-*', '*.visit-counts', 'web*', 'web.**'], false],
  ['its name in other letters', ['Web.Visit-Counts'], false],
  ['its id', ['11111111-2222-4333-8444-555555555555'], false],
])('an endpoint is allowed to a key for %s: %j: %s', (_name, endpoints, expected) => {
  expect(mayUseEndpoint(key({ endpoints }), ENDPOINT)).toBe(expected);
});

it('canonicalises each allowed value once, whatever a caller requests and how often', () => {
  const definition = parameter({ type: 'ARRAY<INT64>', example: '1' });
  const rule = createParameterRule(definition, undefined);
  const canonical = jest.fn((text: string) => rule.canonical(text));
  const endpoint = { rules: new Map([['p', { ...rule, canonical }]]) };
  const allowed = Array.from({ length: 1000 }, (_, index) => `0${index}`);
  const restricted = key({ parameters: { p: allowed } });
  const ask = (text: string) => (): void =>
    authoriseParameters(restricted, endpoint, { p: Array<string>(100).fill(text) });
  ask('999')();
  expect(ask('1000')).toThrow('may not use this value of the parameter p');
  ask('0')();
  expect(canonical).toHaveBeenCalledTimes(1000);
});
