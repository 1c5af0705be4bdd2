// Tests of what reaches a function before its code runs (bodies and floods of them, paths, methods), and of what a process prints.
import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { INSTANCE_HEAP } from '../support/service/instance-heap.ts';
import {
  type RawAnswer,
  endlessChunks,
  errorOf,
  exchange,
  openConnection,
} from '../support/service/raw-http.ts';
import {
  type RunningFunction,
  parseLog,
  runFunction,
} from '../support/service/running-function.ts';
import { API_KEY, firestoreWithKey } from '../support/world.ts';
import { memoryMib } from '../support/process.ts';
import { createSigner } from '../support/service/sign-token.ts';
import { runSteps, stepsBeside } from '../support/steps.ts';
import { until } from '../support/until.ts';

/** A call of `query` that runs, with the header that it needs. */
const STATS = '/api/endpoints/query/tasks.run-stats?project=a&interval=1day';
const KEY = `X-API-KEY: ${API_KEY}`;

const { url: bigQueryUrl } = await startBigQueryStub();
const backends = { firestore: await firestoreWithKey(), bigQueryUrl };
const env = { NODE_OPTIONS: INSTANCE_HEAP };
const query = await runFunction({ target: 'query', ...backends, env });
const warm = await runFunction({ target: 'warm', ...backends, env });

/** The answer of a function to a request, whose headers are lines, and its reason, or what its body has. */
type Line = [what: string, headers: string[], body: string, status: number, reason?: string];

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => {
  const send = async ([what, headers, body, status, reason]: Line) => {
    const [of, method, path = ''] = what.split(' ');
    const target = /^[/*]|^http/.test(path) ? path : `/api/endpoints/query/${path}`;
    const all = body === '' ? headers : [...headers, `Content-Length: ${body.length}`];
    const { port } = of === 'warm' ? warm : query;
    const answer = await exchange(port, { method: method!, target, headers: all, body });
    expect([what, answer.status]).toEqual([what, status]);
    if (status >= 400) expect(errorOf(answer)).toEqual([status, reason]);
    else if (reason !== undefined) expect(JSON.parse(answer.body)).toHaveProperty(reason);
    const origin = { 'access-control-allow-origin': '*' };
    if (of === 'query') expect(answer.headers).toMatchObject(origin);
  };
  return runSteps({ '': send }, steps);
});

describe('a request body', () => {
  const megabytes = Buffer.alloc(20_000_000, 'x');

  it('of 20 MB: the client can read the answer after sending it all, and the connection is closed', async () => {
    const connection = await openConnection(query.port);
    await connection.send(
      `POST ${STATS} HTTP/1.1\r\nHost: x\r\n${KEY}\r\nContent-Length: 20000000\r\n\r\n`,
    );
    await connection.send(megabytes);
    const startedMs = performance.now();
    // Only now does it read: an answer that a reset has destroyed is gone.
    const answer = await connection.answer();
    expect(errorOf(answer)).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(answer.headers.connection).toBe('close');
    await connection.ended;
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });

  it('without an end: the connection is closed after 2 s', async () => {
    const connection = await openConnection(query.port);
    await connection.send('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const startedMs = performance.now();
    for (const chunk of endlessChunks()) {
      await connection.send(chunk);
      if (connection.socket.destroyed) break;
    }
    expect(errorOf(await connection.answer())).toEqual([405, 'METHOD_NOT_ALLOWED']);
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThan(1900);
    expect(tookMs).toBeLessThan(8000);
  });

  it('of 64 KiB is discarded and the connection stays open', async () => {
    const connection = await openConnection(query.port);
    const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\n\r\n${'x'.repeat(65_536)}`;
    await connection.send(`${post}GET ${STATS} HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`);
    const refused = await connection.answer();
    expect([refused.status, refused.headers.connection]).toEqual([405, 'keep-alive']);
    expect((await connection.answer()).status).toBe(200);
  });

  it('that is too large ends the connection: a request behind it is not run', async () => {
    const connection = await openConnection(warm.port);
    const warmings = (): number => warm.lines().filter(({ event }) => event === 'warm').length;
    const before = warmings();
    await connection.send(
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n' +
        `${'x'.repeat(70_000)}POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`,
    );
    expect((await connection.answer()).status).toBe(405);
    await connection.ended;
    // A run under way would make this one skip.
    expect(JSON.parse((await exchange(warm.port, { method: 'POST' })).body)).toHaveProperty('live');
    await until(() => warmings() > before);
    expect(warmings()).toBe(before + 1);
  });

  it('that waits for permission (Expect) is answered without it', async () => {
    for (const expectation of ['100-continue', 'nothing']) {
      const connection = await openConnection(query.port);
      const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: ${expectation}`;
      await connection.send(`${head}\r\n\r\n`);
      const answer = await connection.answer();
      expect(errorOf(answer)).toEqual([405, 'METHOD_NOT_ALLOWED']);
      // Whether the body still comes is the client's choice.
      expect(answer.headers.connection).toBe('close');
    }
  });

  it("that is invalid HTTP gets Node's bare 400, and the process continues", async () => {
    for (const running of [query, warm]) {
      const connection = await openConnection(running.port);
      const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked';
      await connection.send(`${head}\r\n\r\nno number\r\n{"event":"warm"}\n`);
      expect(await connection.answer()).toMatchObject({ status: 400, body: '' });
      await connection.ended;
      expect((await exchange(running.port, { target: '/' })).status).toBeGreaterThan(400);
    }
  });

  const zeros = gzipSync(Buffer.alloc(300 * 1024 * 1024));
  const gzip = ['Content-Encoding: gzip', `Content-Length: ${zeros.length}`];
  it.each<[string, string[], () => Iterable<string | Uint8Array>, number]>([
    [
      'of 300 kB that inflates to 300 MB',
      ['Content-Type: application/json', ...gzip],
      () => [zeros],
      1,
    ],
    ['that never ends', ['Transfer-Encoding: chunked'], endlessChunks, 1],
    ['of 20 MB, twenty at once', ['Content-Length: 20000000'], () => [megabytes], 20],
  ])('%s uses no memory, and hits are answered meanwhile', async (_, headers, chunks, times) => {
    /** The answer to a request whose body is sent for as long as the connection takes it. */
    async function flood(
      { port }: RunningFunction,
      headers: string[],
      chunks: Iterable<string | Uint8Array>,
    ): Promise<RawAnswer> {
      const connection = await openConnection(port);
      const head = ['GET / HTTP/1.1', 'Host: x', ...headers];
      const sent = (async () => {
        await connection.send(`${head.join('\r\n')}\r\n\r\n`);
        for (const chunk of chunks) {
          await connection.send(chunk);
          if (connection.socket.destroyed) return;
        }
      })();
      const answer = await connection.answer();
      await sent;
      await connection.ended;
      return answer;
    }

    expect((await exchange(query.port, { target: STATS, headers: [KEY] })).status).toBe(200);
    let hits = 0;
    for (const running of [query, warm]) {
      let isOver = false;
      const before = memoryMib(running.pid).now;
      let most = before;
      const floods = Array.from({ length: times }, () => flood(running, headers, chunks()));
      const attacked = Promise.all(floods).finally(() => (isOver = true));
      while (!isOver) {
        const startedMs = performance.now();
        const hit = await exchange(query.port, { target: STATS, headers: [KEY] });
        expect(hit.status).toBe(200);
        expect(hit.headers['cache-status']).toContain('hit');
        expect(performance.now() - startedMs).toBeLessThan(5000);
        hits += 1;
        most = Math.max(most, memoryMib(running.pid).now);
      }
      // The bodies have 286 MiB and more; on a busy machine the garbage collector comes late.
      expect(most - before).toBeLessThan(200);
      for (const answer of await attacked) {
        const expected = running === query ? [404, 'PATH_NOT_FOUND'] : [405, 'METHOD_NOT_ALLOWED'];
        expect(errorOf(answer)).toEqual(expected);
        expect(answer.headers.connection).toBe('close');
      }
    }
    expect(hits).toBeGreaterThan(0);
  });
});

it('every request with any method is answered: 405 except for GET, HEAD and OPTIONS', async () => {
  const CORS = { 'access-control-allow-origin': '*' };
  for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
    for (const target of [STATS, '/favicon.ico', '/%ff', '*']) {
      const answer = await exchange(query.port, { method, target });
      expect(answer.headers).toMatchObject(CORS);
      if (method === 'OPTIONS') expect(answer.status).toBe(204);
      else if (method === 'HEAD') expect(answer.status).toBe(target === STATS ? 401 : 404);
      else if (method === 'GET') expect(errorOf(answer)[0]).toBe(target === STATS ? 401 : 404);
      else expect([method, ...errorOf(answer)]).toEqual([method, 405, 'METHOD_NOT_ALLOWED']);
    }
    const answer = await exchange(warm.port, { method });
    if (method === 'POST') expect(answer.status).toBe(200);
    else if (method === 'HEAD') expect(answer.status).toBe(405);
    else expect([method, ...errorOf(answer)]).toEqual([method, 405, 'METHOD_NOT_ALLOWED']);
  }
});

it('a token is accepted, refused if it is changed, and never in the output; one of 20 kB gets a bare 431', async () => {
  const signer = createSigner();
  await createKeyRegister(backends.firestore).set(signer.id, signer.stored());
  const iat = Math.floor(Date.now() / 1000);
  const token = signer.sign({ iat, exp: iat + 60, sub: 'ada@example.com' });
  const withToken = (text: string) =>
    exchange(query.port, { target: STATS, headers: [`Authorization: Bearer ${text}`] });
  expect((await withToken(token)).status).toBe(200);
  expect(errorOf(await withToken(`${token.slice(0, -86)}${'A'.repeat(86)}`))).toEqual([
    401,
    'TOKEN_INVALID',
  ]);
  const long = signer.sign({ iat, exp: iat + 60, sub: 'x'.repeat(15_000) });
  expect((await withToken(long)).status).toBe(431);
  await until(() => query.output().includes('"subject":"b5fc85e55755f9e0"'));
  expect(query.output()).not.toMatch(/eyJ|ada@/);
});

describe('the output of a process', () => {
  it('is one JSON object per line, without content of a body', async () => {
    const body = 'x\n{"event":"warm"}\n';
    const types = ['application/json', 'text/plain; charset=no', 'application/cloudevents+json'];
    for (const running of [query, warm]) {
      const before = running.lines().length;
      for (const type of types) {
        const headers = [`Content-Type: ${type}`, `Content-Length: ${body.length}`];
        await exchange(running.port, { method: 'PUT', target: '/%ff', headers, body });
      }
      await until(() => running.lines().length >= before + types.length);
      const output = running.output();
      expect(output).not.toMatch(/\\n\s+at |node_modules|malformed|\{\\?"event\\?":\\?"warm\\?"\}/);
    }
  });

  it('is one JSON object per line even if the console, Node or a library writes it', async () => {
    const running = await runFunction({
      target: 'query',
      ...backends,
      env: { NODE_OPTIONS: '--import=./test/support/processes/print-on-signal.ts' },
    });
    process.kill(running.pid, 'SIGUSR2');
    expect(await running.failed).toBe('The function query ended with code 1.');
    const printed = running.lines().map(({ severity, message, error }) => ({
      severity,
      message,
      ...(error === undefined ? {} : { error }),
    }));
    expect(printed).toEqual([
      { severity: 'INFO', message: "two\n[ 'lines', [length]: 1 ]" },
      { severity: 'WARNING', message: 'warned' },
      { severity: 'ERROR', message: 'Error: with a stack' },
      { severity: 'ERROR', message: 'Trace: traced' },
      { severity: 'WARNING', message: 'DeprecationWarning: old' },
      {
        severity: 'ERROR',
        message: 'An unhandled error ends the process.',
        error: 'TypeError: thrown <- Error: cause',
      },
    ]);
  });

  it('is one line per request even if the framework adds execution ids', async () => {
    const running = await runFunction({
      target: 'query',
      ...backends,
      env: { LOG_EXECUTION_ID: 'true' },
    });
    await exchange(running.port, { target: STATS, headers: [KEY] });
    const connection = await openConnection(running.port);
    const get = `GET ${STATS} HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`;
    await connection.send(get.repeat(20));
    for (let index = 0; index < 20; index += 1) await connection.answer();
    const requests = () => running.lines().filter(({ event }) => event === 'request');
    await until(() => requests().length === 21);
    for (const line of requests()) {
      expect(line).toMatchObject({ severity: 'INFO', message: 'GET 200', status: 200 });
    }
  });

  it.each([
    [
      'another program listens on its port',
      { port: query.port },
      { error: expect.stringContaining('EADDRINUSE') as string },
    ],
    [
      'a setting is invalid',
      { env: { LEASE_SECONDS: 'soon' } },
      {
        event: 'start_failed',
        message: expect.stringMatching(
          /^The function cannot start. Error: Settings: .*LEASE_/,
        ) as string,
      },
    ],
  ])('is one line with the reason if it cannot start because %s', async (_, options, line) => {
    const run = runFunction({ target: 'query', ...backends, ...options });
    const failure = (await run.catch((error: unknown) => error)) as Error;
    expect((failure.cause as Error).message).toBe('The function query ended with code 1.');
    expect(parseLog(failure.message)).toMatchObject([{ severity: 'ERROR', ...line }]);
  });
});
