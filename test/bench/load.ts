// Sends load to functions with autocannon, from this process, which does nothing else meanwhile, and reads what it takes of theirs.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { type Credential, type Encoding, headersFor } from './answers.ts';

interface Load {
  /** One per instance; the connections are spread over them. */
  urls: string[];
  /** If there are enough, each connection requests a separate part of them, again and again. */
  paths: string[];
  connections: number;
  /** Either the duration or the total number of requests. */
  seconds?: number;
  amount?: number;
  encoding?: Encoding;
  credential?: Credential | undefined;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** The caller waits for the end of one load before the next. Throws if an answer is not 200. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { urls, connections, amount, seconds = 1, encoding = 'gzip', credential } = load;
  const headers = headersFor(encoding, credential);
  const durationsMs: number[] = [];
  const others = new Map<number | string, number>();
  let connection = 0;
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
  const count = (other: number | string): unknown =>
    others.set(other, (others.get(other) ?? 0) + 1);
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
          if (status !== 200) count(status);
        });
        instance.on('reqError', () => count('error'));
      });
    }),
  );
  if (durationsMs.length === 0 || others.size > 0)
    throw new Error(`${urls[0]} answers ${JSON.stringify([...others])}, not 200.`);
  const sorted = Float64Array.from(durationsMs).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return {
    requests: durationsMs.length,
    seconds: (performance.now() - startedMs) / 1000,
    ...{ p50Ms: at(0.5), p99Ms: at(0.99) },
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

/** Length of the ticks of `/proc/<pid>/stat`, the same on every Linux. */
const TICK_MS = 10;

/** Processor time of a process since its start, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
