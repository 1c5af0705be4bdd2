// Tests of attacks with tokens on those who share a key, an instance or an address with the attacker.
import { once } from 'node:events';
import request from 'supertest';
import { type QueryServer, createQueryServer, createTestService } from '../support/world.ts';
import { FakeClock } from '../support/clock.ts';
import { describeOnFirestores } from '../support/service/firestore-emulators.ts';
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

it('a token with half a surrogate pair in its parameters is refused as one that is not valid', async () => {
  for (const parameters of [
    '{"project":{"fixed":"\\ud800"}}',
    '{"pro\\udfffject":{"fixed":"a"}}',
    '{"project":["a","\\ud800"]}',
  ]) {
    const claims = `{"iat":${NOW},"exp":${NOW + 60},"parameters":${parameters}}`;
    const header = JSON.stringify({ alg: 'EdDSA', kid: signer.id });
    const token = signer.signTexts(header, claims);
    for (const path of [ROWS, ROWS.replace('project=a&', '')]) {
      expect((await get(path, token)).status).toBe(401);
    }
  }
});

it('a header is refused by its length before it is read', async () => {
  const nested = `{"a":${'['.repeat(2900)}${']'.repeat(2900)}}`;
  const token = `${encode(nested)}.e30.${'A'.repeat(86)}`;
  const answer = await get(ROWS, token);
  const { error } = answer.body as { error: { message: string } };
  expect([answer.status, error.message]).toEqual([
    401,
    'The token is not valid. It must have a header of at most 512 characters, claims and an Ed25519 signature, and at most 8192 characters in all.',
  ]);
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

it('a token in memory does not open for other claims with its signature', async () => {
  const token = signer.sign({ ...CLAIMS, parameters: { project: ['a'] } });
  expect((await get(ROWS, token)).status).toBe(200);
  const [header, , signature] = token.split('.');
  const widened = `${header}.${encode(JSON.stringify(CLAIMS))}.${signature}`;
  expect((await get(ROWS, widened)).status).toBe(401);
  expect((await get(ROWS, token)).status).toBe(200);
  expect(service.verified()).toBe(2);
});
