// Tests of query strings: how parameters are read, and which requests are refused before the cache and BigQuery.
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import type { ServiceError } from '../../functions/core/errors.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

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
  it.each([
    ['only the project', 'project=abc', 'abc', '', '1day'],
    ['every parameter', 'interval=5min&function_id=f-1&project=abc', 'abc', 'f-1', '5min'],
    ['an empty function_id as none', 'project=abc&function_id=', 'abc', '', '1day'],
    ['a name without = as empty', 'function_id&project=abc', 'abc', '', '1day'],
    ['an empty interval as its default', 'project=abc&interval=', 'abc', '', '1day'],
    ['an unlisted interval as 1day', 'project=abc&interval=3weeks', 'abc', '', '1day'],
    ['an interval in other letters as 1day', 'project=abc&interval=5MIN', 'abc', '', '1day'],
    ['an interval with a NUL as 1day', 'project=abc&interval=5min%00', 'abc', '', '1day'],
    ['undeclared parameters not at all', 'project=abc&debug=1&x=1&x=2&=x', 'abc', '', '1day'],
    ['empty pairs', '&&project=abc&', 'abc', '', '1day'],
    ['percent-encoding in names', '%70roject=abc', 'abc', '', '1day'],
  ])('reads %s', (_name, queryString, project, function_id, interval) => {
    expect(parseParameters(STATS, queryString)).toEqual({ project, function_id, interval });
  });

  it.each([
    ['', [['project', 'is required and must not be empty']]],
    ['project=', [['project', 'is required and must not be empty']]],
    ['project=a&project=b', [['project', 'must be given once']]],
    ['project=a&interval=x&interval=y', [['interval', 'must be given once']]],
    ['project=a%00b', [['project', 'must not contain a NUL character']]],
    ['project=a+b', [['project', 'must match pattern "^[A-Za-z0-9._:-]+$"']]],
    ['project=abc%0A', [['project', 'must match pattern "^[A-Za-z0-9._:-]+$"']]],
    [`project=${'a'.repeat(129)}`, [['project', 'must NOT have more than 128 characters']]],
    ['project=a&__proto__=x', [['__proto__', 'is a reserved name']]],
    ['project=a&constructor', [['constructor', 'is a reserved name']]],
    ['project=a&%70rototype=1', [['prototype', 'is a reserved name']]],
    [
      'project=&function_id=a%20b&interval=1hr&interval=1hr&__proto__=1',
      [
        ['project', 'is required and must not be empty'],
        ['function_id', 'must match pattern "^[A-Za-z0-9._:-]+$"'],
        ['interval', 'must be given once'],
        ['__proto__', 'is a reserved name'],
      ],
    ],
  ])('rejects %s, naming each invalid parameter', (queryString, faults) => {
    const error = faultOf(STATS, queryString);
    expect(error.reason).toBe('INVALID_PARAMETERS');
    expect(error.fieldViolations.map(({ field, description }) => [field, description])).toEqual(
      faults,
    );
    for (const [field, description] of faults) {
      expect(error.message).toContain(`${field} ${description}`);
    }
  });

  it('accepts a project of 128 characters', () => {
    expect(parseParameters(STATS, `project=${'a'.repeat(128)}`).project).toHaveLength(128);
  });
});

describe('the query string', () => {
  const endpoint = endpointWith({ text: parameter(), other: parameter({ example: '' }) });

  it.each([
    ['a plus as a space', 'text=a+b+', 'a b '],
    ['an encoded plus as a plus', 'text=a%2Bb', 'a+b'],
    ['everything after the first =', 'text=a=b==', 'a=b=='],
    ['an encoded ampersand', 'text=a%26b', 'a&b'],
    ['UTF-8', 'text=%E2%82%AC%F0%9F%98%80', '€😀'],
    ['lower-case hexadecimal', 'text=%e2%82%ac', '€'],
    ['a semicolon as itself', 'text=a;other=b', 'a;other=b'],
    ['blanks, which are not trimmed', 'text=+a+', ' a '],
    ['letter case unchanged', 'text=aB', 'aB'],
  ])('is read with %s', (_name, queryString, text) => {
    expect(parseParameters(endpoint, queryString)).toEqual({ text, other: '' });
  });

  it.each([
    ['a lone percent sign', 'text=100%'],
    ['a percent sign before other letters', 'text=%zz'],
    ['half a percent-encoding', 'text=a%2'],
    ['a byte that is not UTF-8', 'text=%FF'],
    ['half a character', 'text=%E2%82'],
    ['an overlong NUL', 'text=%C0%80'],
    ['a surrogate', 'text=%ED%A0%80'],
    ['a broken name', '%=1'],
    ['a broken value of an undeclared parameter', 'text=a&x=%'],
  ])('is rejected with %s', (_name, queryString) => {
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

  it.each([
    [
      'maxLength, in characters and not bytes',
      { maxLength: 1 },
      '%F0%9F%98%80a',
      'must NOT have more than 1 characters',
    ],
    ['format', { format: 'date', example: '2026-11-20' }, '2026-02-30', 'must match format "date"'],
    [
      'maxLength before a pattern, which JavaScript would try for half a minute',
      { maxLength: 24, pattern: '^([a-z0-9]+-?)+$' },
      `${'a'.repeat(31)}!`,
      'must NOT have more than 24 characters',
    ],
    [
      'a pattern that JavaScript would try for hours',
      { pattern: '^([a-z0-9]+-?)+$' },
      `${'a'.repeat(60)}!`,
      'must match pattern "^([a-z0-9]+-?)+$"',
    ],
  ])('is checked by %s', (_name, keywords, value, description) => {
    const endpoint = endpointWith({ text: parameter(keywords) });
    expect(faultOf(endpoint, `text=${value}`).fieldViolations).toEqual([
      { field: 'text', description },
    ]);
    expect(parseParameters(endpoint, '')).toEqual({ text: '' });
  });
});
