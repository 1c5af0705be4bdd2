// Tests of CORS: which pages in a browser may read answers.
import request from 'supertest';
import { corsHeaders, preflightHeaders } from '../../functions/http/responder.ts';
import { createQueryServer } from '../support/world.ts';
import { createSigner } from '../support/service/sign-token.ts';

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

describe('a page of another origin with a token', () => {
  const ORIGIN = 'https://shop.example';
  const PATH = '/api/endpoints/query/tasks.run-stats?project=a';
  const signer = createSigner();
  const from = (origin: string, corsOrigins = [ORIGIN]) => {
    const service = createQueryServer({ corsOrigins });
    service.keyStore.keys.set(signer.id, signer.stored());
    const now = service.clock.nowMs() / 1000;
    return {
      preflight: () =>
        request(service.server).options(PATH).set({
          Origin: origin,
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'authorization,prefer',
        }),
      get: (seconds: number) => {
        const token = signer.sign({ iat: now - 3600, exp: now - 3600 + seconds });
        return request(service.server)
          .get(PATH)
          .set({ Origin: origin, Authorization: `Bearer ${token}` });
      },
    };
  };

  it.each([
    ['listed', [ORIGIN], ORIGIN],
    ['any', ['*'], '*'],
  ])('may send it, and read why it is refused: %s', async (_name, allowed, expected) => {
    const page = from(ORIGIN, allowed);
    const preflight = await page.preflight();
    expect([preflight.status, preflight.headers]).toEqual([
      204,
      expect.objectContaining({
        'access-control-allow-origin': expected,
        'access-control-allow-headers': 'authorization,prefer',
      }),
    ]);
    const refused = await page.get(60);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([
      401,
      expected,
    ]);
    expect(refused.body).toMatchObject({ error: { details: [{ reason: 'TOKEN_INVALID' }] } });
    const rows = await page.get(3600);
    expect([rows.status, rows.headers['access-control-allow-origin']]).toEqual([200, expected]);
    expect(rows.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('that is not listed may read neither', async () => {
    const page = from('https://evil.example');
    for (const answer of [await page.preflight(), await page.get(60), await page.get(3600)]) {
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});
