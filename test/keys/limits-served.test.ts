// Tests of the limits of keys over HTTP: what counts as a request and as a miss, and what callers are told.
import request, { type Response } from 'supertest';
import { ServiceError } from '../../functions/core/errors.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { API_KEY, type QueryServer, createQueryServer } from '../support/world.ts';
import { turnsUntil, turnsUntilDone } from '../support/until.ts';

const AGENT = 'sqk_agent-with-limits';
const CATALOGUE = '/api/endpoints';
const STATS = '/api/endpoints/query/tasks.run-stats';
const ROWS = `${STATS}?project=a`;

let service: QueryServer;

beforeEach(() => void (service = createQueryServer()));

function limit(fields: Partial<ApiKey>): void {
  service.keyStore.add(AGENT, { name: 'agent', ...fields });
}

async function get(path: string, headers = {}, to = service): Promise<Response> {
  return to.get(path, AGENT).set(headers);
}

/** Status and the field `RateLimit`. */
async function leftAfter(answer: Promise<Response>): Promise<unknown[]> {
  const { status, headers } = await answer;
  return [status, headers.ratelimit];
}

const reasonOf = ({ body }: Response) =>
  (body as { error: { details: { reason: string }[] } }).error.details[0]?.reason;

const REFUSED = 'This API key is limited to 60 requests in a minute. Try again in 1 s.';

describe('a key with 60 requests per minute', () => {
  beforeEach(() => limit({ requestsPerMinute: 60 }));

  it('gets 60 answers, then 429 until Retry-After, without affecting other keys', async () => {
    for (let count = 0; count < 60; count += 1) expect((await get(ROWS)).status).toBe(200);
    const refused = await get(ROWS, { Origin: 'https://a.example' });
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"requests";q=60;w=60',
      ratelimit: '"requests";r=0;t=1',
      'cache-control': 'no-store',
      'access-control-expose-headers': expect.stringContaining(
        'RateLimit, RateLimit-Policy',
      ) as string,
    });
    const details = [{ reason: 'RATE_LIMITED' }, { retryDelay: '1s' }];
    expect(refused.body).toMatchObject({ error: { message: REFUSED, details } });
    expect(service.log.lines.at(-1)).toMatchObject({
      fields: { keyName: 'agent', reason: 'RATE_LIMITED', status: 429 },
    });
    const other = await get(ROWS, { 'X-API-KEY': API_KEY });
    expect(other.status).toBe(200);
    expect(other.headers).not.toHaveProperty('ratelimit');
    expect(other.headers).not.toHaveProperty('ratelimit-policy');
    service.clock.advance(999);
    expect((await get(ROWS)).status).toBe(429);
    service.clock.advance(1);
    expect([(await get(ROWS)).status, (await get(ROWS)).status]).toEqual([200, 429]);
  });

  it('uses one request for each authenticated request, whatever the answer', async () => {
    limit({ requestsPerMinute: 60, parameters: { project: ['a'] } });
    const { etag } = (await get(ROWS)).headers;
    const answers = [
      await get(ROWS, { 'If-None-Match': String(etag) }),
      await get(`${ROWS}&format=xml`),
      await get(`${STATS}?project=b`),
      await get('/api/endpoints/query/no.such-endpoint'),
      await get(ROWS, { Accept: 'image/png' }),
      await get(CATALOGUE),
      await get('/api/endpoints/openapi.json'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([304, 400, 403, 404, 406, 200, 200]);
    expect(answers.map(({ headers }) => headers.ratelimit as unknown)).toEqual(
      [58, 57, 56, 55, 54, 53, 52].map((left) => `"requests";r=${left};t=1`),
    );
  });

  it('uses none for a request that is answered before authentication', async () => {
    const { server } = service;
    const unspent = [
      await get('/elsewhere'),
      await request(server).post(ROWS).set('X-API-KEY', AGENT),
      await request(server).options(ROWS).set('X-API-KEY', AGENT),
      await get(ROWS, { 'X-API-KEY': 'sqk_nobody-has-this-key' }),
    ];
    expect(unspent.map(({ status }) => status)).toEqual([404, 405, 204, 401]);
    expect(unspent.map(({ headers }) => headers.ratelimit as unknown)).toEqual(
      Array(4).fill(undefined),
    );
    expect(await leftAfter(get(CATALOGUE))).toEqual([200, '"requests";r=59;t=1']);
  });
});

it('the catalogue shows a key its own limits only', async () => {
  limit({ requestsPerMinute: 60, missesPerMinute: 10 });
  const limited = (await get(CATALOGUE)).body as { limits?: unknown };
  expect(limited.limits).toEqual({ requestsPerMinute: 60, missesPerMinute: 10 });
  limit({ missesPerMinute: 10 });
  service.clock.advance(60_001);
  expect((await get(CATALOGUE)).body).toMatchObject({ limits: { missesPerMinute: 10 } });
  const unlimited = await get(CATALOGUE, { 'X-API-KEY': API_KEY });
  expect(Object.keys(unlimited.body as object)).toEqual(['key', 'endpoints']);
});

describe('a key with two misses per minute', () => {
  beforeEach(() => limit({ missesPerMinute: 2 }));

  const jobs = () => service.queryRunner.requests.length;
  const rows = (project: string, headers = {}, to = service) =>
    get(`${STATS}?project=${project}`, headers, to);

  async function useUp(to = service): Promise<void> {
    expect(await leftAfter(rows('a', {}, to))).toEqual([200, '"misses";r=1;t=30']);
    expect(await leftAfter(rows('b', {}, to))).toEqual([200, '"misses";r=0;t=30']);
    expect(jobs()).toBe(2);
  }

  /** Waits until so many requests have come from now on, and have gone as far as they can. */
  function arrivals({ server }: QueryServer): (count: number) => Promise<void> {
    let [arrivedCount, turnCount] = [0, 0];
    server.on('request', () => {
      arrivedCount += 1;
      turnCount = 0;
    });
    return (count) => turnsUntil(() => arrivedCount === count && (turnCount += 1) > 20);
  }

  it('starts two jobs, then one every 30 s', async () => {
    await useUp();
    const refused = await rows('c');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    expect((refused.body as { error: { message: string } }).error.message).toBe(
      'This API key is limited to 2 requests that the cache cannot answer in a minute. Try again in 30 s.',
    );
    service.clock.advance(29_999);
    expect([(await rows('c')).status, jobs()]).toEqual([429, 2]);
    service.clock.advance(1);
    expect([(await rows('c')).status, jobs()]).toEqual([200, 3]);
    expect([(await rows('d')).status, jobs()]).toEqual([429, 3]);
  });

  it('still gets stored rows when its misses are used up, from memory and Firestore, including those of other keys', async () => {
    await useUp();
    await rows('c', { 'X-API-KEY': API_KEY });
    await rows('d', { 'X-API-KEY': API_KEY }, createQueryServer({ shared: service }));
    for (const project of ['a', 'b', 'c', 'd']) {
      const answer = await rows(project);
      expect([answer.status, answer.headers['cache-status']]).toEqual([
        200,
        expect.stringContaining('; hit; ') as string,
      ]);
    }
    expect(await leftAfter(rows('d'))).toEqual([200, '"misses";r=0;t=30']);
  });

  it('is rejected by its limit even if an earlier job of another key has failed', async () => {
    await useUp();
    service.queryRunner.answerWith(new ServiceError('QUERY_ENGINE_UNAVAILABLE', 'Down.'));
    expect((await rows('c', { 'X-API-KEY': API_KEY })).status).toBe(503);
    expect(service.leaseStore.states.size).toBe(1);
    expect(reasonOf(await rows('c'))).toBe('RATE_LIMITED');
  });

  it('uses one miss for concurrent requests for the same rows', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => rows('a')));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect([jobs(), await leftAfter(rows('a'))]).toEqual([1, [200, '"misses";r=1;t=30']]);
  });

  it.each(['this instance', 'another'])(
    'uses none for a running job of another key in %s, and waits for it even without misses left',
    async (where) => {
      const to = where === 'another' ? createQueryServer({ shared: service }) : service;
      await useUp(to);
      const running = Promise.withResolvers<ReturnType<typeof queryResult>>();
      service.queryRunner.answerWith(running.promise);
      const first = rows('c', { 'X-API-KEY': API_KEY });
      await turnsUntil(() => jobs() === 3);
      const arrived = arrivals(to);
      const second = rows('c', {}, to);
      await arrived(1);
      running.resolve(queryResult());
      expect((await first).status).toBe(200);
      // The other instance asks for the end of the job from time to time.
      const { status, headers } = await turnsUntilDone(second, () => service.clock.advance(1));
      expect([status, jobs()]).toEqual([200, 3]);
      expect(headers['cache-status']).toContain('; collapsed');
    },
  );

  // A lease would keep other instances waiting, and a flood of refused requests would write each time.
  it('takes no lease for concurrent rejected requests, and reads it once', async () => {
    await useUp();
    const arrived = arrivals(service);
    const allArrived = Promise.withResolvers<undefined>();
    service.leaseStore.calls.length = 0;
    service.leaseStore.before = () => allArrived.promise;
    const answers = Promise.all(Array.from({ length: 5 }, () => rows('c')));
    await arrived(5);
    allArrived.resolve(undefined);
    expect((await answers).map(({ status }) => status)).toEqual(Array(5).fill(429));
    expect(service.leaseStore.calls.map(({ method }) => method)).toEqual(['read']);
  });

  it('does not cause a rejection of another key that waits for the same rows', async () => {
    await useUp();
    const arrived = arrivals(service);
    const bothArrived = Promise.withResolvers<undefined>();
    service.leaseStore.before = () => bothArrived.promise;
    const refused = rows('c');
    await arrived(1);
    const other = rows('c', { 'X-API-KEY': API_KEY });
    await arrived(2);
    bothArrived.resolve(undefined);
    expect([(await refused).status, (await other).status, jobs()]).toEqual([429, 200, 3]);
  });

  it('starts no job beyond its limit while Firestore fails', async () => {
    await useUp();
    service.resultStore.before = () => Promise.reject(new Error('down'));
    expect([(await rows('c')).status, jobs()]).toEqual([429, 2]);
    service.resultStore.before = () => undefined;
    service.leaseStore.before = () => Promise.reject(new Error('down'));
    expect([(await rows('c')).status, jobs()]).toEqual([429, 2]);
    expect((await rows('c', { 'X-API-KEY': API_KEY })).status).toBe(200);
  });
});
