// Tests over HTTP of an endpoint whose results are never warmed: its headers, its writes, and a warming run.
import request, { type Response } from 'supertest';
import type { Catalogue } from '../functions/endpoints/catalogue.ts';
import { loadCatalogue } from '../scripts/compile/inspect-catalogue.ts';
import { FakeSqlTree } from './support/fake-sql-tree.ts';
import { API_KEY, type QueryServer, createQueryServer } from './support/query-server.ts';
import { createWarmServer } from './support/warm-server.ts';

const tree = new FakeSqlTree();
const NEVER_WARMED = { cachingSeconds: 900, cacheWarmingSeconds: 0 };
let catalogue: Catalogue;
let service: QueryServer;

beforeAll(() => {
  catalogue = loadCatalogue(tree.endpoint(NEVER_WARMED).directory);
});

beforeEach(() => {
  service = createQueryServer({ catalogue });
});

afterAll(() => tree.remove());

async function get(): Promise<Response> {
  return request(service.server)
    .get('/api/endpoints/query/group.example')
    .set('X-API-KEY', API_KEY);
}

const calls = (): string[] => service.resultStore.calls.map(({ method }) => method);

it('says that its rows are the newest until they expire', async () => {
  expect((await get()).headers).toMatchObject({
    'cache-control': 'private, max-age=900',
    age: '0',
    'cache-status': 'saved-queries; fwd=uri-miss; stored; ttl=900',
  });
  service.clock.advance(899_000);
  expect((await get()).headers).toMatchObject({
    'cache-control': 'private, max-age=900',
    age: '899',
    'cache-status': 'saved-queries; hit; ttl=1',
  });
  service.clock.advance(1000);
  expect((await get()).headers).toMatchObject({
    'cache-control': 'private, max-age=900',
    age: '0',
    'cache-status': 'saved-queries; fwd=stale; stored; ttl=900',
  });
});

it('writes nothing with a read, from memory or from Firestore', async () => {
  await get();
  expect(calls()).toEqual(['get', 'get', 'set']);
  service.clock.advance(10_000);
  expect((await get()).headers['cache-status']).toMatch(/detail=memory$/);
  service.clock.advance(800_000);
  expect((await get()).headers['cache-status']).toBe('saved-queries; hit; ttl=90');
  expect(calls()).toEqual(['get', 'get', 'set', 'get']);
});

it.each([
  ['alone', () => catalogue],
  [
    'beside an endpoint that is warmed',
    () => {
      const both = new FakeSqlTree()
        .endpoint(NEVER_WARMED)
        .endpoint({ name: 'group.warmed', id: '11111111-2222-4333-8444-555555555556' });
      const loaded = loadCatalogue(both.directory);
      both.remove();
      return loaded;
    },
  ],
])('is in no count of a warming run, %s', async (_, served) => {
  await get();
  const warming = createWarmServer({
    catalogue: served(),
    resultStore: service.resultStore,
  });
  warming.clock.advance(60_000);
  const answer = await request(warming.server).post('/').send({});
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    live: 0,
    unreadable: 0,
    listingCut: false,
    refreshed: 0,
    skipped: 0,
    unchanged: 0,
    questionJobs: 0,
    questionBytes: 0,
    overKeyCap: 0,
    failed: [],
    leftOver: 0,
    jobs: 0,
    bytesProcessed: 0,
    durationMs: 0,
    maxAgeSeconds: 0,
  });
});
