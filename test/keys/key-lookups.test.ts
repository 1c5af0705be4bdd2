// Tests of a flood of unknown API keys over HTTP: who is refused, and who is not affected.
import { randomBytes } from 'node:crypto';
import type { Test } from 'supertest';
import { withChecksum } from '../../functions/keys/access.ts';
import { createQueryServer, type QueryServer } from '../support/world.ts';
import { listen } from '../support/service/listen.ts';

const PATH = '/api/endpoints/query/tasks.run-stats?project=a';

let service: QueryServer;

beforeEach(() => serve());

async function serve(options?: Parameters<typeof createQueryServer>[0]): Promise<void> {
  service = createQueryServer(options);
  await listen(service.server);
}

/** The address is the last one; what stands before is the client's own. */
function get(key: string, address: string): Test {
  const before = `192.0.2.${Math.floor(Math.random() * 256)}`;
  return service.get(PATH, key).set('X-Forwarded-For', `${before}, ${address}`);
}

describe('a flood of 500 made-up keys a second from one address', () => {
  it.each([
    ['of the shape without a checksum', () => `sqk_${randomBytes(32).toString('base64url')}`],
    ['with right checksums', () => withChecksum(`sqk_${randomBytes(32).toString('base64url')}`)],
  ])('%s does not prevent the first use of a key from another address', async (_name, madeUp) => {
    const statuses: number[] = [];
    for (let second = 0; second < 2; second += 1) {
      for (let tick = 0; tick < 10; tick += 1) {
        const wave = Array.from({ length: 50 }, () => get(madeUp(), '198.51.100.7'));
        const key = `sqk_first-use-${second}-${tick}`;
        service.keyStore.add(key);
        const used = get(key, `203.0.113.${second * 10 + tick}`);
        const [answer, ...refused] = await Promise.all([used, ...wave]);
        expect(answer?.status).toBe(200);
        statuses.push(...refused.map(({ status }) => status));
        service.clock.advance(100);
      }
    }
    // 100 at once and 5 a second are looked up.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(110);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(service.keyStore.lookups.length).toBeLessThanOrEqual(110 + 20);
  });
});

it('gives an address over its budget the same answer for every key, with Retry-After', async () => {
  for (let index = 0; index < 100; index += 1) await get(`sqk_made-up-${index}`, '198.51.100.7');
  service.keyStore.add('sqk_that-exists');
  const [existing, unknown] = await Promise.all([
    get('sqk_that-exists', '198.51.100.7'),
    get('sqk_that-does-not', '198.51.100.7'),
  ]);
  expect([existing.status, unknown.status]).toEqual([429, 429]);
  expect(existing.headers['retry-after']).toBe('1');
  expect(existing.body).toEqual(unknown.body);
  expect(existing.body).toMatchObject({
    error: {
      status: 'RESOURCE_EXHAUSTED',
      details: [{ reason: 'KEY_LOOKUPS_EXHAUSTED' }, { retryDelay: '1s' }],
    },
  });
  service.clock.advance(1000);
  expect((await get('sqk_that-exists', '198.51.100.7')).status).toBe(200);
});

it('uses the address at FORWARDED_FOR_POSITION, whatever a load balancer appends', async () => {
  await serve({ forwardedForPosition: 2 });
  for (let index = 0; index < 100; index += 1) {
    await get(`sqk_made-up-${index}`, `198.51.100.7, 10.0.0.${index}`);
  }
  expect((await get('sqk_more', '198.51.100.7, 10.0.0.99')).status).toBe(429);
  expect((await get('sqk_more', '198.51.100.8, 10.0.0.99')).status).toBe(401);
});
