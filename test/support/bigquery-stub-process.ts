// A BigQuery that answers made-up rows at once, in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface BigQueryStub {
  url: string;
  stop(): void;
}

export async function startBigQueryStub(): Promise<BigQueryStub> {
  const child = spawn(process.execPath, ['test/bench/bigquery-stub.ts', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), stop: () => void child.kill('SIGKILL') };
}
