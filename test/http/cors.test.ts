// Tests of CORS: which pages in a browser may read answers.
import { corsHeaders, preflightHeaders } from '../../functions/http/cors.ts';

const EXPOSED =
  'Age, Cache-Status, Content-Length, ETag, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Vary, X-Bytes-Processed, X-Local-Rows-Cut, X-Result-Truncated, X-Unknown-Parameters';
const ALLOWED = ['https://a.example', 'https://b.example:8443'];

it.each([
  ['any origin', ['*'], 'https://a.example', '*'],
  ['no origin, where any is allowed', ['*'], undefined, '*'],
  ['any origin, where * is one of several', ['https://a.example', '*'], 'https://x.example', '*'],
  ['a listed origin with a port', ALLOWED, 'https://b.example:8443', 'https://b.example:8443'],
])('allows %s', (_name, allowed, origin, expected) => {
  expect(corsHeaders(allowed, origin)).toEqual({
    'Access-Control-Allow-Origin': expected,
    'Access-Control-Expose-Headers': EXPOSED,
  });
});

it.each([
  ['no origin', undefined],
  ['the null origin', 'null'],
  ['another scheme', 'http://a.example'],
  ['another port', 'https://a.example:8443'],
  ['an origin that begins with a listed one', 'https://a.example.evil.example'],
  ['an origin in other letters', 'https://A.example'],
])('sends no headers to %s', (_name, origin) => {
  expect(corsHeaders(ALLOWED, origin)).toEqual({});
});

const USUAL = 'Accept, Authorization, Content-Type, If-None-Match, Prefer, X-API-KEY';
it.each([
  ['what a client library adds', 'x-api-key, x-client-info', 'x-api-key, x-client-info'],
  ['the usual headers without a list', undefined, USUAL],
  ['the usual headers for a broken list', 'a\r\nb', USUAL],
])('permits %s in a preflight, for one day', (_name, requested, allowed) => {
  expect(preflightHeaders('GET, HEAD, OPTIONS', requested)).toEqual({
    'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
    'Access-Control-Allow-Headers': allowed,
    'Access-Control-Max-Age': '86400',
  });
});
