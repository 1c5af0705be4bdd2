// Load generator: sends requests with autocannon, in its own process so that it takes no time from the functions.
// The same process runs all loads, one at a time, so that only its first load runs code that is not optimised.
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';

/** One line of JSON on stdin. */
export interface Load {
  /** One per instance; the connections are spread over them. */
  urls: string[];
  /** If there are enough, each connection requests a separate part of them, again and again. */
  paths: string[];
  connections: number;
  /** Either the duration or the total number of requests. */
  seconds?: number;
  amount?: number;
  headers: Record<string, string>;
}

/** One line of JSON on stdout for each load. */
export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Number of answers by status code; `error` for requests without an answer. */
  answers: Record<string, number>;
}

// The benchmark has ended, in the middle of a load.
process.stdin.on('end', () => process.exit());
for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as Load))}\n`);
}

async function run(load: Load): Promise<LoadResult> {
  const durationsMs: number[] = [];
  const answers: Record<string, number> = {};
  let connection = 0;
  const { urls, connections, amount, seconds = 1, headers } = load;
  const options = {
    connections: connections / urls.length,
    ...(amount === undefined ? { duration: seconds } : { amount: amount / urls.length }),
    timeout: 60,
    headers,
    setupClient: (client: autocannon.Client): void => {
      const paths = pathsOf(load, connection);
      client.setRequests(paths.map((path) => ({ method: 'GET', path, headers })));
      connection += 1;
    },
  };
  const startedMs = performance.now();
  await Promise.all(
    urls.map((url) => {
      return new Promise<void>((resolve, reject) => {
        const instance = autocannon({ ...options, url }, (error: Error | null) => {
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
  const sorted = Float64Array.from(durationsMs).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return {
    requests: durationsMs.length,
    seconds: (performance.now() - startedMs) / 1000,
    ...{ p50Ms: at(0.5), p99Ms: at(0.99) },
    answers,
  };
}

/** The paths that a connection requests. */
function pathsOf({ paths, connections }: Load, connection: number): string[] {
  if (paths.length < connections) return paths;
  const [from, to] = [connection, connection + 1].map((at) =>
    Math.floor((at * paths.length) / connections),
  );
  return paths.slice(from, to);
}
