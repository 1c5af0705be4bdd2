// Tests of authentication: which keys are accepted, how soon changes take effect, and what unknown keys cost.
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { createAuthenticator } from '../../functions/keys/authenticate.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { FakeClock } from '../support/clock.ts';
import { FakeKeyStore } from '../support/fakes/fake-key-store.ts';

const SECRET = 'sqk_known-key-of-the-dashboard';
const OTHER = 'sqk_another-key-entirely';
const INVALID = { reason: 'API_KEY_INVALID' };
const UNAVAILABLE = { reason: 'KEY_STORE_UNAVAILABLE', retryAfterSeconds: 5 };

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

function start() {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const keyStore = new FakeKeyStore();
  keyStore.add(SECRET, { name: 'dashboard' });
  const authenticate = createAuthenticator({
    keyStore: storeDeadlines(clock, 2000).calls(keyStore),
    clock,
    keyCacheSeconds: 60,
    loadVerify: () => Promise.reject(new Error('No token is sent.')),
  });
  const addresses: string[] = [];
  return {
    clock,
    keyStore,
    /** Those that were asked for, in order. */
    addresses,
    // It throws what it knows at once, and rejects otherwise: to a caller that awaits both are one.
    authenticate: async (header: string | undefined, address = '192.0.2.1') =>
      authenticate(header === undefined ? undefined : { text: header, isBearer: false }, () => {
        addresses.push(address);
        return address;
      }),
  };
}

function madeUp(count: number, label = 'made-up'): string[] {
  return Array.from({ length: count }, (_, index) => `sqk_${label}-${index}`);
}

it.each([
  ['key', SECRET, 'accepted'],
  ['unknown key', OTHER, 'API_KEY_INVALID'],
])('concurrent look-ups of one %s are a single read', async (_, key, outcome) => {
  const { keyStore, authenticate } = start();
  const asked = Array.from({ length: 50 }, () =>
    authenticate(key).then(
      () => 'accepted',
      (error: { reason: string }) => error.reason,
    ),
  );
  expect(await Promise.all(asked)).toEqual(Array(50).fill(outcome));
  expect(keyStore.lookups).toHaveLength(1);
});

it('the client address is computed only for the look-up of a key that was not known before', async () => {
  const { clock, keyStore, authenticate, addresses } = start();
  await authenticate(SECRET);
  await authenticate(SECRET);
  clock.advance(60_001);
  await authenticate(SECRET);
  for (const malformed of [undefined, '', 'short', 'a'.repeat(257), `${SECRET} `]) {
    await expect(authenticate(malformed)).rejects.toMatchObject(INVALID);
  }
  expect([addresses, keyStore.lookups.length]).toEqual([['192.0.2.1'], 2]);
  await expect(authenticate(OTHER)).rejects.toMatchObject(INVALID);
  await expect(authenticate(OTHER)).rejects.toMatchObject(INVALID);
  expect(addresses).toEqual(['192.0.2.1', '192.0.2.1']);
});

// Made-up keys are free for an attacker; reads of the store are not free for us.
it('a flood of made-up keys from very many addresses costs 1,000 reads per second', async () => {
  const { clock, keyStore, authenticate } = start();
  for (const [index, header] of madeUp(2000).entries()) {
    const outcome = authenticate(header, `198.51.${index >> 8}.${index & 255}`);
    await expect(outcome).rejects.toMatchObject(index < 1000 ? INVALID : UNAVAILABLE);
  }
  expect(keyStore.lookups).toHaveLength(1000);
  await expect(authenticate(SECRET)).rejects.toMatchObject(UNAVAILABLE);
  clock.advance(1000);
  await expect(authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
});

it('a flood of made-up keys uses no budget of its addresses if the global bound rejects it', async () => {
  const { clock, authenticate } = start();
  for (const [index, header] of madeUp(1000).entries()) {
    await authenticate(header, `198.51.${index >> 8}.${index & 255}`).catch(() => undefined);
  }
  for (const header of madeUp(100, 'refused')) {
    await expect(authenticate(header)).rejects.toMatchObject(UNAVAILABLE);
  }
  clock.advance(1000);
  for (const header of madeUp(100, 'later')) {
    await expect(authenticate(header)).rejects.toMatchObject(INVALID);
  }
});

it('a flood of made-up keys does not evict a cached key, however long it lasts', async () => {
  const { clock, keyStore, authenticate } = start();
  await authenticate(SECRET);
  for (const [index, header] of madeUp(12_000).entries()) {
    if (index % 100 === 99) clock.advance(400);
    await authenticate(header, `198.51.${index >> 8}.${index & 255}`).catch(() => undefined);
  }
  const before = keyStore.lookups.length;
  await expect(authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
  expect(keyStore.lookups).toHaveLength(before);
});
