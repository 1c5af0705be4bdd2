// Tests of what an error says to the holder of a token, over HTTP: what is refused to whom, and nothing of the team's bytes.
import request from 'supertest';
import { type QueryServer, createQueryServer } from '../support/world.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { createSigner } from '../support/service/sign-token.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z') / 1000;
const STATS = '/api/endpoints/query/tasks.run-stats?project=';
const signer = createSigner();

interface Refusal {
  status: number;
  message: string;
  metadata: object | undefined;
}

let service: QueryServer;

beforeEach(() => {
  service = createQueryServer();
  service.keyStore.keys.set(
    signer.id,
    signer.stored({ requestsPerMinute: 3, missesPerMinute: 2, bytesPerDay: 1000 }),
  );
  service.queryRunner.answerWith(queryResult({ bytesBilled: 400 }));
});

async function ask(path: string, claims: object = {}): Promise<Refusal> {
  const token = signer.sign({ iat: NOW, exp: NOW + 3600, sub: 's', ...claims });
  const answer = await request(service.server).get(path).set('Authorization', `Bearer ${token}`);
  const { error } = answer.body as {
    error?: { message: string; details: { metadata?: object }[] };
  };
  return {
    status: answer.status,
    message: error?.message ?? '',
    metadata: error?.details[0]?.metadata,
  };
}

it('a limit is called that of the token, or that of its key', async () => {
  const own = { requestsPerMinute: 1, sub: 'own' };
  await ask(`${STATS}a`, own);
  expect((await ask(`${STATS}a`, own)).message).toBe(
    'This token is limited to 1 requests in a minute. Try again in 60 s.',
  );
  await ask(`${STATS}b`);
  expect((await ask(`${STATS}c`)).message).toBe(
    'The key of this token is limited to 2 requests that the cache cannot answer in a minute. Try again in 30 s.',
  );
  expect((await ask(`${STATS}a`)).message).toBe(
    'The key of this token is limited to 3 requests in a minute. Try again in 20 s.',
  );
});

it('the bytes of the day are used up until when, and not how many there are', async () => {
  service.keyStore.keys.set(signer.id, signer.stored({ bytesPerDay: 700 }));
  await ask(`${STATS}a`);
  await ask(`${STATS}b`);
  expect(await ask(`${STATS}c`)).toEqual({
    status: 429,
    message:
      'The bytes of the day that BigQuery reads for the key of this token are used up until 2026-11-21T00:00:00.000Z. Stored rows are still answered.',
    metadata: { resetTime: '2026-11-21T00:00:00.000Z' },
  });
});
