// Runs `npm start` in a process of its own, on free ports and with its own emulator.
import { once } from 'node:events';
import { freePort } from '../../scripts/local/tcp-ports.ts';
import { startScript } from './command.ts';

export interface LocalService {
  url: string;
  stop(): Promise<void>;
}

/** Resolves once it prints that it runs; rejects with its output if it ends before. */
export async function startLocalService(apiKey: string): Promise<LocalService> {
  const [port, warmPort] = await Promise.all([freePort(), freePort()]);
  const script = startScript('scripts/start.ts', [], {
    PORT: String(port),
    WARM_PORT: String(warmPort),
    LOCAL_API_KEY: apiKey,
    FIRESTORE_EMULATOR_HOST: '',
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
