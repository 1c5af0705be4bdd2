// Tests that no forged, malformed or mistimed token is accepted, and that none costs those who share a key, an instance or an address with its sender.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import request from 'supertest';
import { type QueryServer, createQueryServer, createTestService } from '../support/world.ts';
import { FakeClock } from '../support/clock.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { createSigner, encode } from '../support/service/sign-token.ts';
import { listen } from '../support/service/listen.ts';
import { until } from '../support/until.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const CLAIMS = { iat: NOW, exp: NOW + 3600 };
const ROWS = '/api/endpoints/query/tasks.run-stats?project=a&interval=1day';
const [ATTACKER, VICTIM] = ['198.51.100.7', '203.0.113.1'];
const signer = createSigner();

let service: QueryServer;

beforeEach(async () => {
  service = createQueryServer();
  await listen(service.server);
  service.keyStore.keys.set(signer.id, signer.stored());
});

const get = (path: string, token: string, address = VICTIM) =>
  request(service.server)
    .get(path)
    .set({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': address });

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

describe('an address without look-ups left', () => {
  /** Sends from the attacker's address what is waiting for look-ups of invented keys, until `release`. */
  async function occupy(): Promise<{ release: () => void; ended: Promise<unknown> }> {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    service.keyStore.before = (id) => (id === signer.id ? undefined : promise);
    const invented = Array.from({ length: 100 }, () =>
      get(ROWS, createSigner().sign(CLAIMS), ATTACKER),
    );
    const ended = Promise.all(invented.map(async (sent) => (await sent).status));
    await until(() => service.keyStore.lookups.filter((id) => id !== signer.id).length === 100);
    return { release, ended };
  }

  /** Returns once the service has the request, whose answer may be waiting. */
  async function send(token: string, address: string): Promise<{ status: Promise<number> }> {
    const arrived = once(service.server, 'request');
    const status = get(ROWS, token, address).then((answer) => answer.status);
    await arrived;
    return { status };
  }

  it('does not stop the first look-up of a signing key by another one', async () => {
    const { release, ended } = await occupy();
    const waits = await send(signer.sign({ ...CLAIMS, jti: 'a' }), ATTACKER);
    const other = await send(signer.sign({ ...CLAIMS, jti: 'b' }), VICTIM);
    release();
    await ended;
    expect([await waits.status, await other.status]).toEqual([429, 200]);
  });

  it('does not stop the verification of the same token from another one', async () => {
    expect((await get(ROWS, signer.sign({ ...CLAIMS, jti: 'first' }))).status).toBe(200);
    const { release, ended } = await occupy();
    const token = signer.sign(CLAIMS);
    const waits = await send(token, ATTACKER);
    const other = await send(token, VICTIM);
    release();
    await ended;
    expect([await waits.status, await other.status]).toEqual([429, 200]);
  });
});

describeOnFirestores(({ firestore }) => {
  it('counts a kid that Firestore reserves as that of an unknown key', async () => {
    const clock = new FakeClock('2026-11-20T10:00:00Z');
    const { server } = createTestService({ firestore: firestore(), clock, bigQueryUrl: '' });
    const codes: number[] = [];
    for (let index = 0; index < 120; index += 1) {
      const kid = `__${String(index).padStart(39, 'a')}__`;
      const token = createSigner().sign(CLAIMS, { kid });
      const { status } = await request(server)
        .get('/api/endpoints')
        .set('Authorization', `Bearer ${token}`);
      codes.push(status);
    }
    expect(codes).toEqual([...Array<number>(100).fill(401), ...Array<number>(20).fill(429)]);
  });
});

it.each([
  ['HS256', 'an Ed25519 signature'],
  ['HS256 with the bytes of the key', 'an Ed25519 signature'],
  // Its signature is as long as one of Ed25519.
  ['HS512', '"alg"'],
  ['RS256', 'an Ed25519 signature'],
  ['EdDSA which is RSA', 'an Ed25519 signature'],
])('a token that is signed with %s is refused', async (alg, told) => {
  /** With the key that the service has as the secret, or with another algorithm. */
  function forged(alg: string): string {
    const header = JSON.stringify({ alg: alg.replace(/ .*/, ''), typ: 'JWT', kid: signer.id });
    const signed = `${encode(header)}.${encode(JSON.stringify(CLAIMS))}`;
    if (!alg.startsWith('HS')) {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    }
    const secret = signer.stored().publicKey ?? '';
    const key = alg.includes('bytes') ? Buffer.from(secret, 'base64url') : secret;
    const hmac = createHmac(alg.startsWith('HS512') ? 'sha512' : 'sha256', key);
    return `${signed}.${hmac.update(signed).digest('base64url')}`;
  }

  const answer = await get(ROWS, forged(alg));
  const { error } = answer.body as { error: { message: string } };
  expect([answer.status, error.message]).toEqual([401, expect.stringContaining(told)]);
  expect([service.keyStore.lookups, service.queryRunner.requests]).toEqual([[], []]);
});

it('a token has one text: other spellings of its signature are neither verified nor remembered', async () => {
  const token = signer.sign(CLAIMS);
  expect((await get(ROWS, token)).status).toBe(200);
  const signature = Buffer.from(token.slice(-86), 'base64url');
  for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    const other = token.slice(0, -1) + character;
    if (other === token || !Buffer.from(other.slice(-86), 'base64url').equals(signature)) continue;
    expect((await get(ROWS, other)).status).toBe(401);
  }
  expect(service.verified()).toBe(1);
});
