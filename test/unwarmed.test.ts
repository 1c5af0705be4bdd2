// Tests over HTTP of an endpoint whose results are never warmed: its headers, its writes, and a warming run.
import request, { type Test } from 'supertest';
import { FakeSqlTree } from './support/sql/fake-sql-tree.ts';
import { type QueryServer, createQueryServer, createWarmServer } from './support/world.ts';

const OTHER_ID = '11111111-2222-4333-8444-555555555556';
const NEVER_WARMED = { cachingSeconds: 900, cacheWarmingSeconds: 0 };
const tree = new FakeSqlTree().endpoint(NEVER_WARMED);
const catalogue = tree.catalogue();
let service: QueryServer;

beforeEach(() => void (service = createQueryServer({ catalogue })));

const get = (): Test => service.get('/api/endpoints/query/group.example');
const calls = (): string[] => service.resultStore.calls.map(({ method }) => method);

it('responses describe the rows as current until they expire', async () => {
  for (const [ms, age, status] of [
    [0, '0', 'fwd=uri-miss; stored; ttl=900'],
    [899_000, '899', 'hit; ttl=1'],
    [1000, '0', 'fwd=stale; stored; ttl=900'],
  ] as const) {
    service.clock.advance(ms);
    const cacheStatus = `saved-queries; ${status}`;
    const cacheControl = 'private, max-age=900';
    expect((await get()).headers).toMatchObject({
      ...{ age, 'cache-control': cacheControl, 'cache-status': cacheStatus },
    });
  }
});

it('reads write nothing, from memory or from Firestore', async () => {
  await get();
  expect(calls()).toEqual(['get', 'get', 'set']);
  service.clock.advance(10_000);
  expect((await get()).headers['cache-status']).toMatch(/detail=memory$/);
  service.clock.advance(800_000);
  expect((await get()).headers['cache-status']).toBe('saved-queries; hit; ttl=90');
  expect(calls()).toEqual(['get', 'get', 'set', 'get']);
});

it.each([
  ['as the only endpoint', () => catalogue],
  [
    'next to a warmed endpoint',
    () => tree.endpoint({ name: 'group.warmed', id: OTHER_ID }).catalogue(),
  ],
])('the results are not counted by a warming run, %s', async (_, served) => {
  await get();
  const warming = createWarmServer({
    catalogue: served(),
    resultStore: service.resultStore,
  });
  warming.clock.advance(60_000);
  const answer = await request(warming.server).post('/').send({});
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    ...{ live: 0, unreadable: 0, refreshed: 0, skipped: 0, unchanged: 0, overKeyCap: 0 },
    ...{ failed: [], leftOver: 0, jobs: 0, bytesProcessed: 0, maxAgeSeconds: 0 },
  });
});
