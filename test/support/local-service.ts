// `npm start` as a process of its own, on a free port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../scripts/ports.ts';

export interface LocalService {
  url: string;
  stop(): Promise<void>;
}

/** Resolves once it says that it runs; rejects with what it printed when it ends before. */
export async function startLocalService(
  env: Record<string, string | undefined>,
): Promise<LocalService> {
  const port = await freePort();
  const child = spawn(process.execPath, ['scripts/start.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    // Its own emulator: no results of other tests.
    env: { ...process.env, FIRESTORE_EMULATOR_HOST: undefined, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  child.stderr.on('data', (chunk) => printed.push(String(chunk)));
  const isReady = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      printed.push(line);
      if (line.startsWith('Ctrl-C ends everything')) resolve();
    });
  });
  const exited = once(child, 'exit');
  await Promise.race([
    isReady,
    exited.then(() => {
      throw new Error(`npm start ended: ${printed.join('\n')}`);
    }),
  ]);
  return {
    url: `http://localhost:${port}`,
    async stop() {
      child.kill('SIGINT');
      await exited;
    },
  };
}
