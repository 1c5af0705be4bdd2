// Tests of authentication: which keys are accepted, how soon changes take effect, and what unknown keys cost.
import { createHash } from 'node:crypto';
import { storeDeadlines } from '../../functions/core/store-deadlines.ts';
import { createAuthenticator } from '../../functions/keys/authenticate.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { FakeClock } from '../support/clock.ts';
import { FakeKeyStore } from '../support/fakes/fake-key-store.ts';

const SECRET = 'sqk_known-key-of-the-dashboard';
const OTHER = 'sqk_another-key-entirely';
const INVALID = {
  reason: 'API_KEY_INVALID',
  message:
    'A valid API key is needed in the header X-API-KEY, or a key or token as Authorization: Bearer.',
};
const EXHAUSTED = {
  reason: 'KEY_LOOKUPS_EXHAUSTED',
  message: 'Too many unknown API keys or tokens were sent from this address. Try again shortly.',
  retryAfterSeconds: 1,
};
const UNAVAILABLE = { reason: 'KEY_STORE_UNAVAILABLE', retryAfterSeconds: 5 };

let { clock, keyStore, authenticate, addresses } = start();

beforeEach(() => {
  ({ clock, keyStore, authenticate, addresses } = start());
});

function start(keyCacheSeconds = 60) {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const keyStore = new FakeKeyStore();
  keyStore.add(SECRET, { name: 'dashboard' });
  const authenticate = createAuthenticator({
    keyStore: storeDeadlines(clock, 2000).calls(keyStore),
    clock,
    keyCacheSeconds,
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

/** How often each reason came, or `accepted`. */
function reasonsOf(outcomes: readonly PromiseSettledResult<ApiKey>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const reason =
      outcome.status === 'fulfilled' ? 'accepted' : (outcome.reason as { reason: string }).reason;
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

describe('a key', () => {
  it('that is known has the properties in the store', async () => {
    const key: ApiKey = {
      name: 'one project',
      endpoints: ['web.visit-counts'],
      parameters: { project: ['abc'] },
      expiresAtMs: Date.parse('2026-11-21T00:00:00Z'),
    };
    keyStore.add(OTHER, key);
    const digest = createHash('sha256').update(OTHER).digest('hex');
    expect(await authenticate(OTHER)).toEqual({ ...key, digest });
  });

  it.each([
    ['too short', 'sqk_abc'],
    ['too long', `sqk_${'a'.repeat(253)}`],
    ['known but for a blank', `${SECRET} `],
    ['known but for a line break', `${SECRET}\n`],
    ['known but for letter case', SECRET.toUpperCase()],
    ['not in ASCII', `${SECRET}é`],
    ['the digest instead of the key', createHash('sha256').update(SECRET).digest('hex')],
  ])('that is %s gets the same error as any other invalid key', async (_name, header) => {
    await expect(authenticate(header)).rejects.toMatchObject(INVALID);
  });
});

describe('a look-up is cached', () => {
  it('for 60 s if the key is known', async () => {
    await authenticate(SECRET);
    // Uses in between do not make it longer.
    for (const ms of [30_000, 29_999]) {
      clock.advance(ms);
      await authenticate(SECRET);
    }
    expect(keyStore.lookups).toHaveLength(1);
    clock.advance(2);
    await authenticate(SECRET);
    expect(keyStore.lookups).toHaveLength(2);
  });

  it.each([
    ['revoked', () => keyStore.add(SECRET, { revokedAtMs: clock.nowMs() })],
    ['deleted', () => keyStore.keys.clear()],
  ])('so that a key that is %s is rejected within 60 s', async (_, change) => {
    await authenticate(SECRET);
    clock.advance(1);
    change();
    clock.advance(60_000);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
  });

  it('for 10 s if the key does not exist, so that a new key works soon', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(authenticate(OTHER)).rejects.toMatchObject(INVALID);
      clock.advance(3000);
    }
    expect(keyStore.lookups).toHaveLength(1);
    keyStore.add(OTHER);
    clock.advance(1001);
    await expect(authenticate(OTHER)).resolves.toMatchObject({ name: 'test' });
  });

  it('not at all with KEY_CACHE_SECONDS=0', async () => {
    ({ keyStore, authenticate } = start(0));
    await authenticate(SECRET);
    await authenticate(SECRET);
    expect(keyStore.lookups).toHaveLength(2);
  });

  it('but the expiry of a key is checked on each use', async () => {
    keyStore.add(SECRET, { expiresAtMs: Date.parse('2026-11-20T10:00:30Z') });
    await authenticate(SECRET);
    clock.advance(29_999);
    await authenticate(SECRET);
    clock.advance(1);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
    expect(keyStore.lookups).toHaveLength(1);
  });

  it('but a future revocation takes effect on time', async () => {
    keyStore.add(SECRET, { revokedAtMs: Date.parse('2026-11-20T10:00:05Z') });
    await authenticate(SECRET);
    clock.advance(5000);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
  });
});

describe('an unavailable key store', () => {
  function breakDown(): void {
    keyStore.before = () => {
      throw new Error('14 UNAVAILABLE: firestore');
    };
  }

  // Access fails closed.
  it('grants no access to a key whose cache entry has expired', async () => {
    await authenticate(SECRET);
    breakDown();
    clock.advance(60_001);
    await expect(authenticate(SECRET)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('is not described to the caller, but fully logged', async () => {
    breakDown();
    await expect(authenticate(OTHER)).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: 'API keys cannot be checked at the moment. Try again shortly.',
      cause: expect.objectContaining({ message: '14 UNAVAILABLE: firestore' }) as Error,
    });
  });
});

describe('concurrent look-ups', () => {
  it.each([
    ['key', SECRET, { accepted: 50 }],
    ['unknown key', OTHER, { API_KEY_INVALID: 50 }],
  ])('of one %s are a single read', async (_name, key, reasons) => {
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => authenticate(key)));
    expect(reasonsOf(outcomes)).toEqual(reasons);
    expect(keyStore.lookups).toHaveLength(1);
  });

  it('of sixty keys from one address are all accepted', async () => {
    const secrets = madeUp(60);
    for (const secret of secrets) keyStore.add(secret, { name: secret });
    const keys = await Promise.all(secrets.map((secret) => authenticate(secret)));
    expect(keys.map(({ name }) => name)).toEqual(secrets);
    expect(keyStore.lookups).toHaveLength(60);
  });
});

it('the client address is computed only for the look-up of a key that was not known before', async () => {
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
describe('a flood of made-up keys', () => {
  it('from very many addresses costs 1,000 reads per second', async () => {
    for (const [index, header] of madeUp(2000).entries()) {
      const outcome = authenticate(header, `198.51.${index >> 8}.${index & 255}`);
      await expect(outcome).rejects.toMatchObject(index < 1000 ? INVALID : UNAVAILABLE);
    }
    expect(keyStore.lookups).toHaveLength(1000);
    await expect(authenticate(SECRET)).rejects.toMatchObject(UNAVAILABLE);
    clock.advance(1000);
    await expect(authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
  });

  it('uses no budget of its addresses if the global bound rejects it', async () => {
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

  it('locks out a deleted key like a made-up one', async () => {
    await authenticate(SECRET);
    keyStore.keys.clear();
    clock.advance(60_001);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
    clock.advance(10_001);
    for (const header of madeUp(100)) {
      await expect(authenticate(header)).rejects.toMatchObject(INVALID);
    }
    await expect(authenticate(SECRET)).rejects.toMatchObject(EXHAUSTED);
  });

  it('does not evict a cached key, however long it lasts', async () => {
    await authenticate(SECRET);
    for (const [index, header] of madeUp(12_000).entries()) {
      if (index % 100 === 99) clock.advance(400);
      await authenticate(header, `198.51.${index >> 8}.${index & 255}`).catch(() => undefined);
    }
    const before = keyStore.lookups.length;
    await expect(authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
    expect(keyStore.lookups).toHaveLength(before);
  });
});

// While the store is down nobody knows whether a key is unknown.
it('an outage of the key store does not use up the budget of valid keys', async () => {
  const good = madeUp(60, 'good');
  for (const key of good) keyStore.add(key);
  keyStore.before = () => Promise.reject(new Error('down'));
  const during = await Promise.allSettled(good.map((key) => authenticate(key)));
  expect(reasonsOf(during)).toEqual({ KEY_STORE_UNAVAILABLE: 60 });
  keyStore.before = () => undefined;
  for (const key of good) await expect(authenticate(key)).resolves.toBeDefined();
});
