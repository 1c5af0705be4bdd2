// Starts a function as a process of Google's functions framework, as the cloud does.
import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { Listening, ReplaceCatalogue } from './live/replace-catalogue.ts';

export type FunctionProcess = Awaited<ReturnType<typeof startFunction>>;

interface FunctionOptions {
  target: string;
  /** Directory with the package.json whose `main` registers the functions. */
  source: string;
  /** 0 takes a free one. */
  port: number;
  env: Record<string, string | undefined>;
  /** Destination of its output: by default stdout and stderr of this process, or an open file. */
  stdio?: 'inherit' | 'ignore' | number;
  /** Whether it may cancel jobs when stopped. Ctrl-C does not reach it then: the framework would end it at once. */
  cancelsJobs?: boolean;
  /** Of the local service: it refuses other machines and pages of other sites. Called about once a second with lines that it has logged. */
  onLogged?: (logged: string) => unknown;
}

const OF_PARENT = join(import.meta.dirname, 'live', 'replace-catalogue.ts');
const OF_LOCAL_SERVICE = join(import.meta.dirname, 'local-function.ts');
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 3000;
/** A function that is stopped in a query cancels it after 7 s and ends after 9.5 s at most. */
const STOP_TIMEOUT_WITH_JOBS_MS = 10_000;
const REPLACE_TIMEOUT_MS = 10_000;

/** Resolves once the function takes connections, with its port; rejects with one line when it does not start. */
export async function startFunction(options: FunctionOptions) {
  const { target, source, port, cancelsJobs = false, stdio = 'inherit', onLogged } = options;
  const preloaded = [OF_PARENT, ...(onLogged === undefined ? [] : [OF_LOCAL_SERVICE])];
  const imports = preloaded.map((file) => `--import=${pathToFileURL(file).href}`);
  const child = spawn(process.execPath, [...imports, ...frameworkArguments(target, source)], {
    detached: cancelsJobs,
    // As deployed: in other environments the framework prints its settings at the start.
    env: { ...options.env, NODE_ENV: 'production', PORT: String(port) },
    stdio: ['pipe', stdio, stdio, 'ipc'],
  });
  child.on('message', ({ logged }: { logged?: string }) => {
    if (logged !== undefined) onLogged?.(logged);
  });
  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    await end(child, cancelsJobs ? STOP_TIMEOUT_WITH_JOBS_MS : STOP_TIMEOUT_MS);
  };
  /** Resolves to a sentence if the process ends without `stop`. */
  const failed = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      const how = signal ?? `code ${String(code)}`;
      if (!isStopping) resolve(`The function ${target} ended with ${how}.`);
    });
  });
  const ended = failed.then((sentence) => {
    throw new Error(sentence);
  });
  const started = Promise.race([portOf(child, target), ended]);
  const listeningPort = await started.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    pid: child.pid ?? -1,
    port: listeningPort,
    url: `http://localhost:${listeningPort}`,
    failed,
    replaceCatalogue: createReplace(child, target),
    stop,
  };
}

/** Resolves once the function serves the endpoints and no others. Messages are answered in any order, each by its number. */
function createReplace(child: ChildProcess, target: string) {
  let last = 0;
  return async (endpoints: readonly Endpoint[]): Promise<void> => {
    const number = ++last;
    const contents = endpoints.map(({ rules: _, ...content }) => content);
    const message: ReplaceCatalogue = { replaceCatalogue: number, endpoints: contents };
    const unsent = new AbortController();
    const signal = AbortSignal.any([unsent.signal, AbortSignal.timeout(REPLACE_TIMEOUT_MS)]);
    const answers = on(child, 'message', { signal, close: ['exit'] });
    child.send(message, (error) => error && unsent.abort(error));
    try {
      for await (const [{ replaced }] of answers as AsyncIterable<[{ replaced?: number }]>) {
        if (replaced === number) return;
      }
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
      throw new Error(`The function ${target} does not take the new endpoints.`, { cause: error });
    }
    throw new Error(`The function ${target} has ended.`);
  };
}

/** Node's arguments to serve a function from a folder, as the start script of the cloud does. */
export function frameworkArguments(target: string, source: string): string[] {
  const require = createRequire(import.meta.filename);
  const framework = join(dirname(require.resolve('@google-cloud/functions-framework')), 'main.js');
  return [framework, `--target=${target}`, `--source=${source}`];
}

/** From its message. Another program may listen on the port that it was given. */
async function portOf(child: ChildProcess, target: string): Promise<number> {
  try {
    const messages = on(child, 'message', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
    for await (const [{ listeningPort }] of messages as AsyncIterable<[Partial<Listening>]>) {
      if (listeningPort !== undefined) return listeningPort;
    }
  } catch (error) {
    throw new Error(`The function ${target} does not start.`, { cause: error });
  }
  throw new Error(`The function ${target} does not start.`);
}

async function end(child: ChildProcess, timeoutMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const late = delay(timeoutMs, undefined, { ref: false }).then(() => child.kill('SIGKILL'));
  await Promise.race([exit, late.then(() => exit)]);
}
