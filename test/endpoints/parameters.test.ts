// Tests of query strings: how parameters are read, and which requests are refused before the cache and BigQuery.
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import type { ServiceError } from '../../functions/core/errors.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const STATS = loadCatalogue(TEST_SQL).resolve('tasks.run-stats') as Endpoint;

function endpointWith(parameters: Record<string, ParameterDefinition>): Endpoint {
  return new FakeSqlTree().endpoint({ parameters }).load();
}

function faultOf(endpoint: Endpoint, queryString: string): ServiceError {
  try {
    parseParameters(endpoint, queryString);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error(`${queryString} is accepted`);
}

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
      const error = faultOf(STATS, queryString);
      expect(error.reason).toBe('INVALID_PARAMETERS');
      expect(error.fieldViolations.map(({ field, description }) => [field, description])).toEqual(
        faults,
      );
      for (const [field, description] of faults) {
        expect(error.message).toContain(`${field} ${description}`);
      }
    },
  );

  it('accepts a project of 128 characters', () => {
    expect(parseParameters(STATS, `project=${'a'.repeat(128)}`).project).toHaveLength(128);
  });
});

describe('the query string', () => {
  const endpoint = endpointWith({ text: parameter(), other: parameter({ example: '' }) });

  it.each(cases<[string, string, string]>('texts'))(
    'is read with %s',
    (_name, queryString, text) => {
      expect(parseParameters(endpoint, queryString)).toEqual({ text, other: '' });
    },
  );

  it.each(cases<[string, string]>('malformed'))('is rejected with %s', (_name, queryString) => {
    expect(faultOf(endpoint, queryString)).toMatchObject({
      reason: 'MALFORMED_QUERY_STRING',
      message: 'The query string is not valid percent-encoded UTF-8.',
      fieldViolations: [],
    });
  });

  it('has at most 100 parameters, counting empty ones', () => {
    const undeclared = Array.from({ length: 99 }, (_, index) => `p${index}=1`).join('&');
    expect(parseParameters(endpoint, `text=a&${undeclared}`).text).toBe('a');
    for (const tooMany of [`text=a&more=1&${undeclared}`, '&'.repeat(100_000)]) {
      expect(faultOf(endpoint, tooMany)).toMatchObject({
        reason: 'MALFORMED_QUERY_STRING',
        message: 'The query string has more than 100 parameters.',
      });
    }
  });
});

describe('a declared parameter', () => {
  it('may be required and also have a default', () => {
    const endpoint = endpointWith({ text: parameter({ required: true, default: 'd' }) });
    expect(parseParameters(endpoint, '')).toEqual({ text: 'd' });
  });

  it.each(cases<[string, Partial<ParameterDefinition>, string, string]>('keywords'))(
    'is checked by %s',
    (_name, keywords, value, description) => {
      const endpoint = endpointWith({ text: parameter(keywords) });
      expect(faultOf(endpoint, `text=${value}`).fieldViolations).toEqual([
        { field: 'text', description },
      ]);
      expect(parseParameters(endpoint, '')).toEqual({ text: '' });
    },
  );
});
