// Graceful shutdown: after SIGTERM the instance answers open requests and starts no new work.
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { type ServiceError, usualError } from './core/errors.ts';
import type { Uses } from './core/services.ts';
import type { RequestStart } from './http/framework.ts';

/** After SIGTERM; Cloud Run kills at 10 s (https://cloud.google.com/run/docs/container-contract). */
const CANCEL_JOBS_MS = 7000;
const ANSWER_MS = 8500;
const EXIT_MS = 9500;

export function createShutdown(deps: Uses<'clock' | 'log'> & { exit: (code: number) => void }) {
  const { clock, log, exit } = deps;
  const cancelJobs = new AbortController();
  const servers = new Set<Server>();
  // Answers on a connection are sent in order: when the latest is sent, all are.
  const latest = new Map<Socket, ServerResponse>();
  const waiting = new Set<(error: ServiceError) => void>();
  let isStopping = false;

  return {
    begin,
    isStopping: (): boolean => isStopping,
    /** Aborts when running queries must be cancelled or left, so that their requests can still be answered. */
    signal: cancelJobs.signal,
    inTime,
    track,
    end,
  };

  /** Starts the shutdown: no new work, and the process ends once all open requests are answered. */
  function begin(): void {
    if (isStopping) return;
    isStopping = true;
    const unanswered = [...latest.values()].filter((response) => !isDone(response));
    const fields = { event: 'stopping', unanswered: unanswered.length };
    log.write('INFO', 'The instance is being stopped.', fields);
    // Not the `close` of an HTTP server, which would cut open connections on which a request may be arriving.
    for (const server of servers) NetServer.prototype.close.call(server);
    for (const response of unanswered) closeAfter(response);
    void keepTime();
    endIfIdle();
  }

  async function keepTime(): Promise<void> {
    await clock.wait(CANCEL_JOBS_MS);
    cancelJobs.abort(usualError('INSTANCE_STOPPING'));
    await clock.wait(ANSWER_MS - CANCEL_JOBS_MS);
    for (const reject of waiting) reject(usualError('INSTANCE_STOPPING'));
    waiting.clear();
    setImmediate(endIfIdle);
    await clock.wait(EXIT_MS - ANSWER_MS);
    const fields = { event: 'stopped_late' };
    log.write('WARNING', 'The instance ends with requests that are not answered.', fields);
    end(0);
  }

  /** The outcome of `work`, or INSTANCE_STOPPING at the last moment at which an answer is possible. */
  function inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.add(reject);
      void work.then(resolve, reject).finally(() => {
        waiting.delete(reject);
        if (isStopping) setImmediate(endIfIdle);
      });
    });
  }

  /** Must be called for every request; the shutdown waits for its answer. */
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

  /** Ends the process now and cuts all connections, so that nothing is written into an open answer. */
  function end(code: number): void {
    for (const server of servers) server.closeAllConnections();
    exit(code);
  }
}

/** Calls only `begin` on SIGTERM: the framework's listener would answer 500 and end the process. */
export function onSigterm(begin: () => void): void {
  process.on('SIGTERM', begin);
  process.on('newListener', (event, listener: () => void) => {
    // This event is emitted before the listener is added.
    if (event === 'SIGTERM') process.nextTick(() => process.off('SIGTERM', listener));
  });
}

/** Whether the operating system has taken the whole answer. */
const isDone = ({ writableFinished }: ServerResponse): boolean => writableFinished;
