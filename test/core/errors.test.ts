// Tests of the error body (AIP-193). test/scripts/docs.test.ts holds the code and status of every reason to docs/reference/errors.md.
import { errorBody, ServiceError } from '../../functions/core/errors.ts';

const info = (reason: string): string =>
  `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"${reason}","domain":"saved-queries","metadata":{}}`;

it('an error body states when to retry, if that helps', () => {
  expect(errorBody(new ServiceError('JOBS_RUNNING', 'Text.'))).toBe(
    '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Text.","details":[' +
      `${info('JOBS_RUNNING')},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"5s"}]}}`,
  );
});

it('an error body lists every invalid parameter, in order', () => {
  const fieldViolations = [
    { field: 'project', description: 'is required and must not be empty' },
    { field: 'interval', description: 'must be given once' },
  ];
  expect(errorBody(new ServiceError('INVALID_PARAMETERS', 'Invalid.', { fieldViolations }))).toBe(
    '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid.","details":[' +
      `${info('INVALID_PARAMETERS')},` +
      '{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[' +
      '{"field":"project","description":"is required and must not be empty"},' +
      '{"field":"interval","description":"must be given once"}]}]}}',
  );
});
