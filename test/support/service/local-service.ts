// Runs `npm start` in a process of its own, on free ports and with its own emulator.
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePort } from './free-port.ts';
import { startScript } from '../command.ts';

/** That of `npm start` by default. */
export const LOCAL_KEY = 'local-dev-key';

export type LocalService = Awaited<ReturnType<typeof startLocalService>>;

/** The environment of `npm start` on these ports. */
export function startEnvironment(port: number, warmPort: number): Record<string, string> {
  return {
    PORT: String(port),
    WARM_PORT: String(warmPort),
    FIRESTORE_EMULATOR_HOST: '',
    // The first look-up of a key may be slow on a busy machine.
    FIRESTORE_TIMEOUT_SECONDS: '20',
  };
}

/** Resolves once it prints that it runs; rejects with its output if it ends before. In a test it ends with it. */
export async function startLocalService(
  apiKey: string,
  args: string[] = [],
  env: Record<string, string> = {},
  directory?: string,
) {
  const [port, warmPort] = await Promise.all([freePort(), freePort()]);
  const ports = startEnvironment(port, warmPort);
  const own = apiKey === LOCAL_KEY ? {} : { LOCAL_API_KEY: apiKey };
  const environment = { ...ports, ...own, ...env };
  const script = startScript(resolve('scripts/start.ts'), args, environment, directory);
  await script.until(/Ctrl-C/);
  const url = `http://localhost:${port}`;
  return {
    ...script,
    url,
    port,
    warmPort,
    /** The body of an answer to a name with a query string. */
    ask: async (call: string) => {
      const headers = { 'X-API-KEY': apiKey };
      const answer = await fetch(`${url}/api/endpoints/query/${call}`, { headers });
      return (await answer.json()) as {
        result?: object[];
        error?: { details: { reason: string }[] };
      };
    },
    /** Ends it, by default by Ctrl-C; resolves to its exit code and its signal. */
    stop: (signal: NodeJS.Signals = 'SIGINT') => {
      script.child.kill(signal);
      return once(script.child, 'close');
    },
  };
}
