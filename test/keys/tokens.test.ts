// Tests of what a token allows, for how long, and what it costs, over HTTP.
import fc from 'fast-check';
import request from 'supertest';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { type QueryServer, createQueryServer } from '../support/world.ts';
import { createSigner } from '../support/service/sign-token.ts';
import { loadTypedEndpoints } from '../support/sql/typed-endpoints.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const CLAIMS = { iat: NOW, exp: NOW + 3600 };
const STATS = '/api/endpoints/query/tasks.run-stats?interval=1day';
const VISITS = '/api/endpoints/query/web.visit-counts?interval=daily&project=a';
const signer = createSigner();

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer();
  store();
});

function store(fields: Partial<ApiKey> = {}): void {
  service.keyStore.keys.set(signer.id, signer.stored(fields));
}

async function get(path: string, token: string, address = '192.0.2.1') {
  return request(service.server)
    .get(path)
    .set({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': address });
}

async function status(path: string, claims: object): Promise<number> {
  return (await get(path, signer.sign({ ...CLAIMS, ...claims }))).status;
}

function reasonOf({ body }: { body: unknown }): string | undefined {
  return (body as { error?: { details: { reason: string }[] } }).error?.details[0]?.reason;
}

describe('a token', () => {
  it('without rights of its own has those of its key', async () => {
    store({ endpoints: ['tasks.run-stats'], parameters: { project: ['a'] } });
    expect(await status(`${STATS}&project=a`, {})).toBe(200);
    expect(await status(`${STATS}&project=b`, {})).toBe(403);
    expect(await status(VISITS, {})).toBe(404);
  });

  it.each([
    [['tasks.run-stats'], 200, 404],
    [['tasks.*'], 200, 404],
    [['web.*', 'tasks.run-stats'], 200, 200],
    [['*'], 200, 200],
    [['tasks'], 404, 404],
    [['tasks.run'], 404, 404],
  ])(
    'for the endpoints %j of a key for all opens those alone',
    async (endpoints, stats, visits) => {
      expect(await status(`${STATS}&project=a`, { endpoints })).toBe(stats);
      expect(await status(VISITS, { endpoints })).toBe(visits);
    },
  );

  it('may pass its values and no others', async () => {
    const parameters = { project: ['a', 'b'] };
    expect(await status(`${STATS}&project=b`, { parameters })).toBe(200);
    expect(await status(`${STATS}&project=c`, { parameters })).toBe(403);
    expect(await status(STATS, { parameters })).toBe(403);
  });

  it('fills its fixed values in, and refuses others', async () => {
    const UNFILLED = '/api/endpoints/query/web.visit-counts?interval=daily';
    const token = signer.sign({ ...CLAIMS, parameters: { project: { fixed: 'cust-7&x=y' } } });
    const filled = await get(UNFILLED, token);
    expect(filled.status).toBe(200);
    expect(filled.headers).not.toHaveProperty('x-bytes-processed');
    expect(service.queryRunner.requests[0]?.parameters).toMatchObject({ project: 'cust-7&x=y' });
    const same = await get(`${UNFILLED}&project=${encodeURIComponent('cust-7&x=y')}`, token);
    expect([same.status, same.headers['cache-status']]).toEqual([
      200,
      expect.stringContaining('hit'),
    ]);
    for (const others of [
      'project=b',
      'project=',
      'project',
      '%70roject=b',
      'project=b&project=b',
    ]) {
      expect((await get(`${UNFILLED}&${others}`, token)).status).toBe(403);
    }
    expect(service.queryRunner.requests).toHaveLength(1);
  });

  it('with a restriction that an endpoint cannot apply does not open it', async () => {
    for (const customer of [['a'], { fixed: 'a' }]) {
      expect(await status(`${STATS}&project=a`, { parameters: { customer } })).toBe(403);
    }
    const odd = signer.signTexts(
      JSON.stringify({ alg: 'EdDSA', kid: signer.id }),
      `{"iat":${NOW},"exp":${NOW + 60},"parameters":{"__proto__":{"fixed":"a"},"constructor":["a"]}}`,
    );
    expect((await get(`${STATS}&project=a`, odd)).status).toBe(403);
  });

  it('is taken from Authorization alone', async () => {
    const token = signer.sign(CLAIMS);
    const inHeader = await request(service.server)
      .get(`${STATS}&project=a`)
      .set('X-API-KEY', token);
    const inUrl = await request(service.server).get(`${STATS}&project=a&access_token=${token}`);
    expect([inHeader.status, inUrl.status]).toEqual([401, 401]);
    const text = JSON.stringify(service.log.lines);
    expect(text).not.toContain(token.slice(0, 40));
  });

  it('is logged with its key and a hash of sub, and nothing else', async () => {
    const claims = { ...CLAIMS, sub: 'ada@example.com', jti: 'jjj', iss: 'iii' };
    const token = signer.sign({ ...claims, parameters: { project: { fixed: 'secret-value' } } });
    expect((await get(STATS, token)).status).toBe(200);
    const { fields } = service.log.lines.at(-1) ?? {};
    // printf %s ada@example.com | sha256sum | cut -c1-16
    expect(fields).toMatchObject({ keyName: 'shop', subject: 'b5fc85e55755f9e0' });
    expect(JSON.stringify(service.log.lines)).not.toMatch(/ada@|secret-value|jjj|iii|eyJ/);
  });

  it.each([
    ['its public key', () => signer.stored().publicKey ?? ''],
    ['its id', () => signer.id],
    [
      'what its id is a hash of',
      () => `{"crv":"Ed25519","kty":"OKP","x":"${signer.stored().publicKey}"}`,
    ],
  ])('is needed: a signing key is not opened by %s', async (_name, text) => {
    // In memory first, as after a request with a token.
    expect(await status(`${STATS}&project=a`, {})).toBe(200);
    for (const header of [{ 'X-API-KEY': text() }, { Authorization: `Bearer ${text()}` }]) {
      const answer = await request(service.server).get(`${STATS}&project=a`).set(header);
      expect([answer.status, reasonOf(answer)]).toEqual([401, 'API_KEY_INVALID']);
    }
  });
});

describe('the time of a token', () => {
  const token = signer.sign(CLAIMS);
  const at = async (path: string) => (await get(path, token)).status;

  it('ends 30 seconds after exp, also for a token in memory', async () => {
    expect(await at(`${STATS}&project=a`)).toBe(200);
    service.clock.advance(3_629_999);
    expect(await at(`${STATS}&project=a`)).toBe(200);
    service.clock.advance(1);
    const late = await get(`${STATS}&project=a`, token);
    expect([late.status, (late.body as { error: { message: string } }).error.message]).toEqual([
      401,
      'The token is not valid. It has expired.',
    ]);
  });

  it('begins 30 seconds before iat and nbf', async () => {
    expect(await status(`${STATS}&project=a`, { iat: NOW + 30 })).toBe(200);
    expect(await status(`${STATS}&project=a`, { nbf: NOW + 30 })).toBe(200);
    const future = signer.sign({ ...CLAIMS, iat: NOW + 31 });
    expect((await get(`${STATS}&project=a`, future)).status).toBe(401);
    service.clock.advance(1000);
    expect((await get(`${STATS}&project=a`, future)).status).toBe(200);
  });

  it('may be a day if its key allows that, and no longer than the key allows', async () => {
    store({ tokenSeconds: 86_400 });
    expect(await status(`${STATS}&project=a`, { exp: NOW + 86_400 })).toBe(200);
    service.clock.advance(60_000);
    store({ tokenSeconds: 60 });
    service.clock.advance(1);
    expect(await status(`${STATS}&project=a`, { exp: NOW + 86_400 })).toBe(401);
    expect(await status(`${STATS}&project=a`, { iat: NOW, exp: NOW + 60 })).toBe(200);
  });

  it.each([
    ['revoked', { revokedAtMs: NOW * 1000 }],
    ['deleted', undefined],
    ['replaced by one that opens less', { endpoints: ['web.visit-counts'] }],
  ])('ends within 60 seconds of its key being %s', async (_name, change) => {
    expect(await at(`${STATS}&project=a`)).toBe(200);
    if (change) store(change);
    else service.keyStore.keys.clear();
    service.clock.advance(60_001);
    expect(await at(`${STATS}&project=a`)).toBe(change && 'endpoints' in change ? 404 : 401);
  });

  it('ends with the expiry of its key', async () => {
    store({ expiresAtMs: (NOW + 10) * 1000 });
    expect(await at(`${STATS}&project=a`)).toBe(200);
    service.clock.advance(10_000);
    expect(await at(`${STATS}&project=a`)).toBe(401);
  });
});

describe('what a token costs', () => {
  it('is one look-up of its key, for all tokens of it, while the key is in memory', async () => {
    for (const sub of ['a', 'b', 'c'])
      expect(await status(`${STATS}&project=a`, { sub })).toBe(200);
    expect(service.keyStore.lookups).toEqual([signer.id]);
  });

  it('is one verification, also if it arrives thirty times at once', async () => {
    const token = signer.sign(CLAIMS);
    await Promise.all(Array.from({ length: 30 }, () => get(`${STATS}&project=a`, token)));
    await get(`${STATS}&project=a`, token);
    expect(service.verified()).toBe(1);
  });

  it('is what an unknown key costs if its signature is invented: 100 at once, then 5 a second', async () => {
    expect(await status(`${STATS}&project=a`, {})).toBe(200);
    const forged = (index: number) =>
      `${signer.sign({ ...CLAIMS, jti: String(index) }).slice(0, -86)}${'A'.repeat(86)}`;
    const codes: number[] = [];
    for (let index = 0; index < 120; index += 1) {
      codes.push((await get(`${STATS}&project=a`, forged(index))).status);
    }
    expect(codes).toEqual([...Array<number>(100).fill(401), ...Array<number>(20).fill(429)]);
    expect(service.verified()).toBe(101);
    // A token in memory goes on, and so do other addresses.
    expect(await status(`${STATS}&project=a`, {})).toBe(200);
    expect(
      (await get(`${STATS}&project=a`, signer.sign({ ...CLAIMS, jti: 'x' }), '192.0.2.2')).status,
    ).toBe(200);
    expect(service.keyStore.lookups).toHaveLength(1);
  });

  it('is what an unknown key costs if its kid is invented', async () => {
    const codes: number[] = [];
    for (let index = 0; index < 120; index += 1) {
      codes.push((await get(`${STATS}&project=a`, createSigner().sign(CLAIMS))).status);
    }
    expect(codes).toEqual([...Array<number>(100).fill(401), ...Array<number>(20).fill(429)]);
    expect(service.keyStore.lookups).toHaveLength(100);
    expect(service.verified()).toBe(0);
  });

  it('is nothing of the budget for a signed token whose claims are refused', async () => {
    const token = signer.sign({ ...CLAIMS, aud: 'shop' });
    for (let index = 0; index < 110; index += 1) {
      expect((await get(`${STATS}&project=a`, token)).status).toBe(401);
    }
  });
});

describe('requestsPerMinute of a token', () => {
  it('limits one sub, over all its tokens, and no other', async () => {
    const of = (sub: string, jti: string) => status(VISITS, { sub, jti, requestsPerMinute: 2 });
    expect([await of('a', '1'), await of('a', '2'), await of('a', '3')]).toEqual([200, 200, 429]);
    expect([await of('b', '1'), await of('b', '2'), await of('b', '3')]).toEqual([200, 200, 429]);
    service.clock.advance(30_000);
    expect([await of('a', '4'), await of('a', '5')]).toEqual([200, 429]);
  });

  it('is below the limit of its key, which a refused request does not use', async () => {
    store({ requestsPerMinute: 3 });
    const of = (sub: string) => status(VISITS, { sub, requestsPerMinute: 2 });
    expect([await of('a'), await of('a'), await of('a'), await of('a')]).toEqual([
      200, 200, 429, 429,
    ]);
    expect([await of('b'), await of('b')]).toEqual([200, 429]);
  });

  it('is not used by a request that the limit of the key refuses', async () => {
    store({ requestsPerMinute: 1 });
    const token = signer.sign({ ...CLAIMS, sub: 'a', requestsPerMinute: 2 });
    const left = [await get(VISITS, token), await get(VISITS, token)].map(({ status, headers }) => [
      status,
      headers.ratelimit,
      headers['retry-after'],
    ]);
    const rateLimit = '"requests";r=0;t=60, "token";r=1;t=30';
    expect(left).toEqual([
      [200, rateLimit, undefined],
      [429, rateLimit, '60'],
    ]);
  });

  it('is stated in the header fields', async () => {
    const token = signer.sign({ ...CLAIMS, sub: 'a', requestsPerMinute: 2 });
    const { headers } = await get(VISITS, token);
    expect(headers['ratelimit-policy']).toBe('"token";q=2;w=60');
    expect(headers.ratelimit).toBe('"token";r=1;t=30');
  });
});

describe('a description for a token', () => {
  it('has the endpoints and values that key and token allow, without the fixed parameters', async () => {
    store({ parameters: { project: ['a', 'b'] }, bytesPerDay: 10, requestsPerMinute: 60 });
    const token = signer.sign({
      ...CLAIMS,
      sub: 's',
      requestsPerMinute: 30,
      endpoints: ['tasks.run-stats'],
      parameters: { project: { fixed: 'b' }, interval: ['1day'] },
    });
    const { endpoints, limits } = (await get('/api/endpoints', token)).body as {
      endpoints: {
        name: string;
        parameters: { name: string; allowedValues?: string[] }[];
        cost?: object;
      }[];
      limits: object;
    };
    expect(endpoints.map(({ name }) => name)).toEqual(['tasks.run-stats']);
    const [endpoint] = endpoints;
    expect(endpoint?.parameters.map(({ name, allowedValues }) => [name, allowedValues])).toEqual([
      ['function_id', undefined],
      ['interval', ['1day']],
    ]);
    expect(endpoint).not.toHaveProperty('cost');
    expect(limits).toEqual({ requestsPerMinute: 30 });
    const openapi = JSON.stringify((await get('/api/endpoints/openapi.json', token)).body);
    expect(openapi).not.toContain('"name":"project"');
  });

  it.each([
    ['that key and token do not both allow', { project: ['b'] }],
    ['that are too many for one parameter', { interval: { fixed: ['1day', '7day'] } }],
    ['that the parameter cannot have', { interval: { fixed: 'x' } }],
  ])('lists no endpoint with values %s', async (_name, parameters) => {
    store({ parameters: { project: ['a'] } });
    const token = signer.sign({ ...CLAIMS, parameters });
    const answer = await get('/api/endpoints', token);
    expect((answer.body as { endpoints: unknown[] }).endpoints).toEqual([]);
  });

  it('lists an endpoint with fixed values of an ARRAY only if its key allows all of them', async () => {
    service = createQueryServer({ catalogue: loadTypedEndpoints() });
    store({ endpoints: ['types.echo'], parameters: { int64_list: ['1', '2'] } });
    const path = '/api/endpoints/query/types.echo';
    for (const [fixed, code, listed] of [
      [['01', '2'], 200, 1],
      [['1', '3'], 403, 0],
    ] as const) {
      const token = signer.sign({ ...CLAIMS, parameters: { int64_list: { fixed } } });
      const { body } = (await get('/api/endpoints', token)) as { body: { endpoints: unknown[] } };
      expect([(await get(path, token)).status, body.endpoints.length]).toEqual([code, listed]);
    }
  });
});

it('no token opens what its key does not', async () => {
  const names = fc.constantFrom('*', 'tasks.*', 'web.*', 'tasks.run-stats', 'web.visit-counts');
  const values = fc.subarray(['a', 'b', 'c', ''], { minLength: 1 });
  const rights = fc.record(
    { endpoints: fc.array(names, { minLength: 1, maxLength: 3 }), project: values },
    { requiredKeys: ['endpoints'] },
  );
  const path = fc.constantFrom(
    ...['a', 'b', ''].flatMap((value) => [
      `${STATS}&project=${value}`,
      `${VISITS.replace(/a$/, '')}${value}`,
    ]),
    STATS,
  );
  const toKey = ({ endpoints, project }: { endpoints: string[]; project?: string[] }) => ({
    endpoints,
    ...(project && { parameters: { project } }),
  });
  await fc.assert(
    fc.asyncProperty(rights, rights, fc.boolean(), path, async (ofKey, ofToken, isFixed, path) => {
      service.keyStore.keys.clear();
      const keyed = createSigner();
      service.keyStore.keys.set(keyed.id, keyed.stored(toKey(ofKey)));
      const plain = `sqk_plain-key-${keyed.id}`;
      service.keyStore.add(plain, toKey(ofKey));
      const { endpoints, parameters } = toKey(ofToken);
      const [value = ''] = ofToken.project ?? [];
      const own = isFixed && value !== '' ? { project: { fixed: value } } : parameters;
      const token = keyed.sign({ ...CLAIMS, endpoints, ...(own && { parameters: own }) });
      const withToken = await get(path, token);
      const asked = isFixed && value !== '' && path === STATS ? `${STATS}&project=${value}` : path;
      const withKey = await request(service.server).get(asked).set('X-API-KEY', plain);
      if (withToken.status === 200) expect(withKey.status).toBe(200);
      expect(withToken.status).not.toBe(401);
    }),
    { numRuns: 150 },
  );
});
