// Runs `npm start` in a process of its own, on free ports and with its own emulator.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { freePort } from '../../scripts/cli/tcp-ports.ts';
import { startScript } from './command.ts';
import { writeSampleRows } from './sample-rows.ts';
import { TEST_SQL } from './test-sql.ts';

export interface LocalService {
  url: string;
  stop(): Promise<void>;
}

/** The endpoints of the tests, on sample rows of their tables. Rejects as `startLocalService`. */
export async function startTestService(apiKey: string): Promise<LocalService> {
  const logs = writeSampleRows(Date.now());
  try {
    return await startLocalService(apiKey, ['--sql', TEST_SQL, '--logs', logs]);
  } finally {
    rmSync(logs, { recursive: true });
  }
}

/** Resolves once it prints that it runs; rejects with its output if it ends before. */
export async function startLocalService(
  apiKey: string,
  args: string[] = [],
): Promise<LocalService> {
  const [port, warmPort] = await Promise.all([freePort(), freePort()]);
  const script = startScript('scripts/start.ts', args, {
    PORT: String(port),
    WARM_PORT: String(warmPort),
    LOCAL_API_KEY: apiKey,
    FIRESTORE_EMULATOR_HOST: '',
    // The first look-up of a key may be slow on a busy machine.
    FIRESTORE_TIMEOUT_SECONDS: '20',
  });
  await script.until(/Ctrl-C/);
  return {
    url: `http://localhost:${port}`,
    async stop() {
      script.child.kill('SIGINT');
      await once(script.child, 'close');
    },
  };
}
