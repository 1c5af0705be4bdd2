// How the console explains errors: what to do, in the words of the form. And what it takes for a token: what the service does.
import {
  explainError,
  explainKeyError,
  explainRefusal,
  namedValues,
} from '../../functions/console/explain-error.ts';
import { type Endpoint, RequestError, isToken } from '../../functions/console/service.ts';
import { isLikeToken } from '../../functions/keys/token.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);
const MESSAGE = 'The message of the service.';
const failed = (code: number, reason: string, more = {}) =>
  new RequestError(MESSAGE, { code, reason, ...more });

it.each(cases<[number, string, object, string, string]>('runs'))(
  'explains %i %s',
  (code, reason, more, title, text) => {
    const expected = { title, text: text.replace('…', MESSAGE) };
    expect(explainError(failed(code, reason, more), true)).toMatchObject(expected);
  },
);

it('tells a device without a network from a service that does not answer, and gives the id of an error', () => {
  const error = new RequestError('The service cannot be reached.');
  expect(explainError(error, false).title).toBe('You are offline');
  expect(explainError(error, true).title).toBe('The service does not answer');
  expect(explainError(failed(500, 'INTERNAL', { errorId: 'e' }), true).errorId).toBe('e');
});

it.each(cases<[number, boolean, string, string]>('keys'))(
  'explains HTTP %i for a key: %j, %s',
  (code, isOnline, reason, text) => {
    const error = failed(code, reason, { retryAfterSeconds: 3 });
    expect(explainKeyError(error, isOnline)).toBe(text.replace('…', MESSAGE));
  },
);

it('explains that what was valid is refused', () => {
  const expired = 'This key was refused: it may have expired. Enter another one.';
  expect(explainRefusal(failed(401, 'API_KEY_INVALID'))).toBe(expired);
  expect(explainRefusal(failed(401, ''))).toBe(expired);
  expect(explainRefusal(failed(401, 'TOKEN_INVALID'))).toBe(`${MESSAGE} Enter another one.`);
});

it('names what was asked for', () => {
  const parameters = ['project', 'interval', 'function_id'].map((name) => ({ name }));
  const endpoint = { parameters } as Endpoint;
  expect(namedValues(endpoint, { project: ['p'], interval: [], function_id: ['f', 'g'] })).toBe(
    'project “p” and function_id “f, g”',
  );
  expect(namedValues(endpoint, {})).toBe('');
});

it.each(cases<[string, boolean]>('tokens'))(
  'tells a token from a key as the service does: %j',
  (text, expected) => {
    expect([isToken(text), isLikeToken(text)]).toEqual([expected, expected]);
  },
);
