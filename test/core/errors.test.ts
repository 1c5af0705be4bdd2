// Tests of the error body, and of the code and status of every reason (AIP-193).
import { type Reason, errorBody, REASONS, ServiceError } from '../../functions/core/errors.ts';

/** https://cloud.google.com/apis/design/errors#handling_errors, written down by hand. */
const TABLE: [Reason, number, string, number | undefined][] = [
  ['INVALID_PARAMETERS', 400, 'INVALID_ARGUMENT', undefined],
  ['MALFORMED_QUERY_STRING', 400, 'INVALID_ARGUMENT', undefined],
  ['BYTES_BILLED_LIMIT', 400, 'FAILED_PRECONDITION', undefined],
  ['RESULT_BYTES_LIMIT', 400, 'FAILED_PRECONDITION', undefined],
  ['API_KEY_INVALID', 401, 'UNAUTHENTICATED', undefined],
  ['PARAMETER_NOT_ALLOWED', 403, 'PERMISSION_DENIED', undefined],
  ['ORIGIN_NOT_ALLOWED', 403, 'PERMISSION_DENIED', undefined],
  ['ENDPOINT_NOT_FOUND', 404, 'NOT_FOUND', undefined],
  ['PATH_NOT_FOUND', 404, 'NOT_FOUND', undefined],
  ['METHOD_NOT_ALLOWED', 405, 'UNIMPLEMENTED', undefined],
  ['NOT_ACCEPTABLE', 406, 'INVALID_ARGUMENT', undefined],
  ['BODY_TOO_LARGE', 413, 'INVALID_ARGUMENT', undefined],
  ['KEY_LOOKUPS_EXHAUSTED', 429, 'RESOURCE_EXHAUSTED', 1],
  ['RATE_LIMITED', 429, 'RESOURCE_EXHAUSTED', 60],
  ['QUERY_QUOTA_EXHAUSTED', 429, 'RESOURCE_EXHAUSTED', 5],
  ['JOBS_RUNNING', 429, 'RESOURCE_EXHAUSTED', 5],
  ['INTERNAL', 500, 'INTERNAL', undefined],
  ['NOT_RUN_LOCALLY', 501, 'UNIMPLEMENTED', undefined],
  ['QUERY_RUNNING', 503, 'UNAVAILABLE', 5],
  ['INSTANCE_BUSY', 503, 'UNAVAILABLE', 5],
  ['INSTANCE_STOPPING', 503, 'UNAVAILABLE', 1],
  ['QUERY_ENGINE_UNAVAILABLE', 503, 'UNAVAILABLE', 5],
  ['KEY_STORE_UNAVAILABLE', 503, 'UNAVAILABLE', 5],
  ['RESULT_STORE_UNAVAILABLE', 503, 'UNAVAILABLE', 5],
  ['QUERY_DEADLINE_EXCEEDED', 504, 'DEADLINE_EXCEEDED', undefined],
];

describe('every error reason', () => {
  it('is in the table of this test', () => {
    expect(TABLE.map(([reason]) => reason).sort()).toEqual(Object.keys(REASONS).sort());
  });

  it.each(TABLE)('%s is %d %s', (reason, code, status, retryAfterSeconds) => {
    const error = new ServiceError(reason, 'Text.');
    const info = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason,
      domain: 'saved-queries',
      metadata: {},
    };
    const retry = {
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: `${retryAfterSeconds}s`,
    };
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(JSON.parse(errorBody(error))).toEqual({
      error: {
        code,
        status,
        message: 'Text.',
        details: retryAfterSeconds === undefined ? [info] : [info, retry],
      },
    });
  });
});

it('an error body lists every invalid parameter, in order', () => {
  const fieldViolations = [
    { field: 'project', description: 'is required and must not be empty' },
    { field: 'interval', description: 'must be given once' },
  ];
  expect(errorBody(new ServiceError('INVALID_PARAMETERS', 'Invalid.', { fieldViolations }))).toBe(
    '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid.","details":[' +
      '{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMETERS",' +
      '"domain":"saved-queries","metadata":{}},' +
      '{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[' +
      '{"field":"project","description":"is required and must not be empty"},' +
      '{"field":"interval","description":"must be given once"}]}]}}',
  );
});
