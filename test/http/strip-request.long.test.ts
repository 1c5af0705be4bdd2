// Tests of floods of large request bodies: they use no memory, and hits are still answered.
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { KEY, STATS, runBothFunctions } from '../support/service/both-functions.ts';
import {
  type RawAnswer,
  endlessChunks,
  errorOf,
  exchange,
  openConnection,
} from '../support/service/raw-http.ts';
import type { RunningFunction } from '../support/service/running-function.ts';

const MIB = 1024 * 1024;

const both = await runBothFunctions();

describe('a request body', () => {
  const zeros = gzipSync(Buffer.alloc(300 * MIB));
  const json = gzipSync(`[${'0,'.repeat(95 * MIB)}0]`);
  const megabytes = Buffer.alloc(20_000_000, 'x');

  async function residentBytes({ pid }: RunningFunction): Promise<number> {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout) * 1024;
  }

  /** What the process had at most beyond what it had before. */
  async function growthOf(running: RunningFunction, attack: Promise<unknown>): Promise<number> {
    const before = await residentBytes(running);
    let most = before;
    let isOver = false;
    const over = attack.finally(() => (isOver = true));
    while (!isOver) {
      most = Math.max(most, await residentBytes(running));
      await delay(20);
    }
    await over;
    return Math.max(most, await residentBytes(running)) - before;
  }

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

  const gzip = (body: Uint8Array, type: string): string[] => [
    `Content-Type: ${type}`,
    'Content-Encoding: gzip',
    `Content-Length: ${body.length}`,
  ];
  it.each<[string, string[], () => Iterable<string | Uint8Array>, number]>([
    [
      'of 300 kB that inflates to 300 MB',
      gzip(zeros, 'application/octet-stream'),
      () => [zeros],
      1,
    ],
    ['of 190 kB of JSON with 95 million numbers', gzip(json, 'application/json'), () => [json], 1],
    ['without an end', ['Transfer-Encoding: chunked'], endlessChunks, 1],
    ['of 20 MB, twenty at once', ['Content-Length: 20000000'], () => [megabytes], 20],
  ])(
    '%s uses no memory, and hits are answered in the meantime',
    async (_, headers, chunks, times) => {
      expect((await exchange(both.query.port, { target: STATS, headers: [KEY] })).status).toBe(200);
      let hits = 0;
      for (const running of [both.query, both.warm]) {
        let isOver = false;
        const floods = Array.from({ length: times }, () => flood(running, headers, chunks()));
        const attacked = Promise.all(floods).finally(() => (isOver = true));
        const growth = growthOf(running, attacked);
        while (!isOver) {
          const startedMs = performance.now();
          const hit = await exchange(both.query.port, { target: STATS, headers: [KEY] });
          expect(hit.status).toBe(200);
          expect(hit.headers['cache-status']).toContain('hit');
          expect(performance.now() - startedMs).toBeLessThan(5000);
          hits += 1;
        }
        // The bodies have 286 MiB and more; on a busy machine the garbage collector comes late.
        expect((await growth) / MIB).toBeLessThan(200);
        for (const answer of await attacked) {
          const expected =
            running === both.query ? [404, 'PATH_NOT_FOUND'] : [405, 'METHOD_NOT_ALLOWED'];
          expect(errorOf(answer)).toEqual(expected);
          expect(answer.headers.connection).toBe('close');
        }
      }
      expect(hits).toBeGreaterThan(0);
    },
  );
});
