// Tests of query strings: how parameters are read, and which requests are refused before the cache and BigQuery.
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import type { ServiceError } from '../../functions/core/errors.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { endpointWith } from '../support/sql/fake-sql-tree.ts';
import { STATS } from '../support/world.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);
const faultLike = (fields: Partial<ServiceError>) => expect.objectContaining(fields) as Error;

describe('tasks.run-stats', () => {
  it.each(cases<[string, string, string, string, string]>('read'))(
    'reads %s',
    (_name, queryString, project, function_id, interval) => {
      expect(parseParameters(STATS, queryString)).toEqual({ project, function_id, interval });
    },
  );

  it.each(cases<[string, [string, string][]]>('rejected'))(
    'rejects %s, naming each invalid parameter',
    (queryString, faults) => {
      const read = () => parseParameters(STATS, queryString);
      const fieldViolations = faults.map(([field, description]) => ({ field, description }));
      expect(read).toThrow(faultLike({ reason: 'INVALID_PARAMETERS', fieldViolations }));
      for (const [field, description] of faults) expect(read).toThrow(`${field} ${description}`);
    },
  );

  it('accepts a project of 128 characters', () => {
    expect(parseParameters(STATS, `project=${'a'.repeat(128)}`).project).toHaveLength(128);
  });
});

describe('the query string', () => {
  const endpoint = endpointWith({ text: {}, other: { example: '' } });

  it.each(cases<[string, string, string]>('texts'))(
    'is read with %s',
    (_name, queryString, text) => {
      expect(parseParameters(endpoint, queryString)).toEqual({ text, other: '' });
    },
  );

  it.each(cases<[string, string]>('malformed'))('is rejected with %s', (_name, queryString) => {
    const message = 'The query string is not valid percent-encoded UTF-8.';
    expect(() => parseParameters(endpoint, queryString)).toThrow(
      faultLike({ reason: 'MALFORMED_QUERY_STRING', message, fieldViolations: [] }),
    );
  });

  it('has at most 100 parameters, counting empty ones', () => {
    const undeclared = Array.from({ length: 99 }, (_, index) => `p${index}=1`).join('&');
    expect(parseParameters(endpoint, `text=a&${undeclared}`).text).toBe('a');
    for (const tooMany of [`text=a&more=1&${undeclared}`, '&'.repeat(100_000)]) {
      const message = 'The query string has more than 100 parameters.';
      expect(() => parseParameters(endpoint, tooMany)).toThrow(
        faultLike({ reason: 'MALFORMED_QUERY_STRING', message }),
      );
    }
  });
});

it('a declared parameter may be required and also have a default', () => {
  const endpoint = endpointWith({ text: { required: true, default: 'd' } });
  expect(parseParameters(endpoint, '')).toEqual({ text: 'd' });
});

it.each(cases<[string, Partial<ParameterDefinition>, string, string]>('keywords'))(
  'a declared parameter is checked by %s',
  (_name, keywords, value, description) => {
    const endpoint = endpointWith({ text: keywords });
    const fault = faultLike({ fieldViolations: [{ field: 'text', description }] });
    expect(() => parseParameters(endpoint, `text=${value}`)).toThrow(fault);
    expect(parseParameters(endpoint, '')).toEqual({ text: '' });
  },
);
