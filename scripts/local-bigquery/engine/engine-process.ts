// Runs the GoogleSQL engine as a child process and calls it over gRPC.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import pLimit from 'p-limit';
import { engineProtocol } from './engine-protocol.ts';
import { isOutOfMemory } from './error.ts';

/** Calls the engine's local service: requests are plain objects, or encoded already. */
export type EngineProcess = Awaited<ReturnType<typeof startEngineProcess>>;

export interface EngineEnd {
  /** Whether the engine ended because of its own fault, such as a failed assertion, and was not killed. */
  isCrash: boolean;
  lastWords: string;
}

export interface EngineProcessOptions {
  /** Folder of the npm package `@fivetrandevelopers/zetasql`; found through Node when absent. */
  packageDirectory?: string;
  signal?: AbortSignal;
}

const START_TIMEOUT_MS = 20_000;
/** The engine cannot be told to stop a call: it is ended when an aborted one takes this much longer. */
const ABANDONED_MS = 2000;

/** Starts an engine on a socket of this user and waits until it answers; a one-line Error otherwise. */
export async function startEngineProcess(options: EngineProcessOptions = {}) {
  const root = engineRoot(options.packageDirectory);
  const file = engineFile(root);
  const protocol = engineProtocol(root);
  const folder = mkdtempSync(join(tmpdir(), 'googlesql-'));
  const child = spawnEngine(file, folder);
  const client = new grpc.Client(`unix:${folder}/engine:1`, INSECURE, CHANNEL);
  const close = async (): Promise<void> => {
    client.close();
    await child.end();
  };
  await answering(client, child, options).catch(async (err: unknown) => {
    await close();
    throw err;
  });

  const limit = pLimit(CALLS_MAX);

  /** Throws the engine's `grpc.ServiceError`; `details` is GoogleSQL's message. */
  async function call<Response>(method: string, request: object | Buffer, signal?: AbortSignal) {
    const { path, request: format, response: answerFormat } = protocol.method(method);
    const encoded = Buffer.isBuffer(request) ? request : format.encode(request);
    const answered = (resolve: (answer: Buffer) => void, reject: (reason: unknown) => void) => {
      signal?.throwIfAborted();
      client.makeUnaryRequest<Buffer, Buffer>(
        path,
        (bytes) => bytes,
        (bytes) => bytes,
        encoded,
        (err, response) => {
          signal?.removeEventListener('abort', abandon);
          clearTimeout(timer);
          if (isOutOfMemory(err)) void child.end();
          if (err) reject(err);
          else resolve(response ?? Buffer.alloc(0));
        },
      );
      let timer: NodeJS.Timeout | undefined;
      const abandon = () => {
        timer = setTimeout(() => void child.end(), ABANDONED_MS).unref();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abandon, { once: true });
    };
    const answer = await limit(() => new Promise(answered));
    return answerFormat.decode(answer) as Response;
  }

  return { call, close, hasEnded: () => child.hasEnded(), ended: child.ended };
}

const INSECURE = grpc.credentials.createInsecure();
const CHANNEL = {
  'grpc.max_send_message_length': -1,
  'grpc.max_receive_message_length': -1,
  // The engine takes connections after a tenth of a second; gRPC would wait a second to try again.
  'grpc.initial_reconnect_backoff_ms': 20,
  'grpc.max_reconnect_backoff_ms': 100,
};

/** A call that needs more memory fails: the analysis of a long text may take gigabytes. macOS does not enforce it. */
const MEMORY_MAX_KIB = 1024 * 1024;
/** The engine starts a thread for each call, whose stack counts 8 MiB. */
const CALLS_MAX = 32;
const WATCHDOG = join(import.meta.dirname, 'watchdog.sh');

type EngineChild = ReturnType<typeof spawnEngine>;

function spawnEngine(file: string, folder: string) {
  const shell = spawn('/bin/sh', [WATCHDOG, file, folder, String(MEMORY_MAX_KIB)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Outside the terminal's process group: Ctrl-C reaches this program, which then ends the engine.
    detached: true,
  });
  let hasEnded = false;
  let written = '';
  const ended = new Promise<EngineEnd>((resolve) => {
    const finish = (code: unknown) => {
      hasEnded = true;
      shell.stdin.destroy();
      const isCrash = typeof code === 'number' && CRASHES.has(code);
      resolve({ isCrash, lastWords: written.trim().split('\n').at(-1) ?? '' });
    };
    shell.once('exit', finish);
    shell.once('error', finish);
  });
  shell.stdin.on('error', () => undefined);
  shell.stderr.on('data', (data: Buffer) => (written = (written + data.toString()).slice(-500)));
  // Neither the engine nor its pipes keep a finished program running.
  shell.unref();
  for (const pipe of [shell.stdin, shell.stderr]) {
    (pipe as unknown as { unref(): void }).unref();
  }
  const end = async (): Promise<void> => {
    shell.ref();
    shell.stdin.destroy();
    await ended;
  };
  return { hasEnded: () => hasEnded, ended, end };
}

/** Exit codes of a shell whose program was ended by a signal of its own: ILL, TRAP, ABRT, BUS, FPE, SEGV. */
const CRASHES = new Set([4, 5, 6, 7, 8, 10, 11].map((signal) => 128 + signal));

async function answering(
  client: grpc.Client,
  child: EngineChild,
  { signal }: EngineProcessOptions,
): Promise<void> {
  signal?.throwIfAborted();
  const ready = new Promise<void>((resolve, reject) => {
    client.waitForReady(new Date(Date.now() + START_TIMEOUT_MS), (err) => {
      if (err === undefined) resolve();
      else reject(new Error(`the GoogleSQL engine did not answer within ${START_TIMEOUT_MS} ms`));
    });
  });
  const ended = child.ended.then(({ lastWords }) => {
    throw new Error(`the GoogleSQL engine did not start: ${lastWords || 'no output'}`);
  });
  const stop = () => void child.end();
  signal?.addEventListener('abort', stop);
  await Promise.race([ready, ended]).finally(() => signal?.removeEventListener('abort', stop));
}

function engineFile(root: string): string {
  const { platform, arch } = process;
  if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) {
    throw new Error(
      `the GoogleSQL engine runs on Linux and macOS (x64, arm64), not on ${platform} ${arch}`,
    );
  }
  const name = `remote_server${arch === 'arm64' ? '_arm' : ''}${platform === 'linux' ? '.so' : ''}`;
  const file = join(root, name);
  if (!existsSync(file)) throw new Error(NOT_INSTALLED);
  return file;
}

const NOT_INSTALLED = 'the GoogleSQL engine is not installed: run npm ci';

/** The folder of the engine's files. Throws if it is not installed. */
export function engineRoot(packageDirectory?: string): string {
  const require = createRequire(import.meta.filename);
  const installed = () => dirname(require.resolve('@fivetrandevelopers/zetasql/package.json'));
  try {
    return realpathSync(join(packageDirectory ?? installed(), 'lib', 'zetasql'));
  } catch (cause) {
    throw new Error(NOT_INSTALLED, { cause });
  }
}
