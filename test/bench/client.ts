// Sends requests with autocannon; a process of its own, so that it takes no time from what it measures.
import { json } from 'node:stream/consumers';
import autocannon from 'autocannon';

/** What it reads from stdin, as JSON. */
export interface Load {
  /** One per instance of what is measured; the connections are spread over them. */
  urls: string[];
  /** Each connection goes round a part of its own, where there are enough for all of them. */
  paths: string[];
  connections: number;
  /** How long, or how many requests in all. */
  seconds?: number;
  amount?: number;
  headers: Record<string, string>;
}

/** What it prints, as JSON. */
export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers by status code; `error` where there was none. */
  answers: Record<string, number>;
}

const { urls, paths, connections, seconds, amount, headers } = (await json(process.stdin)) as Load;
const durationsMs: number[] = [];
const answers: Record<string, number> = {};
let started = 0;
const startedMs = performance.now();
await Promise.all(urls.map(run));
const result: LoadResult = {
  requests: durationsMs.length,
  seconds: (performance.now() - startedMs) / 1000,
  ...percentiles(durationsMs),
  answers,
};
process.stdout.write(`${JSON.stringify(result)}\n`);

function run(url: string): Promise<void> {
  const options = {
    url,
    connections: connections / urls.length,
    ...(amount === undefined ? { duration: seconds ?? 1 } : { amount: amount / urls.length }),
    timeout: 60,
    headers,
    setupClient: (client: autocannon.Client) => {
      const own = paths.length < connections ? paths : part(started);
      client.setRequests(own.map((path) => ({ method: 'GET', path, headers })));
      started += 1;
    },
  };
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error: Error | null) => {
      if (error) reject(error);
      else resolve();
    });
    instance.on('response', (_client, status, _bytes, durationMs) => {
      durationsMs.push(durationMs);
      answers[status] = (answers[status] ?? 0) + 1;
    });
    instance.on('reqError', () => {
      answers.error = (answers.error ?? 0) + 1;
    });
  });
}

function part(index: number): string[] {
  const [from, to] = [index, index + 1].map((at) => Math.floor((at * paths.length) / connections));
  return paths.slice(from, to);
}

function percentiles(values: number[]): { p50Ms: number; p99Ms: number } {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
