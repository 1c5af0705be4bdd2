// What the console takes for a token is what the service does.
import { isToken } from '../../functions/console/service.ts';
import { isLikeToken } from '../../functions/keys/token.ts';

it.each([
  ['eyJhbGciOiJFZERTQSJ9.e30.c2ln', true],
  ['eyIgYSI6MX0.', true],
  ['eyL.e30', true],
  ['eyJhbGciOiJFZERTQSJ9', false],
  ['eyMx.e30.c2ln', false],
  ['sqk_eyJ.e30.c2ln', false],
  ['', false],
])('tells a token from a key as the service does: %j', (text, expected) => {
  expect([isToken(text), isLikeToken(text)]).toEqual([expected, expected]);
});
