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

it.each([
  [504, 'QUERY_DEADLINE_EXCEEDED', {}, 'The query took too long and was cancelled', MESSAGE],
  [
    429,
    'RATE_LIMITED',
    { retryAfterSeconds: 12 },
    'The request limit is reached',
    `${MESSAGE} Run again in 12 s.`,
  ],
  [
    429,
    'QUERY_QUOTA_EXHAUSTED',
    {},
    'Too many queries are running',
    `${MESSAGE} Run again in a moment.`,
  ],
  [
    503,
    'QUERY_ENGINE_UNAVAILABLE',
    {},
    'Not available at the moment',
    `${MESSAGE} Run again in a moment.`,
  ],
  [
    500,
    'INTERNAL',
    { errorId: 'e' },
    'Something failed in the service',
    `${MESSAGE} If it fails again, pass on this error id:`,
  ],
  [418, 'TEAPOT', {}, 'The service refused this', MESSAGE],
] as const)('explains %i %s', (code, reason, more, title, text) => {
  expect(explainError(failed(code, reason, more), true)).toMatchObject({
    title,
    text,
    ...('errorId' in more && more),
  });
});

it('tells a device without a network from a service that does not answer', () => {
  const error = new RequestError('The service cannot be reached.');
  expect(explainError(error, false).title).toBe('You are offline');
  expect(explainError(error, true).title).toBe('The service does not answer');
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
