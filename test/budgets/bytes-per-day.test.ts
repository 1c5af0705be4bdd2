// Tests of `bytesPerDay` of a key over HTTP: what counts, what is refused, and what goes on.
import type { Response } from 'supertest';
import { ServiceError } from '../../functions/core/errors.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { API_KEY, type QueryServer, createQueryServer } from '../support/world.ts';
import { FakeClock } from '../support/clock.ts';

const AGENT = 'sqk_agent-with-bytes';
const OTHER = 'sqk_agent-of-the-same-name';
const MIB = 1024 * 1024;

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer({ clock: new FakeClock('2026-11-20T22:00:00Z') });
  service.keyStore.add(AGENT, { name: 'agent', bytesPerDay: 25 * MIB });
  service.keyStore.add(OTHER, { name: 'agent', bytesPerDay: 25 * MIB });
  bill(10 * MIB);
});

function bill(bytesBilled: number): void {
  service.queryRunner.answerWith(queryResult({ bytesBilled }));
}

const ask = async (project: string, key = AGENT): Promise<Response> =>
  service.get(`/api/endpoints/query/tasks.run-stats?project=${project}`, key);

/** The statuses of requests with other parameters each, which the cache cannot answer. */
async function misses(count: number, key = AGENT): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) {
    statuses.push((await ask(`p${service.queryRunner.requests.length}`, key)).status);
  }
  return statuses;
}

function failBytes(): void {
  service.leaseStore.before = ({ method }) => {
    if (method === 'bytesOf') throw new Error('Firestore is down.');
  };
}

it('refuses a miss over the bytes of a day until midnight in UTC, before a job starts, and no hit', async () => {
  expect(await misses(3)).toEqual([200, 200, 200]);
  const refused = await ask('another');
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7200']);
  expect(refused.body).toMatchObject({
    error: {
      message:
        'This API key is limited to 26214400 bytes a day that BigQuery reads for it, and they are used up until 2026-11-21T00:00:00.000Z. Stored rows are still answered.',
      details: [
        {
          reason: 'BYTES_PER_DAY',
          metadata: { bytesPerDay: '26214400', resetTime: '2026-11-21T00:00:00.000Z' },
        },
        { retryDelay: '7200s' },
      ],
    },
  });
  expect(service.queryRunner.requests).toHaveLength(3);
  expect((await ask('p2')).status).toBe(200);
  expect(await misses(1, OTHER)).toEqual([200]);
  expect(await misses(1, API_KEY)).toEqual([200]);
  service.clock.advance(7_199_999);
  expect((await ask('another')).status).toBe(429);
  service.clock.advance(1);
  expect((await ask('another')).status).toBe(200);
});

it('counts what BigQuery bills for queries that fail, and nothing for its cached rows', async () => {
  bill(0);
  expect(await misses(5)).toEqual([200, 200, 200, 200, 200]);
  service.queryRunner.answerWith((request) => {
    request.onBilled?.(30 * MIB);
    throw new ServiceError('RESULT_BYTES_LIMIT', 'Too large.');
  });
  expect([...(await misses(1)), (await ask('another')).status]).toEqual([400, 429]);
});

it.each(['acquire', 'bytesOf', 'reserve'])(
  'sends no query if %s fails: it might not be counted',
  async (call) => {
    service.leaseStore.before = ({ method }) => {
      if (method === call) throw new Error('Firestore is slow.');
    };
    expect(await misses(1)).toEqual([503]);
    expect(await misses(1, API_KEY)).toEqual([200]);
    expect(service.queryRunner.requests).toHaveLength(1);
    service.leaseStore.before = () => undefined;
    expect(await misses(4)).toEqual([200, 200, 200, 429]);
  },
);

it.each(['settle', 'release'])('counts a query once though %s fails', async (call) => {
  service.leaseStore.before = ({ method }) => {
    if (method === call) throw new Error('Firestore is slow.');
  };
  expect(await misses(3)).toEqual(call === 'settle' ? [200, 200, 429] : [200, 200, 200]);
});

it('counts a query once whose rows are not read to their end, although others join it', async () => {
  service.queryRunner.answerWith(
    (request) => {
      request.onBilled?.(20 * MIB);
      throw new ServiceError('INSTANCE_BUSY', 'No memory.');
    },
    queryResult({ bytesBilled: 20 * MIB }),
    queryResult({ bytesBilled: 0 }),
  );
  expect((await ask('same')).status).toBe(503);
  expect((await ask('same')).status).toBe(200);
  expect(await misses(1)).toEqual([200]);
});

it('tells the operator once that 80 % are used up', async () => {
  await misses(2);
  const told = () => service.log.lines.filter(({ fields }) => fields?.event === 'key_bytes');
  expect(told()).toMatchObject([
    { severity: 'WARNING', fields: { keyName: 'agent', spent: 20 * MIB, bytesPerDay: 25 * MIB } },
  ]);
  await misses(2);
  expect(told()).toHaveLength(1);
});

it('answers a miss with 503 while the bytes cannot be read, and hits, and keys without a bound', async () => {
  await misses(1);
  failBytes();
  const refused = await ask('another');
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
  expect(refused.body).toMatchObject({
    error: { details: [{ reason: 'RESULT_STORE_UNAVAILABLE' }, {}] },
  });
  expect((await ask('p0')).status).toBe(200);
  expect(await misses(1, API_KEY)).toEqual([200]);
});

// Who asks at the same time for the same rows is not told what concerns another key.
it.each([
  ['used up', 429, () => misses(3)],
  ['unknown', 503, () => Promise.resolve(failBytes())],
])('gives another key its rows while the bytes of the first are %s', async (_, status, prepare) => {
  await prepare();
  const answers = await Promise.all([ask('same'), ask('same', API_KEY)]);
  expect(answers.map((answer) => answer.status)).toEqual([status, 200]);
});

it('takes four more calls of Firestore for a miss of a key with a bound, and none without', async () => {
  await misses(1, API_KEY);
  const callsBefore = service.leaseStore.calls.splice(0).map(({ method }) => method);
  await misses(1);
  const calls = service.leaseStore.calls.map(({ method }) => method);
  expect(callsBefore).toEqual(['acquire', 'release']);
  expect(calls.toSorted()).toEqual([
    ...['acquire', 'bytesOf', 'record', 'release', 'reserve', 'settle'],
  ]);
});

it('takes no lease for a miss that is refused', async () => {
  await misses(3);
  service.leaseStore.calls.splice(0);
  expect((await ask('another')).status).toBe(429);
  expect(service.leaseStore.calls.map(({ method }) => method)).toEqual(['bytesOf', 'read']);
});
