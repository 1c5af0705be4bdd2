// Keeps an engine running: starts it again for the next call when its process has ended.
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { errorCode, errorMessage } from '../../../functions/core/errors.ts';
import { startEngineProcess } from './engine-process.ts';
import type { EngineEnd, EngineProcess, EngineProcessOptions } from './engine-process.ts';
import { GoogleSqlError, isOutOfMemory } from './error.ts';

/** The longest time from a broken connection until the end of the process is known. */
const END_KNOWN_MS = 1000;

/** Starts the first engine; an Error of one line if it does not start. */
export async function superviseEngine(options: EngineProcessOptions = {}) {
  const closing = new AbortController();
  const underWay = new WeakMap<EngineProcess, number>();
  let current: Promise<EngineProcess> | undefined;

  function started(): Promise<EngineProcess> {
    const starting = startEngineProcess({ ...options, signal: closing.signal });
    const over = (): void => {
      if (current === starting) current = undefined;
    };
    starting.then(async (process) => {
      await process.ended;
      over();
      // Otherwise its client would keep trying to connect.
      await process.close();
    }, over);
    return starting;
  }

  function running(): Promise<EngineProcess> {
    if (closing.signal.aborted) return Promise.reject(new Error('the GoogleSQL engine is closed'));
    return (current ??= started());
  }

  /**
   * Calls the engine that runs, or starts one. Rejects with `GoogleSqlError`: of the kind `engine` if the process
   * does not start, or ends during the call, and during its one repetition if `repeats`. A call that was not sent, because the
   * end of the process was not known yet, is repeated too.
   */
  async function use<Result>(
    call: (process: EngineProcess) => Promise<Result>,
    { repeats = false, isRepeated = false } = {},
  ): Promise<Result> {
    const starting = running();
    const process = await starting.catch((err: unknown) => {
      throw GoogleSqlError.from(err);
    });
    underWay.set(process, (underWay.get(process) ?? 0) + 1);
    try {
      return await call(process);
    } catch (err) {
      const isAlone = underWay.get(process) === 1;
      const end = await endDuring(process, err);
      // Its process is being ended: the next call must not go to it.
      if ((end || isOutOfMemory(err)) && current === starting) current = undefined;
      const isUnsent = errorMessage(err).includes('No connection established');
      if (end && isUnsent && !isRepeated) return await use(call, { repeats, isRepeated: true });
      const error = end ? endedError(end, isAlone, err) : GoogleSqlError.from(err);
      if (end && error.kind === 'engine' && repeats) return await use(call, { isRepeated: true });
      throw error;
    } finally {
      underWay.set(process, (underWay.get(process) ?? 1) - 1);
    }
  }

  await running();
  return {
    use,

    /** Ends the engine, also one that is being started; everything under way fails. */
    async close(): Promise<void> {
      closing.abort();
      await current?.then((process) => process.close()).catch(() => undefined);
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
