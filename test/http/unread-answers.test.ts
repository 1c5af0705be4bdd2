// Tests of the bound on answers that their clients do not read.
import { EventEmitter, once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { createUnreadAnswers, whole } from '../../functions/http/answer-body.ts';
import type { QueryResult } from '../support/bigquery/local-bigquery.ts';
import { queryResult, wireRow } from '../support/fakes/fake-query-runner.ts';
import { listen } from '../support/service/listen.ts';
import { openConnection } from '../support/service/raw-http.ts';
import { until } from '../support/until.ts';
import { API_KEY, createQueryServer } from '../support/world.ts';

const BUSY = expect.objectContaining({ reason: 'INSTANCE_BUSY' }) as Error;
const body = (bytes: number): ReturnType<typeof whole> => whole(Buffer.alloc(bytes));

/** An answer of which the operating system has not taken everything. */
class Unread extends EventEmitter {
  writableLength = 1;
  isDestroyed = false;
  onStalled = (): void => undefined;
  setTimeout(_ms: number, callback: () => void): void {
    this.onStalled = callback;
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
  get response(): ServerResponse {
    return this as unknown as ServerResponse;
  }
}

it('rejects a key whose clients leave three quarters of the memory unread, and no other key', () => {
  const unread = createUnreadAnswers(16);
  const answers = [new Unread(), new Unread()];
  for (const { response } of answers) {
    const content = body(6);
    unread.admit('a', content);
    unread.count('a', content, response);
  }
  expect(() => unread.admit('a', body(1))).toThrow(BUSY);
  expect(() => unread.admit('b', body(3))).not.toThrow();
  answers[0]?.emit('close');
  expect(() => unread.admit('a', body(6))).not.toThrow();
});

it('counts bytes shared by several answers once, until the last answer is read', () => {
  const unread = createUnreadAnswers(16);
  const shared = body(12);
  const answers = [new Unread(), new Unread(), new Unread()];
  for (const { response } of answers) {
    unread.admit('a', shared);
    unread.count('a', shared, response);
  }
  for (const answer of answers) {
    expect(() => unread.admit('a', body(1))).toThrow(BUSY);
    answer.emit('close');
  }
  expect(() => unread.admit('a', body(1))).not.toThrow();
});

// A key could else make others be refused: by leaving unread what they have read.
it('counts shared bytes for each key that has not read them, and for no other key', () => {
  const unread = createUnreadAnswers(16);
  const shared = body(12);
  const [read, left] = [new Unread(), new Unread()];
  unread.count('a', shared, read.response);
  unread.count('b', shared, left.response);
  expect(() => unread.admit('b', body(1))).toThrow(BUSY);
  read.emit('close');
  expect(() => unread.admit('a', body(3))).not.toThrow();
  expect(() => unread.admit('b', body(1))).toThrow(BUSY);
  left.emit('close');
  expect(() => unread.admit('b', body(12))).not.toThrow();
});

it('does not count bytes that the operating system has taken over', () => {
  const unread = createUnreadAnswers(16);
  unread.count('a', body(16), Object.assign(new Unread(), { writableLength: 0 }).response);
  expect(() => unread.admit('a', body(16))).not.toThrow();
});

it('disconnects a client that reads nothing, which frees its bytes', () => {
  const unread = createUnreadAnswers(16);
  const answer = new Unread();
  unread.count('a', body(16), answer.response);
  expect(() => unread.admit('a', body(1))).toThrow(BUSY);
  answer.onStalled();
  expect(answer.isDestroyed).toBe(true);
  expect(() => unread.admit('a', body(1))).not.toThrow();
});

it('lets a single answer exceed the bound', () => {
  expect(() => createUnreadAnswers(1).admit('a', body(2))).not.toThrow();
});

it.each([
  ['before its answer', 1],
  ['before the answers that wait behind another', 2],
])('a client that disconnects %s leaves no bytes counted', async (_, requests) => {
  const unread = createUnreadAnswers(16);
  const responses: ServerResponse[] = [];
  const url = await listen(createServer((_req, res) => void responses.push(res)));
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
  await until(() => responses.length === requests);
  const [first, last] = [responses[0], responses.at(-1)];
  const gone = once(first?.req.socket ?? client, 'close');
  const streamed = { ...body(16), content: Readable.from([Buffer.alloc(16)]) };
  if (requests > 1 && last) unread.count('a', streamed, last);
  client.destroy();
  await gone;
  if (requests === 1 && last) unread.count('a', streamed, last);
  expect(() => unread.admit('a', body(16))).not.toThrow();
});

it('bounds the answers of the service, until their client has read them', async () => {
  const service = createQueryServer({ maxUnreadMib: 1 / 1024 });
  const slow = Promise.withResolvers<QueryResult>();
  const rows = Array.from({ length: 200 }, (_, n) => wireRow(String(n)));
  service.queryRunner.answerWith(slow.promise, queryResult({ rows }));
  const client = await openConnection(Number(new URL(await listen(service.server)).port));
  const sent = ['a', 'b'].map(
    (project) =>
      `GET /api/endpoints/query/tasks.run-stats?project=${project} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${API_KEY}\r\n\r\n`,
  );
  void client.send(sent.join(''));
  // Its answer waits behind that of the query which still runs.
  await until(() => service.resultStore.entries.size === 1);
  const statusOf = async () => (await service.ask('tasks.run-stats?project=c')).status;
  expect(await statusOf()).toBe(503);
  slow.resolve(queryResult());
  await client.answer();
  await client.answer();
  expect(await statusOf()).toBe(200);
});
