// Runs the BigQuery stub in a process of its own, so that its work does not slow down what is tested.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { kill } from '../process.ts';
import { undo } from '../undo.ts';
import type { StubChange, StubCounts, StubSettings } from './bigquery-stub.ts';

/** In a test it ends with it. All processes that call it share its jobs. */
export async function startBigQueryStub(settings: Partial<StubSettings> = {}) {
  const args = ['test/support/bigquery/bigquery-stub.ts', JSON.stringify(settings)];
  const stub = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  undo(() => kill(stub));
  const [url] = (await once(createInterface(stub.stdout), 'line')) as [string];
  /** Changes what later calls and queries do, ends queries, and counts. */
  const control = async (change: StubChange = {}): Promise<StubCounts> => {
    const answer = await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(change) });
    return (await answer.json()) as StubCounts;
  };
  return { url, control, stop: () => kill(stub) };
}
