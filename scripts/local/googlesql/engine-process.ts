// Runs the GoogleSQL engine as a child process and calls it over gRPC.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as grpc from '@grpc/grpc-js';
import * as protoLoader from '@grpc/proto-loader';
import { freePort } from '../tcp-ports.ts';

/** One method of the engine's local service: request and response as plain objects, or encoded. */
export interface EngineProcess {
  /** Throws the engine's `grpc.ServiceError`; `details` is GoogleSQL's message. */
  call<Response>(method: string, request: object, signal?: AbortSignal): Promise<Response>;
  /** As `call`, with a request that is already encoded. */
  callEncoded<Response>(method: string, request: Buffer): Promise<Response>;
  encodeRequest(method: string, request: object): Buffer;
  encodeResponse(method: string, response: object): Buffer;
  close(): Promise<void>;
}

export interface EngineProcessOptions {
  /** Folder of the npm package `@fivetrandevelopers/zetasql`; found through Node when absent. */
  packageDirectory?: string;
  /** How long the engine may take to answer after its start. */
  startTimeoutMs?: number;
}

const serviceName = 'zetasql.local_service.ZetaSqlLocalService';

/** Starts an engine on a free loopback port and waits until it answers; a one-line Error otherwise. */
export async function startEngineProcess(
  options: EngineProcessOptions = {},
): Promise<EngineProcess> {
  const root = join(options.packageDirectory ?? packageDirectory(), 'lib', 'zetasql');
  const file = engineFile(root);
  const definition = protoLoader.loadSync('local_service.proto', {
    includeDirs: [join(root, 'protos')],
    longs: String,
    enums: String,
    oneofs: true,
  })[serviceName] as grpc.ServiceDefinition;
  const { client, ...connection } = await connect(file, options.startTimeoutMs ?? 20_000);

  function invoke<Response>(method: string, request: object | Buffer, signal?: AbortSignal) {
    const rpc = method_(method);
    const serialize = Buffer.isBuffer(request) ? () => request : rpc.requestSerialize;
    return new Promise<Response>((resolve, reject) => {
      signal?.throwIfAborted();
      const call = client.makeUnaryRequest(
        rpc.path,
        serialize as (request: object) => Buffer,
        rpc.responseDeserialize as (bytes: Buffer) => Response,
        request,
        (err, response) => {
          signal?.removeEventListener('abort', cancel);
          if (err) reject(err);
          else resolve(response as Response);
        },
      );
      const cancel = () => call.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }
  function method_(name: string) {
    const rpc = definition[name];
    if (rpc === undefined) throw new Error(`the GoogleSQL engine has no method ${name}`);
    return rpc;
  }
  return {
    call: (method, request, signal) => invoke(method, request, signal),
    callEncoded: (method, request) => invoke(method, request),
    encodeRequest: (method, request) => method_(method).requestSerialize(request),
    encodeResponse: (method, response) => method_(method).responseSerialize(response),
    close: () => connection.close(),
  };
}

interface Connection {
  client: grpc.Client;
  close(): Promise<void>;
}

/** Another program may take the free port before the engine does, so there is more than one attempt. */
async function connect(file: string, timeoutMs: number, attempts = 3): Promise<Connection> {
  const port = await freePort();
  const child = spawnEngine(file, port);
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
    'grpc.max_send_message_length': -1,
    'grpc.max_receive_message_length': -1,
    // A proxy of the environment must not be used for the loopback address.
    'grpc.enable_http_proxy': 0,
    // The engine takes connections after a tenth of a second; gRPC would wait a second to try again.
    'grpc.initial_reconnect_backoff_ms': 20,
    'grpc.max_reconnect_backoff_ms': 100,
  });
  const close = async () => {
    client.close();
    await child.end();
  };
  try {
    await answering(client, child, timeoutMs);
    return { client, close };
  } catch (err) {
    const hasEnded = child.ended();
    await close();
    if (hasEnded && attempts > 1) return await connect(file, timeoutMs, attempts - 1);
    throw err;
  }
}

/**
 * The shell between this process and the engine ends the engine as soon as its standard input
 * closes, which the operating system does even when this process is killed without warning.
 */
const watchdog = `exec 3<&0
"$0" 127.0.0.1 "$1" </dev/null 3<&- &
engine=$!
{ cat <&3 >/dev/null; kill -9 $engine 2>/dev/null; } &
exec 3<&-
wait $engine`;

function spawnEngine(file: string, port: number) {
  const shell = spawn('/bin/sh', ['-c', watchdog, file, String(port)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Outside the terminal's process group: Ctrl-C reaches this program, which then ends the engine.
    detached: true,
  });
  let ended = false;
  let lastWords = '';
  const end = new Promise<void>((resolve) => {
    const finish = () => {
      ended = true;
      shell.stdin.destroy();
      resolve();
    };
    shell.once('exit', finish);
    shell.once('error', finish);
  });
  shell.stdin.on('error', () => undefined);
  shell.stderr.on(
    'data',
    (data: Buffer) => (lastWords = (lastWords + data.toString()).slice(-500)),
  );
  // Neither the engine nor its pipes keep a finished program running.
  shell.unref();
  for (const pipe of [shell.stdin, shell.stderr]) (pipe as unknown as { unref(): void }).unref();
  return {
    ended: () => ended,
    lastWords: () => lastWords.trim().split('\n').at(-1) ?? '',
    end: async () => {
      shell.ref();
      shell.stdin.destroy();
      await end;
    },
  };
}

async function answering(
  client: grpc.Client,
  child: ReturnType<typeof spawnEngine>,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (child.ended()) {
      throw new Error(`the GoogleSQL engine did not start: ${child.lastWords() || 'no output'}`);
    }
    const ready = await new Promise<boolean>((resolve) => {
      client.waitForReady(new Date(Date.now() + 250), (err) => resolve(!err));
    });
    if (ready && !child.ended()) return;
    await delay(20);
  }
  throw new Error(`the GoogleSQL engine did not answer within ${timeoutMs} ms`);
}

function engineFile(root: string): string {
  const names: Readonly<Record<string, string>> = {
    'linux x64': 'remote_server.so',
    'linux arm64': 'remote_server_arm.so',
    'darwin x64': 'remote_server',
    'darwin arm64': 'remote_server_arm',
  };
  const platform = `${process.platform} ${process.arch}`;
  const name = names[platform];
  if (name === undefined) {
    throw new Error(
      `the GoogleSQL engine runs on Linux and macOS (x64, arm64), not on ${platform}`,
    );
  }
  const file = join(root, name);
  if (!existsSync(file)) throw new Error('the GoogleSQL engine is not installed: run npm ci');
  return file;
}

function packageDirectory(): string {
  const require = createRequire(import.meta.filename);
  try {
    return dirname(require.resolve('@fivetrandevelopers/zetasql/package.json'));
  } catch (err) {
    throw new Error('the GoogleSQL engine is not installed: run npm ci', { cause: err });
  }
}
