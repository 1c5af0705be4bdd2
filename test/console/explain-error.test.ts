// How the console explains errors: what to do, in the words of the form.
import {
  explainError,
  explainKeyError,
  explainRefusal,
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

const MESSAGE = 'The message of the service.';
const failed = (
  code: number,
  reason: string,
  more: { errorId?: string; retryAfterSeconds?: number } = {},
) => new RequestError(MESSAGE, { code, reason, ...more });

const NARROWER = 'Choose a smaller interval, or fill in function_id. Then run again.';

it.each([
  [400, 'BYTES_BILLED_LIMIT', 'The query would read more data than is allowed', NARROWER],
  [400, 'RESULT_BYTES_LIMIT', 'The result is larger than is allowed', NARROWER],
  [504, 'QUERY_DEADLINE_EXCEEDED', 'The query took too long and was cancelled', NARROWER],
  [429, 'RATE_LIMITED', 'The request limit is reached', 'Run again in 12 s.'],
  [
    429,
    'BYTES_PER_DAY',
    'The key has used up its bytes of the day',
    'Rows in the cache are still shown. Run again in 12 s.',
  ],
  [429, 'QUERY_QUOTA_EXHAUSTED', 'Too many queries are running', 'Run again in 12 s.'],
  [429, 'JOBS_RUNNING', 'Too many earlier queries are still running', 'Run again in 12 s.'],
  [
    503,
    'QUERY_ENGINE_UNAVAILABLE',
    'Not available at the moment',
    `${MESSAGE} Run again in a moment.`,
  ],
  [404, 'ENDPOINT_NOT_FOUND', 'You have no access to this endpoint', 'Choose one from the list.'],
  [403, 'PARAMETER_NOT_ALLOWED', 'These values are not allowed', MESSAGE],
  [418, 'TEAPOT', 'The service refused this', MESSAGE],
] as const)('explains %i %s', (code, reason, title, text) => {
  const error = failed(code, reason, code === 429 ? { retryAfterSeconds: 12 } : {});
  expect(explainError(error, ENDPOINT, { project: ['p'] }, true)).toMatchObject({ title, text });
});

it('gives the id of an error that is not explained', () => {
  expect(explainError(failed(500, 'INTERNAL', { errorId: 'e-1' }), ENDPOINT, {}, true)).toEqual({
    title: 'Something failed in the service',
    text: `${MESSAGE} If it fails again, pass on this error id:`,
    errorId: 'e-1',
  });
});

it('tells a device without a network from a service that does not answer', () => {
  const error = new RequestError('The service cannot be reached.');
  expect(explainError(error, ENDPOINT, {}, false).title).toBe('You are offline');
  expect(explainError(error, ENDPOINT, {}, true).title).toBe('The service does not answer');
});

it.each<[code: number, isOnline: boolean, text: string, reason?: string]>([
  [401, true, 'This service knows no such key. Check that it is complete, or ask for a new one.'],
  [401, true, `${MESSAGE} Ask for a new one.`, 'TOKEN_INVALID'],
  [0, false, 'You are offline. Connect to the network. Then open again.'],
  [429, true, 'Too many invalid keys or tokens were sent from here. Wait 3 s and open again.'],
  [429, true, 'The request limit is reached. Wait 3 s and open again.', 'RATE_LIMITED'],
  [503, true, 'The service could not check it. Open again in a moment.'],
])('explains HTTP %i for a key: %j, %s', (code, isOnline, text, reason = '') => {
  expect(explainKeyError(failed(code, reason, { retryAfterSeconds: 3 }), isOnline)).toBe(text);
});

it.each([
  ['API_KEY_INVALID', 'This key was refused: it may have expired. Enter another one.'],
  ['', 'This key was refused: it may have expired. Enter another one.'],
  ['TOKEN_INVALID', `${MESSAGE} Enter another one.`],
])('explains that what was valid is refused: %s', (reason, text) => {
  expect(explainRefusal(failed(401, reason))).toBe(text);
});

it('names what was asked for', () => {
  expect(namedValues(ENDPOINT, { project: ['p'], interval: [], function_id: ['f', 'g'] })).toBe(
    'project “p” and function_id “f, g”',
  );
  expect(namedValues(ENDPOINT, {})).toBe('');
});
