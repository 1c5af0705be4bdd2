// Tests of the error that each failure of BigQuery becomes (https://cloud.google.com/bigquery/docs/error-messages).
import { ServiceError } from '../../functions/core/errors.ts';
import { classifyError, invalidAnswer } from '../../functions/bigquery/classify-error.ts';
import { QueryDataError } from '../../functions/core/query-runner.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

/** An error as the BigQuery client throws it. */
function apiError(code: number, reason?: string, message = 'BigQuery says so.'): Error {
  const errors = reason === undefined ? undefined : [{ reason, message }];
  return Object.assign(new Error(message), { code, errors });
}

describe('an error that the caller is told', () => {
  it.each([
    ...cases<[number, string, string, string]>('told').map(([code, said, reason, retry]) => {
      return { what: `${code} ${said}`, cause: apiError(code, said), reason, retry };
    }),
    ...[
      { what: '503 without a reason', cause: apiError(503) },
      { what: '408 without a reason', cause: apiError(408) },
      { what: 'an answer that is none', cause: invalidAnswer('HTML') },
    ].map((one) => ({ ...one, reason: 'QUERY_ENGINE_UNAVAILABLE', retry: 'call' })),
  ])('$what is $reason, retried: $retry', ({ cause, reason, retry }) => {
    const { error, ...others } = classifyError(cause);
    expect(error).toBeInstanceOf(ServiceError);
    expect({ ...others, reason: (error as ServiceError).reason }).toEqual({ reason, retry });
    expect(error.cause).toBe(cause);
    expect(error.message).not.toContain('BigQuery says so');
  });

  it.each([
    ['bytesBilledLimitExceeded', 'BYTES_BILLED_LIMIT'],
    ['rateLimitExceeded', 'QUERY_QUOTA_EXHAUSTED'],
    ['stopped', 'QUERY_DEADLINE_EXCEEDED'],
    ['responseTooLarge', 'RESULT_BYTES_LIMIT'],
  ])('is the most severe of several reasons: %s before a backend error', (reason, expected) => {
    const errors = [{ reason: 'backendError' }, { reason }];
    const cause = Object.assign(new Error('x'), { code: 500, errors });
    expect(classifyError(cause).error).toMatchObject({ reason: expected });
  });

  it('includes why the local BigQuery cannot run a query', () => {
    const message = 'Not run locally: the function F is not supported locally.';
    expect(classifyError(apiError(501, 'notRunLocally', message))).toMatchObject({
      error: { reason: 'NOT_RUN_LOCALLY', message },
      retry: 'never',
    });
  });

  it('does not blame the caller for a LIMIT that is neither a literal nor a parameter', () => {
    const message = 'LIMIT expects a non-negative integer literal or parameter at [1:20]';
    const cause = apiError(400, 'invalidQuery', message);
    expect(classifyError(cause).error).toBe(cause);
  });

  it("does not blame the caller's pattern for a backend error that quotes it", () => {
    const cause = apiError(500, 'backendError', 'Cannot parse regular expression: [a');
    expect(classifyError(cause).error).toMatchObject({ reason: 'QUERY_ENGINE_UNAVAILABLE' });
  });
});

describe('after the job was inserted', () => {
  it.each([
    ['a job that has vanished', apiError(404, 'notFound', 'Not found: Job p:US.1'), 'call'],
    ['a bare 404', apiError(404, undefined, 'x'), 'call'],
    ['a missing table', apiError(404, 'notFound', 'Not found: Table p:logs.t'), 'never'],
    ['a missing dataset', apiError(404, 'notFound', 'Not found: Dataset p:logs'), 'never'],
  ])('%s is retried only if the call can succeed', (_name, cause, retry) => {
    expect(classifyError(cause, true).retry).toBe(retry);
    expect(classifyError(cause, false)).toMatchObject({ error: cause, retry: 'never' });
  });

  it.each(['division by zero: 1 / 0', 'Cannot parse regular expression: missing ]: [a'])(
    'a rejected query is an error of its data: %s',
    (message) => {
      const cause = apiError(400, 'invalidQuery', message);
      const error = new QueryDataError(message);
      expect(classifyError(cause, true)).toEqual({ error, retry: 'never' });
      expect(classifyError(cause, false).error).toBe(cause);
    },
  );
});

describe('an error that is only logged', () => {
  it.each([
    ['a query that does not compile', apiError(400, 'invalidQuery', 'Syntax error at [1:8]')],
    ['a denied access', apiError(403, 'accessDenied')],
    ['a missing table', apiError(404, 'notFound')],
    ['an error of this service', new TypeError('x is not a function')],
    ['a code of the file system', Object.assign(new Error('x'), { code: 'ENOENT' })],
    // The caller's pattern is not to blame for a column that has changed its type.
    [
      'a REGEXP_CONTAINS of an INT64',
      apiError(
        400,
        'invalidQuery',
        'No matching signature for function REGEXP_CONTAINS for argument types: INT64, STRING',
      ),
    ],
  ])('%s is unchanged and not retried', (_name, cause) => {
    expect(classifyError(cause)).toEqual({ error: cause, retry: 'never' });
    expect(classifyError(cause).error).toBe(cause);
  });

  it.each([
    ['a string', 'gone'],
    ['an object', { code: 400 }],
  ])('%s that is thrown becomes an Error', (_name, cause) => {
    const classified = classifyError(cause);
    expect(classified.error).toBeInstanceOf(Error);
    expect(classified.error).not.toBeInstanceOf(ServiceError);
    expect(classified.retry).toBe('never');
  });
});
