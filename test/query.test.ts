// Tests of `query` over HTTP: requests and their answers, with fakes for every role.
import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { sha256Hex } from '../functions/core/bytes.ts';
import { API_KEY, createQueryServer } from './support/world.ts';
import { inBytes } from './support/in-bytes.ts';
import { listen } from './support/service/listen.ts';
import { exchange } from './support/service/raw-http.ts';
import { runScenario } from './support/scenarios.ts';
import { stepsBeside } from './support/steps.ts';
import { testCatalogueWith } from './support/sql/test-sql.ts';

const STATS = '/api/endpoints/query/tasks.run-stats';
const ROWS = `${STATS}?project=a`;

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

it('an answer binds the canonical parameters to the saved query and limits its rows', async () => {
  const service = createQueryServer();
  await service.get(`${STATS}?project=a&interval=yearly&unknown=x`);
  expect(service.queryRunner.requests).toMatchObject([
    {
      endpoint: 'tasks.run-stats',
      cause: 'miss',
      key: { name: 'dashboard', digest: sha256Hex(API_KEY) },
      sql: expect.stringContaining('FROM task_runs') as string,
      columns: [
        { name: 'timestamp', type: 'TIMESTAMP', mode: 'REQUIRED' },
        { name: 'avg_duration', type: 'FLOAT64', mode: 'NULLABLE' },
        { name: 'max_duration', type: 'FLOAT64', mode: 'NULLABLE' },
        { name: 'count', type: 'INT64', mode: 'REQUIRED' },
      ],
      parameters: { project: 'a', function_id: '', interval: '1day' },
      types: { project: 'STRING', function_id: 'STRING', interval: 'STRING' },
      rowCountMax: 1000,
      deadlineMs: Date.parse('2026-11-20T10:00:25Z'),
      // Without a job, unless BigQuery makes one; and it may outlive this request.
      lasting: { started: { jobId: undefined }, endsAtMs: Date.parse('2026-11-20T10:10:00Z') },
    },
  ]);
});

it('an answer has the stored gzip bytes unchanged, or plain JSON for a client that does not accept gzip', async () => {
  const service = createQueryServer();
  const compressed = await inBytes(service.get(ROWS).set('Accept-Encoding', 'gzip'));
  expect(compressed.headers['content-encoding']).toBe('gzip');
  const { body } = [...service.resultStore.entries.values()][0] ?? { body: Buffer.alloc(0) };
  expect(gunzipSync(body).toString()).toBe('{"result":[{"count":1}]}');
  expect(Number(compressed.headers['content-length'])).toBe(body.length);

  const plain = await service.get(ROWS).set('Accept-Encoding', 'identity');
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(plain.headers['content-length']).toBe('24');
  expect(plain.text).toBe('{"result":[{"count":1}]}');
  expect(plain.headers.etag).toBe(compressed.headers.etag);
  const head = request(service.server).head(ROWS).set('X-API-KEY', API_KEY);
  const { headers } = await head.set('Accept-Encoding', 'gzip');
  expect(headers['content-length']).toBe(String(body.length));
  expect(headers['content-length']).not.toBe('24');
});

// HTTP clients would tidy up the first.
it.each<[string, string, number]>([
  ['a path with ..', '/api/endpoints/query/../../../etc/passwd', 404],
  ['10,000 parameters', `${STATS}?${'a=1&'.repeat(10_000)}project=a`, 431],
  ['a query string of 10 MB', `${STATS}?project=${'a'.repeat(10_000_000)}`, 431],
])('%s is refused, and the service continues', async (_, target, status) => {
  const service = createQueryServer();
  const { port } = new URL(await listen(service.server));
  const sent = { target, headers: [`X-API-KEY: ${API_KEY}`] };
  expect((await exchange(Number(port), sent)).status).toBe(status);
  expect((await service.get(ROWS)).status).toBe(200);
});

// As `npm start` does while it serves.
it('a shorter cachingSeconds applies immediately, in memory too', async () => {
  const definition = { cachingSeconds: 900 };
  const service = createQueryServer({ catalogue: testCatalogueWith(definition) });
  await service.get(ROWS);
  service.clock.advance(100_000);
  const cached = async (): Promise<unknown> => (await service.get(ROWS)).headers['cache-status'];
  await cached();
  definition.cachingSeconds = 300;
  expect(await cached()).toBe('saved-queries; hit; ttl=200; detail=memory');
  service.clock.advance(460_000);
  expect(await cached()).toBe('saved-queries; fwd=stale; stored; ttl=300');
});
