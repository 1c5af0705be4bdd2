// The end of an instance: after SIGTERM it answers what is in flight and begins nothing new.
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { ServiceError } from '../core/errors.ts';
import { instanceStopping } from '../core/query-errors.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { QueryRunner } from '../core/query-runner.ts';
import type { RequestStart } from './strip-request.ts';

export interface Shutdown {
  /** What SIGTERM calls: from now on nothing is begun, and the process ends once all is answered. */
  begin(): void;
  isStopping(): boolean;
  /** Aborts when jobs that still run must be cancelled, so that their requests can be answered. */
  readonly signal: AbortSignal;
  /** Runs queries until the instance is being stopped, then rejects with INSTANCE_STOPPING. */
  guard(queryRunner: QueryRunner): QueryRunner;
  /**
   * The outcome of `work`, or INSTANCE_STOPPING when the last moment to answer has come. The process
   * does not end before either.
   */
  inTime<T>(work: T | Promise<T>): T | Promise<T>;
  /** Has to see every request; its answer is waited for. */
  track(started: RequestStart): void;
  /** Ends the process now. Connections are cut: nobody else is to write into an open answer. */
  end(code: number): void;
}

interface ShutdownDeps {
  clock: Clock;
  log: Log;
  exit: (code: number) => void;
}

/** After SIGTERM; Cloud Run kills at 10 s (https://cloud.google.com/run/docs/container-contract). */
const CANCEL_JOBS_MS = 7000;
const ANSWER_MS = 8500;
const EXIT_MS = 9500;

export function createShutdown({ clock, log, exit }: ShutdownDeps): Shutdown {
  const cancelJobs = new AbortController();
  const servers = new Set<Server>();
  // Answers of a connection are sent in order: when the latest is done, all are.
  const latest = new Map<Socket, ServerResponse>();
  const waiting = new Set<(error: ServiceError) => void>();
  let isStopping = false;

  return {
    begin,
    isStopping: () => isStopping,
    signal: cancelJobs.signal,
    guard: (queryRunner) => ({
      run: (request) =>
        isStopping ? Promise.reject(instanceStopping()) : queryRunner.run(request),
    }),
    inTime,
    track,
    end,
  };

  function begin(): void {
    if (isStopping) return;
    isStopping = true;
    const unanswered = [...latest.values()].filter((response) => !isDone(response));
    log.write('INFO', 'The instance is being stopped.', {
      event: 'stopping',
      unanswered: unanswered.length,
    });
    // Not the `close` of HTTP: it would cut open connections on which a request may be on its way.
    for (const server of servers) NetServer.prototype.close.call(server);
    for (const response of unanswered) closeAfter(response);
    void keepTime();
    endIfIdle();
  }

  async function keepTime(): Promise<void> {
    await clock.wait(CANCEL_JOBS_MS);
    cancelJobs.abort(instanceStopping());
    await clock.wait(ANSWER_MS - CANCEL_JOBS_MS);
    for (const reject of waiting) reject(instanceStopping());
    waiting.clear();
    setImmediate(endIfIdle);
    await clock.wait(EXIT_MS - ANSWER_MS);
    log.write('WARNING', 'The instance ends with requests that are not answered.', {
      event: 'stopped_late',
    });
    end(0);
  }

  function inTime<T>(work: T | Promise<T>): T | Promise<T> {
    if (!(work instanceof Promise)) return work;
    return new Promise<T>((resolve, reject) => {
      waiting.add(reject);
      void work.then(resolve, reject).finally(() => {
        waiting.delete(reject);
        if (isStopping) setImmediate(endIfIdle);
      });
    });
  }

  function track({ response, socket, server }: RequestStart): void {
    servers.add(server);
    if (!latest.has(socket)) {
      socket.once('close', () => {
        latest.delete(socket);
        if (isStopping) endIfIdle();
      });
    }
    latest.set(socket, response);
    if (isStopping) closeAfter(response);
  }

  function closeAfter(response: ServerResponse): void {
    if (!response.headersSent) response.shouldKeepAlive = false;
    response.once('close', endIfIdle);
  }

  function endIfIdle(): void {
    if (waiting.size === 0 && [...latest.values()].every(isDone)) end(0);
  }

  function end(code: number): void {
    for (const server of servers) server.closeAllConnections();
    exit(code);
  }
}

/** Calls `begin` on SIGTERM, and nobody else: the framework would answer 500 and end the process. */
export function onSigterm(begin: () => void): void {
  process.on('SIGTERM', begin);
  process.on('newListener', (event, listener: () => void) => {
    // This event comes before the listener is added.
    if (event === 'SIGTERM') process.nextTick(() => process.off('SIGTERM', listener));
  });
}

/** All of it is with the operating system. */
function isDone(response: ServerResponse): boolean {
  return response.writableFinished;
}
