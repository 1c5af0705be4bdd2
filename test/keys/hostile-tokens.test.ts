// Tests that no forged, malformed or mistimed token is accepted, and that none costs those who share a key, an instance or an address with its sender.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import request from 'supertest';
import { createQueryServer, createTestService } from '../support/world.ts';
import { FakeClock } from '../support/clock.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { createSigner, encode } from '../support/service/sign-token.ts';
import { listen } from '../support/service/listen.ts';
import { until } from '../support/until.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const CLAIMS = { iat: NOW, exp: NOW + 3600 };
const [ATTACKER, VICTIM] = ['198.51.100.7', '203.0.113.1'];
const signer = createSigner();

async function start() {
  const service = createQueryServer();
  await listen(service.server);
  service.keyStore.keys.set(signer.id, signer.stored());
  const get = (token: string, address = VICTIM) =>
    request(service.server)
      .get('/api/endpoints/query/tasks.run-stats?project=a&interval=1day')
      .set({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': address });
  return { ...service, get };
}

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

it.each([
  ['the first look-up of a signing key by another one', false, 'another'],
  ['the verification of the same token from another one', true, 'a token'],
])('an address without look-ups left does not stop %s', async (_, isKnown, jti) => {
  const { server, keyStore, get } = await start();
  /** Returns once the service has the request, whose answer may be waiting. */
  async function send(token: string, address: string): Promise<{ status: Promise<number> }> {
    const arrived = once(server, 'request');
    const status = get(token, address).then((answer) => answer.status);
    await arrived;
    return { status };
  }

  if (isKnown) expect((await get(signer.sign({ ...CLAIMS, jti: 'first' }))).status).toBe(200);
  // The attacker's address has sent what waits for look-ups of invented keys.
  const { promise, resolve: release } = Promise.withResolvers<void>();
  keyStore.before = (id) => (id === signer.id ? undefined : promise);
  const invented = Array.from({ length: 100 }, () =>
    get(createSigner().sign(CLAIMS), ATTACKER).then(),
  );
  await until(() => keyStore.lookups.filter((id) => id !== signer.id).length === 100);
  const waits = await send(signer.sign({ ...CLAIMS, jti: 'a token' }), ATTACKER);
  const other = await send(signer.sign({ ...CLAIMS, jti }), VICTIM);
  release();
  await Promise.all(invented);
  expect([await waits.status, await other.status]).toEqual([429, 200]);
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

  const { keyStore, queryRunner, get } = await start();
  const answer = await get(forged(alg));
  const { error } = answer.body as { error: { message: string } };
  expect([answer.status, error.message]).toEqual([401, expect.stringContaining(told)]);
  expect([keyStore.lookups, queryRunner.requests]).toEqual([[], []]);
});

it('a token has one text: other spellings of its signature are neither verified nor remembered', async () => {
  const { verified, get } = await start();
  const token = signer.sign(CLAIMS);
  expect((await get(token)).status).toBe(200);
  const signature = Buffer.from(token.slice(-86), 'base64url');
  for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    const other = token.slice(0, -1) + character;
    if (other === token || !Buffer.from(other.slice(-86), 'base64url').equals(signature)) continue;
    expect((await get(other)).status).toBe(401);
  }
  expect(verified()).toBe(1);
});
