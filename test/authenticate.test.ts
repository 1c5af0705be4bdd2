// Who gets in, how soon a change of a key works, and what a flood of made-up keys costs.
import { createHash } from 'node:crypto';
import { createAuthenticator } from '../functions/authenticate.ts';
import type { ApiKey } from '../functions/core/ports.ts';
import { FakeClock } from './support/fake-clock.ts';
import { FakeKeyStore } from './support/fake-key-store.ts';

const SECRET = 'sqk_known-key-of-the-dashboard';
const OTHER = 'sqk_another-key-entirely';
const INVALID = {
  reason: 'API_KEY_INVALID',
  message: 'A valid API key is needed in the header X-API-KEY.',
};
const UNAVAILABLE = { reason: 'KEY_STORE_UNAVAILABLE', retryAfterSeconds: 5 };

interface Fixture {
  clock: FakeClock;
  keyStore: FakeKeyStore;
  authenticate: (header: string | undefined) => Promise<ApiKey>;
}

function start(keyCacheSeconds = 60): Fixture {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const keyStore = new FakeKeyStore();
  keyStore.add(SECRET, { name: 'dashboard' });
  const authenticate = createAuthenticator({ keyStore, clock, keyCacheSeconds, timeoutMs: 2000 });
  // It throws what it knows at once, and rejects otherwise: to a caller that awaits both are one.
  return { clock, keyStore, authenticate: async (header) => authenticate(header) };
}

function madeUp(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `sqk_made-up-${index}`);
}

describe('a key', () => {
  it('that is known is what the store says of it', async () => {
    const { keyStore, authenticate } = start();
    const key: ApiKey = {
      name: 'one project',
      endpoints: ['usage.api-counts'],
      parameters: { project: ['abc'] },
      expiresAtMs: Date.parse('2026-11-21T00:00:00Z'),
    };
    keyStore.add(OTHER, key);
    expect(await authenticate(OTHER)).toEqual(key);
  });

  it('is looked up by its SHA-256, never by itself', async () => {
    const { keyStore, authenticate } = start();
    await authenticate(SECRET);
    expect(keyStore.lookups).toEqual([createHash('sha256').update(SECRET).digest('hex')]);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['unknown', 'sqk_nobody-has-made-this-one'],
    ['too short', 'sqk_abc'],
    ['too long', `sqk_${'a'.repeat(253)}`],
    ['known but for a blank', `${SECRET} `],
    ['known but for a line break', `${SECRET}\n`],
    ['known but for letter case', SECRET.toUpperCase()],
    ['two of them', `${SECRET}, ${SECRET}`],
    ['not in ASCII', `${SECRET}é`],
    ['the digest instead of the key', createHash('sha256').update(SECRET).digest('hex')],
    ['revoked', 'sqk_revoked-key'],
    ['expired', 'sqk_expired-key'],
  ])('that is %s gets the one answer for all of them', async (_name, header) => {
    const { keyStore, authenticate } = start();
    keyStore.add('sqk_revoked-key', { revokedAtMs: Date.parse('2026-11-20T09:59:59Z') });
    keyStore.add('sqk_expired-key', { expiresAtMs: Date.parse('2026-11-20T10:00:00Z') });
    await expect(authenticate(header)).rejects.toMatchObject(INVALID);
  });

  it('that is missing or malformed costs no read', async () => {
    const { keyStore, authenticate } = start();
    for (const header of [undefined, '', 'short', 'a'.repeat(257), `${SECRET} `]) {
      await expect(authenticate(header)).rejects.toMatchObject(INVALID);
    }
    expect(keyStore.lookups).toEqual([]);
  });

  it('is not in the error that refuses it', async () => {
    const error: unknown = await start()
      .authenticate(OTHER)
      .catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(OTHER);
  });
});

describe('what was looked up is remembered', () => {
  it('for 60 s where the key is known', async () => {
    const { clock, keyStore, authenticate } = start();
    await authenticate(SECRET);
    clock.advance(59_999);
    await authenticate(SECRET);
    expect(keyStore.lookups).toHaveLength(1);
    clock.advance(2);
    await authenticate(SECRET);
    expect(keyStore.lookups).toHaveLength(2);
  });

  it('of each of many keys', async () => {
    const { clock, keyStore, authenticate } = start();
    const secrets = Array.from({ length: 500 }, (_, index) => `sqk_key-number-${index}`);
    for (const secret of secrets) keyStore.add(secret, { name: secret });
    for (const round of [1, 2]) {
      for (const secret of secrets) {
        clock.advance(10);
        expect(await authenticate(secret)).toMatchObject({ name: secret });
      }
      expect([round, keyStore.lookups.length]).toEqual([round, 500]);
    }
  });

  it('no longer for being used: the 60 s begin with the look-up', async () => {
    const { clock, keyStore, authenticate } = start();
    await authenticate(SECRET);
    for (let second = 0; second < 6; second += 1) {
      clock.advance(10_001);
      await authenticate(SECRET);
    }
    expect(keyStore.lookups).toHaveLength(2);
  });

  it('so that a revocation works within 60 s', async () => {
    const { clock, keyStore, authenticate } = start();
    await authenticate(SECRET);
    clock.advance(1);
    keyStore.add(SECRET, { revokedAtMs: clock.nowMs() });
    clock.advance(60_000);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
  });

  it('so that a deleted key is refused within 60 s', async () => {
    const { clock, keyStore, authenticate } = start();
    await authenticate(SECRET);
    clock.advance(1);
    keyStore.keys.clear();
    clock.advance(60_000);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
  });

  it('for 10 s where there is no such key, so that a new key works soon', async () => {
    const { clock, keyStore, authenticate } = start();
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
    const { keyStore, authenticate } = start(0);
    await authenticate(SECRET);
    await authenticate(SECRET);
    expect(keyStore.lookups).toHaveLength(2);
  });

  it('but the end of a key is checked each time it is used', async () => {
    const { clock, keyStore, authenticate } = start();
    keyStore.add(SECRET, { expiresAtMs: Date.parse('2026-11-20T10:00:30Z') });
    await authenticate(SECRET);
    clock.advance(29_999);
    await authenticate(SECRET);
    clock.advance(1);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
    expect(keyStore.lookups).toHaveLength(1);
  });

  it('but a revocation in the future works on time', async () => {
    const { clock, keyStore, authenticate } = start();
    keyStore.add(SECRET, { revokedAtMs: Date.parse('2026-11-20T10:00:05Z') });
    await authenticate(SECRET);
    clock.advance(5000);
    await expect(authenticate(SECRET)).rejects.toMatchObject(INVALID);
  });
});

describe('a store that is down', () => {
  function breakDown({ keyStore }: Fixture): void {
    keyStore.before = () => {
      throw new Error('14 UNAVAILABLE: firestore');
    };
  }

  it('does not concern a key that is remembered', async () => {
    const fixture = start();
    await fixture.authenticate(SECRET);
    breakDown(fixture);
    fixture.clock.advance(30_000);
    await expect(fixture.authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
  });

  // Access fails closed.
  it('opens nothing to a key that is no longer remembered', async () => {
    const fixture = start();
    await fixture.authenticate(SECRET);
    breakDown(fixture);
    fixture.clock.advance(60_001);
    await expect(fixture.authenticate(SECRET)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('opens nothing to a key that was never seen', async () => {
    const fixture = start();
    breakDown(fixture);
    await expect(fixture.authenticate(OTHER)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('tells the caller nothing of its fault, and the log everything', async () => {
    const fixture = start();
    breakDown(fixture);
    await expect(fixture.authenticate(OTHER)).rejects.toMatchObject({
      message: 'API keys cannot be checked at the moment. Try again shortly.',
      cause: expect.objectContaining({ message: '14 UNAVAILABLE: firestore' }) as Error,
    });
  });

  it('is asked again at the next request', async () => {
    const fixture = start();
    breakDown(fixture);
    await expect(fixture.authenticate(SECRET)).rejects.toMatchObject(UNAVAILABLE);
    fixture.keyStore.before = () => undefined;
    await expect(fixture.authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
  });

  it('counts as down where it has no answer after the timeout', async () => {
    const { clock, keyStore, authenticate } = start();
    keyStore.before = () => new Promise(() => undefined);
    const outcome = authenticate(SECRET);
    clock.advance(2000);
    await expect(outcome).rejects.toMatchObject(UNAVAILABLE);
  });

  it('counts as up where it answers just before the timeout', async () => {
    const { clock, keyStore, authenticate } = start();
    const gate = Promise.withResolvers<void>();
    keyStore.before = () => gate.promise;
    const outcome = authenticate(SECRET);
    clock.advance(1999);
    gate.resolve();
    await expect(outcome).resolves.toMatchObject({ name: 'dashboard' });
  });
});

describe('look-ups at once', () => {
  it('of one key are one read', async () => {
    const { keyStore, authenticate } = start();
    const keys = await Promise.all(Array.from({ length: 50 }, () => authenticate(SECRET)));
    expect(keys.map(({ name }) => name)).toEqual(Array<string>(50).fill('dashboard'));
    expect(keyStore.lookups).toHaveLength(1);
  });

  it('of one unknown key are one read', async () => {
    const { keyStore, authenticate } = start();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => authenticate(OTHER)),
    );
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(keyStore.lookups).toHaveLength(1);
  });

  it('of different keys are different reads', async () => {
    const { keyStore, authenticate } = start();
    keyStore.add(OTHER, { name: 'other' });
    const keys = await Promise.all([authenticate(SECRET), authenticate(OTHER)]);
    expect(keys.map(({ name }) => name)).toEqual(['dashboard', 'other']);
    expect(keyStore.lookups).toHaveLength(2);
  });
});

// Made-up keys are free for an attacker; reads of the store are not free for us.
describe('a flood of 1,000 made-up keys', () => {
  it('one after the other in one second costs 100 reads', async () => {
    const { keyStore, authenticate } = start();
    for (const header of madeUp(1000)) await expect(authenticate(header)).rejects.toThrow();
    expect(keyStore.lookups).toHaveLength(100);
  });

  it('does not keep out who has a key, also once it is looked up again', async () => {
    const { clock, authenticate } = start();
    await authenticate(SECRET);
    for (let second = 0; second < 120; second += 1) {
      clock.advance(1000);
      for (let made = 0; made < 110; made += 1) {
        await expect(authenticate(`sqk_made-up-${second}-${made}`)).rejects.toThrow();
      }
      expect(await authenticate(SECRET)).toMatchObject({ name: 'dashboard' });
    }
  });

  it('at once costs 32 reads', async () => {
    const { clock, keyStore, authenticate } = start();
    keyStore.before = () => new Promise(() => undefined);
    const outcomes = madeUp(1000).map((header) => authenticate(header));
    const settled = Promise.allSettled(outcomes);
    expect(keyStore.lookups).toHaveLength(32);
    clock.advance(2000);
    const reasons = (await settled).map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as { reason: string }).reason : 'accepted',
    );
    expect(new Set(reasons)).toEqual(new Set(['KEY_STORE_UNAVAILABLE']));
  });

  it('tells those beyond the bound to come again, and never that their key is bad', async () => {
    const { authenticate } = start();
    for (const header of madeUp(100)) {
      await expect(authenticate(header)).rejects.toMatchObject(INVALID);
    }
    await expect(authenticate(SECRET)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('is over for a new key in the next second', async () => {
    const { clock, authenticate } = start();
    for (const header of madeUp(1000)) await expect(authenticate(header)).rejects.toThrow();
    clock.advance(1000);
    await expect(authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
  });

  it('does not concern a key that is remembered', async () => {
    const { keyStore, authenticate } = start();
    await authenticate(SECRET);
    for (const header of madeUp(1000)) await expect(authenticate(header)).rejects.toThrow();
    await expect(authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
    const digest = createHash('sha256').update(SECRET).digest('hex');
    expect(keyStore.lookups.filter((lookup) => lookup === digest)).toHaveLength(1);
  });

  it('does not push out a remembered key, even where it lasts', async () => {
    const { clock, keyStore, authenticate } = start();
    await authenticate(SECRET);
    for (const [index, header] of madeUp(12_000).entries()) {
      if (index % 100 === 99) clock.advance(400);
      await authenticate(header).catch(() => undefined);
    }
    const before = keyStore.lookups.length;
    await expect(authenticate(SECRET)).resolves.toMatchObject({ name: 'dashboard' });
    expect(keyStore.lookups).toHaveLength(before);
  });
});

it('shares nothing between two authenticators', async () => {
  const [one, other] = [start(), start()];
  await one.authenticate(SECRET);
  await other.authenticate(SECRET);
  expect(other.keyStore.lookups).toHaveLength(1);
});
