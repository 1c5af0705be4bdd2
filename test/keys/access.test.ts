// Tests of the endpoints and parameter values that an API key may use, and of its end.
import { authoriseParameters, isValidKey, mayUseEndpoint } from '../../functions/keys/access.ts';
import { createParameterRule } from '../../functions/endpoints/parameter-rule.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { endpointDefinition, parameter } from '../support/sql/fake-sql-tree.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const PARAMETERS = { project: parameter(), function_id: parameter() };
const ENDPOINT = {
  ...endpointDefinition(),
  name: 'web.visit-counts',
  parameters: PARAMETERS,
  rules: new Map(
    Object.entries(PARAMETERS).map(([name, definition]) => [
      name,
      createParameterRule(definition, undefined),
    ]),
  ),
};

function key(fields: Partial<ApiKey>): ApiKey {
  return { name: 'test', endpoints: ['*'], ...fields };
}

describe('a key', () => {
  it.each([
    ['without an end', {}, true],
    ['that expires in a millisecond', { expiresAtMs: NOW + 1 }, true],
    ['that expires now', { expiresAtMs: NOW }, false],
    ['that has expired', { expiresAtMs: NOW - 1 }, false],
    ['that expired at the epoch', { expiresAtMs: 0 }, false],
    ['that is revoked now', { revokedAtMs: NOW }, false],
    ['that was revoked', { revokedAtMs: NOW - 1 }, false],
    ['that was revoked at the epoch', { revokedAtMs: 0 }, false],
    ['that will be revoked', { revokedAtMs: NOW + 1 }, true],
    ['revoked before it expires', { revokedAtMs: NOW - 1, expiresAtMs: NOW + 1 }, false],
    ['expired before it is revoked', { revokedAtMs: NOW + 1, expiresAtMs: NOW - 1 }, false],
  ])('%s: %j is valid: %s', (_name, fields, expected) => {
    expect(isValidKey(key(fields), NOW)).toBe(expected);
  });
});

describe('an endpoint', () => {
  it.each([
    ['*', ['*'], true],
    ['its name', ['web.visit-counts'], true],
    ['its name among others', ['tasks.run-stats', 'web.visit-counts'], true],
    ['another name', ['tasks.run-stats'], false],
    ['nothing', [], false],
    ['the beginning of its name', ['usage'], false],
    ['a wildcard in a name', ['usage.*'], false],
    ['its name in other letters', ['Usage.Api-Counts'], false],
    ['its id', ['11111111-2222-4333-8444-555555555555'], false],
  ])('is allowed to a key for %s: %j: %s', (_name, endpoints, expected) => {
    expect(mayUseEndpoint(key({ endpoints }), ENDPOINT)).toBe(expected);
  });
});

// A restricted key is one tenant's: whatever else passes shows that tenant the data of another.
describe('a parameter value', () => {
  const values = { project: 'abc', function_id: '' };

  it.each([
    ['by a key without restrictions', undefined, values],
    ['by a key that restricts nothing', {}, values],
    ['that is allowed', { project: ['abc'] }, values],
    ['that is one of those allowed', { project: ['def', 'abc'] }, values],
    ['that is empty, where empty is allowed', { function_id: [''] }, values],
  ])('is accepted %s', (_name, parameters, canonical) => {
    const restricted = parameters === undefined ? {} : { parameters };
    expect(() => authoriseParameters(key(restricted), ENDPOINT, canonical)).not.toThrow();
  });

  it.each([
    [{ project: ['def'] }, values, 'project'],
    [{ tenant: ['x'] }, values, 'tenant'],
    [{ tenant: [''] }, values, 'tenant'],
    [{ project: [] }, values, 'project'],
    [{ project: ['ABC'] }, values, 'project'],
    [{ project: ['abc'] }, { ...values, project: 'abcd' }, 'project'],
    [{ project: ['abc'] }, { ...values, project: 'ab.' }, 'project'],
    [{ project: ['abc'] }, { ...values, project: 'abc|.*' }, 'project'],
    [{ project: ['.*'] }, values, 'project'],
    [{ function_id: ['f'] }, values, 'function_id'],
    [{ function_id: ['f'] }, { project: 'abc' }, 'function_id'],
    [{ project: ['abc'], function_id: ['f'] }, { project: 'abc', function_id: 'g' }, 'function_id'],
  ])('is rejected: allowed %j, requested %j', (parameters, canonical, name) => {
    expect(() => authoriseParameters(key({ parameters }), ENDPOINT, canonical)).toThrow(
      expect.objectContaining({
        reason: 'PARAMETER_NOT_ALLOWED',
        message: `This API key may not use this value of the parameter ${name}.`,
      }) as Error,
    );
  });

  it('is rejected without naming it or the allowed values', () => {
    const parameters = { project: ['secret-tenant'] };
    expect(() =>
      authoriseParameters(key({ parameters }), ENDPOINT, { project: 'other-tenant' }),
    ).toThrow(/^(?!.*tenant)/);
  });
});

it('canonicalises each allowed value once, whatever a caller requests and how often', () => {
  const definition = parameter({ type: 'ARRAY<INT64>', example: '1' });
  const rule = createParameterRule(definition, undefined);
  const canonical = vi.fn((text: string) => rule.canonical(text));
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
