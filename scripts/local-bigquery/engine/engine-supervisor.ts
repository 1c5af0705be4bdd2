// Keeps an engine running: starts it again when its process ends.
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { errorCode, errorMessage } from '../../../functions/core/describe-error.ts';
import { startEngineProcess } from './engine-process.ts';
import type { EngineEnd, EngineProcess, EngineProcessOptions } from './engine-process.ts';
import { GoogleSqlError, isOutOfMemory } from './error.ts';

/** The pauses before a start, by the number of previous engines that ended before they answered a call. */
const PAUSES_MS = [0, 100, 250, 500, 1000] as const;
/** After that many, an engine is started only for a call, at least this long after the last failure. */
const LAST_PAUSE_MS = 10_000;
/** The longest time from a broken connection until the end of the process is known. */
const END_KNOWN_MS = 1000;

/** Starts the first engine; an Error of one line if it does not start. */
export async function superviseEngine(options: EngineProcessOptions = {}) {
  const closing = new AbortController();
  /** Engines in a row that ended, or did not start, before they had answered a call. */
  let failures = 0;
  let lastFailure = '';
  let failedAtMs = 0;
  const underWay = new WeakMap<EngineProcess, number>();
  let current: EngineProcess | undefined = await started();
  let starting: Promise<EngineProcess> | undefined;

  async function started(): Promise<EngineProcess> {
    const process = await startEngineProcess({ ...options, signal: closing.signal });
    void process.ended.then((end) => hasEnded(process, end));
    return process;
  }

  function hasEnded(process: EngineProcess, { lastWords }: EngineEnd): void {
    if (current === process) current = undefined;
    // Otherwise its client would keep trying to connect.
    void process.close();
    if (!underWay.has(process)) failed(lastWords || 'it ended');
    if (failures < PAUSES_MS.length) running().catch(() => undefined);
  }

  function failed(reason: string): void {
    failures++;
    lastFailure = reason;
    failedAtMs = performance.now();
  }

  async function running(): Promise<EngineProcess> {
    if (closing.signal.aborted) throw new Error('the GoogleSQL engine is closed');
    if (current && !current.hasEnded()) return current;
    starting ??= startAgain().finally(() => (starting = undefined));
    return await starting;
  }

  async function startAgain(): Promise<EngineProcess> {
    for (;;) {
      const pauseMs = PAUSES_MS[failures];
      if (pauseMs === undefined && performance.now() - failedAtMs < LAST_PAUSE_MS) {
        throw new Error(`the GoogleSQL engine ended ${failures} times in a row: ${lastFailure}`);
      }
      await delay(pauseMs ?? 0, undefined, { signal: closing.signal });
      try {
        const process = await started();
        if (closing.signal.aborted) await process.close();
        return (current = process);
      } catch (err) {
        if (closing.signal.aborted) throw err;
        failed(errorMessage(err));
      }
    }
  }

  /**
   * Calls the engine that runs, or the one that is being started. Rejects with `GoogleSqlError`: of the kind
   * `engine` if the process does not start, or ends during the call, and during its one repetition if `repeats`.
   */
  async function use<Result>(
    call: (process: EngineProcess) => Promise<Result>,
    { repeats } = { repeats: false },
  ): Promise<Result> {
    const process = await running().catch((err: unknown) => {
      throw GoogleSqlError.from(err);
    });
    underWay.set(process, (underWay.get(process) ?? 0) + 1);
    try {
      const result = await call(process);
      failures = 0;
      return result;
    } catch (err) {
      const isAlone = underWay.get(process) === 1;
      const end = await endDuring(process, err);
      const error = end && endedError(end, isAlone, err);
      if (error?.kind === 'engine' && repeats) return await use(call);
      if (error) throw error;
      failures = 0;
      // Its process is being ended: the next call must not go to it.
      if (isOutOfMemory(err) && current === process) current = undefined;
      throw GoogleSqlError.from(err);
    } finally {
      underWay.set(process, (underWay.get(process) ?? 1) - 1);
    }
  }

  return {
    use,

    /** Ends the engine, also one that is being started; everything under way fails. */
    async close(): Promise<void> {
      closing.abort();
      await current?.close();
      await starting?.catch(() => undefined);
    },
  };
}

async function endDuring(process: EngineProcess, err: unknown): Promise<EngineEnd | undefined> {
  const code = errorCode(err);
  const isOfConnection = code === status.UNAVAILABLE || code === status.INTERNAL;
  if (!isOfConnection && !process.hasEnded()) return undefined;
  // The connection may break before the end of the process is known.
  const waitMs = code === status.UNAVAILABLE ? END_KNOWN_MS : 0;
  return await Promise.race([process.ended, delay(waitMs, undefined)]);
}

function endedError({ isCrash }: EngineEnd, isAlone: boolean, cause: unknown): GoogleSqlError {
  // Any of several calls may have been the cause, and all may be repeated.
  if (isCrash && isAlone) {
    return new GoogleSqlError('unsupported', 'the GoogleSQL engine crashes on it', { cause });
  }
  return new GoogleSqlError('engine', 'the GoogleSQL engine ended, and is started again', {
    cause,
  });
}
