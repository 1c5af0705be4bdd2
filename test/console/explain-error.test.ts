// What the console says about errors: what to do, in the words of the form.
import {
  explainError,
  explainKeyError,
  namedValues,
} from '../../functions/console/explain-error.ts';
import { type Endpoint, RequestError } from '../../functions/console/service.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const STRING = 'STRING' as const;
const ENDPOINT = {
  parameters: [
    { name: 'project', ...parameter({ required: true }), type: STRING },
    { name: 'interval', ...parameter({ enum: ['1day', '7day'], default: '1day' }), type: STRING },
    { name: 'function_id', ...parameter(), type: STRING },
  ],
} as Endpoint;

const failed = (
  code: number,
  reason: string,
  more: { errorId?: string; retryAfterSeconds?: number } = {},
) => new RequestError('The message of the service.', { code, reason, ...more });

it.each([
  [
    failed(400, 'BYTES_BILLED_LIMIT'),
    'The query would read more than it may',
    'Choose a smaller interval, or fill in function_id. Then run again.',
  ],
  [
    failed(400, 'RESULT_BYTES_LIMIT'),
    'The result is larger than it may be',
    'Choose a smaller interval, or fill in function_id. Then run again.',
  ],
  [
    failed(504, 'QUERY_DEADLINE_EXCEEDED'),
    'The query took too long and was ended',
    'Choose a smaller interval, or fill in function_id. Then run again.',
  ],
  [
    failed(429, 'RATE_LIMITED', { retryAfterSeconds: 12 }),
    'This key has used up its calls for now',
    'Run again in 12 s.',
  ],
  [
    failed(429, 'QUERY_QUOTA_EXHAUSTED', { retryAfterSeconds: 5 }),
    'The queries are queuing up',
    'Run again in 5 s.',
  ],
  [
    failed(503, 'QUERY_ENGINE_UNAVAILABLE'),
    'Not available at the moment',
    'Your values are not the cause. Run again in a moment.',
  ],
  [
    failed(404, 'ENDPOINT_NOT_FOUND'),
    'This key does not open this endpoint',
    'Choose one from the list.',
  ],
  [
    failed(403, 'PARAMETER_NOT_ALLOWED'),
    'This key may not ask for these values',
    'The message of the service.',
  ],
  [failed(418, 'TEAPOT'), 'The service refused this', 'The message of the service.'],
])('explains %s', (error, title, text) => {
  expect(explainError(error, ENDPOINT, { project: ['p'] }, true)).toMatchObject({ title, text });
});

it('gives the id of an error that is not explained', () => {
  expect(explainError(failed(500, 'INTERNAL', { errorId: 'e-1' }), ENDPOINT, {}, true)).toEqual({
    title: 'Something failed in the service',
    text: 'Your values are not the cause. Run again in a moment. If it fails again, pass on this error id:',
    errorId: 'e-1',
  });
});

it('tells a device without a network from a service that does not answer', () => {
  const error = new RequestError('The service cannot be reached.');
  expect(explainError(error, ENDPOINT, {}, false).title).toBe('You are offline');
  expect(explainError(error, ENDPOINT, {}, true).title).toBe('The service does not answer');
});

it.each([
  [401, true, 'This key opens nothing here. Check that it is complete, or ask for a new one.'],
  [0, false, 'You are offline. Connect to the network. Then open again.'],
  [429, true, 'Too many wrong keys came from here. Wait 3 s and open again.'],
  [503, true, 'The service could not check the key. Open again in a moment.'],
])('explains HTTP %i for a key', (code, isOnline, text) => {
  const error = new RequestError('no', { code, retryAfterSeconds: 3 });
  expect(explainKeyError(error, isOnline)).toBe(text);
});

it('tells a key over its limit from a wrong one', () => {
  expect(explainKeyError(failed(429, 'RATE_LIMITED', { retryAfterSeconds: 40 }), true)).toBe(
    'This key has used up its calls for now. Wait 40 s and open again.',
  );
});

it('names what was asked for', () => {
  expect(namedValues(ENDPOINT, { project: ['p'], interval: [], function_id: ['f', 'g'] })).toBe(
    'project “p” and function_id “f, g”',
  );
  expect(namedValues(ENDPOINT, {})).toBe('');
});
