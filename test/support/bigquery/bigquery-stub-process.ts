// Runs the BigQuery stub in a process of its own, so that its work does not slow down what is tested.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { kill } from '../kill.ts';
import { undo } from '../undo.ts';

/** In a test it ends with it. */
export async function startBigQueryStub(latencyMs = 0) {
  const args = ['test/support/bigquery/bigquery-stub.ts', String(latencyMs)];
  const stub = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  undo(() => kill(stub));
  const [url] = (await once(createInterface(stub.stdout), 'line')) as [string];
  return {
    url,
    /** The number of jobs so far. */
    jobCount: async () =>
      ((await (await fetch(`${url}/jobs`)).json()) as { jobCount: number }).jobCount,
    stop: () => kill(stub),
  };
}
