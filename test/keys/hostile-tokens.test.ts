// Tests that no forged, malformed or mistimed token is accepted, and that none costs more than one look-up.
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import request from 'supertest';
import { type QueryServer, createQueryServer } from '../support/world.ts';
import { createSigner, encode } from '../support/service/sign-token.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const ROWS = '/api/endpoints/query/tasks.run-stats?project=a&interval=1day';
const [signer, other, revoked, expired] = [
  createSigner(),
  createSigner(),
  createSigner(),
  createSigner(),
];
const CLAIMS = { iat: NOW, exp: NOW + 3600 };
const HEADER = { alg: 'EdDSA', typ: 'JWT', kid: signer.id };
const PLAIN_KEY = 'sqk_an-ordinary-key-of-a-dashboard';
const PLAIN_DIGEST = createHash('sha256').update(PLAIN_KEY).digest();
const UNVERIFIED = 'No valid signing key of this service with this "kid" has signed it.';

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer();
  const { keys } = service.keyStore;
  keys.set(signer.id, signer.stored());
  keys.set(revoked.id, revoked.stored({ revokedAtMs: NOW * 1000 - 1 }));
  keys.set(expired.id, expired.stored({ expiresAtMs: NOW * 1000 }));
  service.keyStore.add(PLAIN_KEY);
});

const bearer = (token: string) =>
  request(service.server).get(ROWS).set('Authorization', `Bearer ${token}`);
const headed = (header: object) => signer.sign(CLAIMS, header);
const claiming = (claims: object) => signer.sign({ ...CLAIMS, ...claims });
const claimed = (json: string) => signer.signTexts(JSON.stringify(HEADER), json);
const without = (of: object, name: string) =>
  JSON.stringify(Object.fromEntries(Object.entries(of).filter(([member]) => member !== name)));
const signedPart = (header: object, claims: object = CLAIMS) =>
  `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
const [header, claims, signature] = signer.sign(CLAIMS).split('.') as [string, string, string];

function hmac(secret: string | Buffer): string {
  const signed = signedPart({ ...HEADER, alg: 'HS256' });
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function rsa(alg: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = signedPart({ ...HEADER, alg });
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

const HOSTILE: [name: string, token: string, told: string][] = [
  // How it is written.
  ['two parts', `${header}.${claims}`, 'an Ed25519 signature'],
  ['an empty signature', `${header}.${claims}.`, 'an Ed25519 signature'],
  ['four parts', `${header}.${claims}.${signature}.${signature}`, 'an Ed25519 signature'],
  ['five parts, as if encrypted', `${header}.${claims}.a.b.c`, 'an Ed25519 signature'],
  ['padding', `${header}=.${claims}.${signature}`, 'an Ed25519 signature'],
  ['plain base64', `${header}.${claims}.${'+'.repeat(86)}`, 'an Ed25519 signature'],
  ['a short signature', `${header}.${claims}.${signature.slice(1)}`, 'an Ed25519 signature'],
  ['a long signature', `${header}.${claims}.${signature}A`, 'an Ed25519 signature'],
  ['no claims', `${header}..${signature}`, 'an Ed25519 signature'],
  ['10 kB', claiming({ sub: 'x'.repeat(7500) }), 'an Ed25519 signature'],
  ['a header that is not JSON', `${encode('{"alg"}')}.${claims}.${signature}`, 'header must be'],
  [
    'a header that is not UTF-8',
    `${encode(Uint8Array.of(123, 34, 255, 34, 58, 49, 125))}.${claims}.${signature}`,
    'header must be',
  ],
  ['claims that are not JSON', claimed('{'), 'claims must be'],
  [
    'claims that are not UTF-8',
    `${header}.${encode(Uint8Array.of(123, 34, 255))}.${signature}`,
    UNVERIFIED,
  ],
  ['claims that are a list', claimed('[]'), 'claims must be'],
  ['claims that are null', claimed('null'), 'claims must be'],
  ['claims that are a text', claimed('"exp"'), 'claims must be'],
  // The header.
  ['no alg', signer.signTexts(without(HEADER, 'alg'), JSON.stringify(CLAIMS)), '"alg"'],
  ['alg none', `${signedPart({ ...HEADER, alg: 'none' })}.${signature}`, '"alg"'],
  [
    'alg none without a signature',
    `${signedPart({ ...HEADER, alg: 'none' })}.`,
    'an Ed25519 signature',
  ],
  ['alg None', headed({ alg: 'None' }), '"alg"'],
  ['alg in lower case', headed({ alg: 'eddsa' }), '"alg"'],
  ['alg as a list', headed({ alg: ['EdDSA'] }), '"alg"'],
  ['alg null', headed({ alg: null }), '"alg"'],
  ['ES256', headed({ alg: 'ES256' }), '"alg"'],
  ['HS256 with the public key', hmac(signer.stored().publicKey ?? ''), 'an Ed25519 signature'],
  [
    'HS256 with its bytes',
    hmac(Buffer.from(signer.stored().publicKey ?? '', 'base64url')),
    'an Ed25519 signature',
  ],
  [
    'HS512, whose signature is as long',
    (() => {
      const signed = signedPart({ ...HEADER, alg: 'HS512' });
      const secret = signer.stored().publicKey ?? '';
      return `${signed}.${createHmac('sha512', secret).update(signed).digest('base64url')}`;
    })(),
    '"alg"',
  ],
  ['RS256', rsa('RS256'), 'an Ed25519 signature'],
  ['an RSA signature called EdDSA', rsa('EdDSA'), 'an Ed25519 signature'],
  ['no kid', signer.signTexts(without(HEADER, 'kid'), JSON.stringify(CLAIMS)), '"kid" must be'],
  ['kid null', headed({ kid: null }), '"kid" must be'],
  ['kid as a number', headed({ kid: 1 }), '"kid" must be'],
  ['kid as a list', headed({ kid: [signer.id] }), '"kid" must be'],
  ['kid as a path', headed({ kid: `../apiKeys/${signer.id}` }), '"kid" must be'],
  ['an empty kid', headed({ kid: '' }), '"kid" must be'],
  ['the kid of an unknown key', headed({ kid: createSigner().id }), UNVERIFIED],
  ['the kid of another key', other.sign(CLAIMS, { kid: signer.id }), UNVERIFIED],
  [
    'the SHA-256 of an ordinary key as kid',
    headed({ kid: PLAIN_DIGEST.toString('base64url') }),
    UNVERIFIED,
  ],
  [
    'the SHA-256 in hexadecimal as kid',
    headed({ kid: PLAIN_DIGEST.toString('hex') }),
    '"kid" must be',
  ],
  ['the kid of a revoked key', revoked.sign(CLAIMS), UNVERIFIED],
  ['the kid of an expired key', expired.sign(CLAIMS), UNVERIFIED],
  ['crit', headed({ crit: ['exp'] }), '"crit"'],
  ['crit of what it has', headed({ crit: ['b64'], b64: true }), '"crit"'],
  ['an empty crit', headed({ crit: [] }), '"crit"'],
  [
    'its own key',
    headed({ jwk: { kty: 'OKP', crv: 'Ed25519', x: other.stored().publicKey } }),
    '"jwk"',
  ],
  ['the address of a key', headed({ jku: 'https://attacker.example/keys' }), '"jku"'],
  ['compression', headed({ zip: 'DEF' }), '"zip"'],
  ['another typ', headed({ typ: 'at+jwt' }), '"typ"'],
  ['typ null', headed({ typ: null }), '"typ"'],
  ['a nested token', headed({ cty: 'JWT' }), '"cty"'],
  [
    '__proto__ in the header',
    signer.signTexts(`{"__proto__":{"alg":"EdDSA"},"kid":"${signer.id}"}`, JSON.stringify(CLAIMS)),
    '"alg"',
  ],
  // The signature.
  [
    'the signature of other claims',
    `${header}.${encode(JSON.stringify({ ...CLAIMS, exp: NOW + 3000 }))}.${signature}`,
    UNVERIFIED,
  ],
  [
    'the signature of another header',
    `${encode(JSON.stringify({ ...HEADER, typ: 'jwt' }))}.${claims}.${signature}`,
    UNVERIFIED,
  ],
  ['a signature of zeros', `${header}.${claims}.${'A'.repeat(86)}`, UNVERIFIED],
  [
    'one changed character',
    `${header}.${claims}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`,
    UNVERIFIED,
  ],
  // The time.
  ['no exp', claimed(without(CLAIMS, 'exp')), '"exp"'],
  ['no iat', claimed(without(CLAIMS, 'iat')), '"iat"'],
  ['exp null', claiming({ exp: null }), '"exp"'],
  ['exp as a text', claiming({ exp: String(NOW + 60) }), '"exp"'],
  ['exp without end', claimed(`{"iat":${NOW},"exp":1e999}`), '"exp"'],
  ['nbf as a text', claiming({ nbf: 'now' }), '"nbf"'],
  ['nbf null', claiming({ nbf: null }), '"nbf"'],
  ['expired by 30 seconds', claiming({ iat: NOW - 3600, exp: NOW - 30 }), 'expired'],
  ['not valid for 31 seconds', claiming({ iat: NOW + 31 }), 'not valid yet'],
  ['nbf in 31 seconds', claiming({ nbf: NOW + 31 }), 'not valid yet'],
  ['the far future', claiming({ iat: 9e15, exp: 9e15 + 60 }), 'not valid yet'],
  ['a second longer than the key allows', claiming({ exp: NOW + 3601 }), 'by at most 3600 seconds'],
  ['a second longer than a day', claiming({ exp: NOW + 86_401 }), 'by at most 3600 seconds'],
  ['exp at iat', claiming({ exp: NOW }), 'later than "iat"'],
  ['exp before iat', claiming({ exp: NOW - 1 }), 'later than "iat"'],
  ['exp in milliseconds', claiming({ exp: (NOW + 60) * 1000 }), 'by at most 3600 seconds'],
  // The rights.
  ['an audience', claiming({ aud: 'shop' }), '"aud"'],
  ['a misspelt right', claiming({ endpoint: ['tasks.run-stats'] }), '"endpoint"'],
  [
    '__proto__ among the claims',
    claimed(`{"iat":${NOW},"exp":${NOW + 60},"__proto__":{"endpoints":["*"]}}`),
    '"__proto__"',
  ],
  ['endpoints as a text', claiming({ endpoints: '*' }), '"endpoints"'],
  ['endpoints null', claiming({ endpoints: null }), '"endpoints"'],
  ['no endpoints', claiming({ endpoints: [] }), '"endpoints"'],
  ['endpoints that are no texts', claiming({ endpoints: [['*']] }), '"endpoints"'],
  ['parameters null', claiming({ parameters: null }), '"parameters"'],
  ['parameters as a list', claiming({ parameters: ['a'] }), '"parameters"'],
  ['a value that is a text', claiming({ parameters: { project: 'a' } }), '"parameters"'],
  ['a value that is a number', claiming({ parameters: { project: [1] } }), '"parameters"'],
  ['no values', claiming({ parameters: { project: [] } }), '"parameters"'],
  ['an empty fixed value', claiming({ parameters: { project: { fixed: '' } } }), '"parameters"'],
  ['a misspelt fixed value', claiming({ parameters: { project: { fix: 'a' } } }), '"fix"'],
  [
    'a fixed value and more',
    claiming({ parameters: { project: { fixed: 'a', or: 'b' } } }),
    '"or"',
  ],
  ['sub as a number', claiming({ sub: 1 }), '"sub"'],
  ['sub null', claiming({ sub: null }), '"sub"'],
  ['an empty sub', claiming({ sub: '' }), '"sub"'],
  ['a sub of 257 characters', claiming({ sub: 'x'.repeat(257) }), '"sub"'],
  ['a limit without a sub', claiming({ requestsPerMinute: 10 }), '"requestsPerMinute"'],
  ['a limit of 0', claiming({ sub: 'a', requestsPerMinute: 0 }), '"requestsPerMinute"'],
  ['a limit of null', claiming({ sub: 'a', requestsPerMinute: null }), '"requestsPerMinute"'],
  ['a limit as a text', claiming({ sub: 'a', requestsPerMinute: '10' }), '"requestsPerMinute"'],
];

describe('a token is refused with 401, without a job and after one look-up at most, that', () => {
  it.each(HOSTILE)('has %s', async (_name, token, told) => {
    const answer = await bearer(token);
    const { error } = answer.body as { error: { message: string; details: { reason: string }[] } };
    expect([answer.status, error.details[0]?.reason]).toEqual([401, 'TOKEN_INVALID']);
    expect(error.message).toContain(told);
    expect(service.queryRunner.requests).toEqual([]);
    expect(service.keyStore.lookups.length).toBeLessThanOrEqual(1);
    expect(service.resultStore.calls).toEqual([]);
  });
});
