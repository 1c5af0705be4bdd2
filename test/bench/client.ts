// Sends requests with autocannon; a process of its own, so that it takes no time from what it measures.
// One process for all loads, one load at a time: it is as fast with the second as with the hundredth.
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';

/** What it reads from stdin, as a line of JSON. */
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

/** What it prints of each, as a line of JSON. */
export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers by status code; `error` where there was none. */
  answers: Record<string, number>;
}

for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as Load))}\n`);
}

async function run(load: Load): Promise<LoadResult> {
  const durationsMs: number[] = [];
  const answers: Record<string, number> = {};
  let connection = 0;
  const setupClient = (client: autocannon.Client): void => {
    const { headers } = load;
    client.setRequests(pathsOf(load, connection).map((path) => ({ method: 'GET', path, headers })));
    connection += 1;
  };
  const startedMs = performance.now();
  await Promise.all(
    load.urls.map((url) => {
      const options = optionsFor(load, url);
      return new Promise<void>((resolve, reject) => {
        const instance = autocannon({ ...options, setupClient }, (error: Error | null) => {
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
    }),
  );
  return {
    requests: durationsMs.length,
    seconds: (performance.now() - startedMs) / 1000,
    ...percentiles(durationsMs),
    answers,
  };
}

function optionsFor(load: Load, url: string): autocannon.Options {
  const { urls, connections, amount, seconds = 1, headers } = load;
  return {
    url,
    connections: connections / urls.length,
    ...(amount === undefined ? { duration: seconds } : { amount: amount / urls.length }),
    timeout: 60,
    headers,
  };
}

/** What a connection goes round. */
function pathsOf({ paths, connections }: Load, connection: number): string[] {
  if (paths.length < connections) return paths;
  const [from, to] = [connection, connection + 1].map((at) =>
    Math.floor((at * paths.length) / connections),
  );
  return paths.slice(from, to);
}

function percentiles(values: number[]): { p50Ms: number; p99Ms: number } {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
