// An instance of `query` under soak: it can be paused, stopped, and held to its log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunningFunction } from '../support/running-function.ts';
import { END_MS_MAX } from './settings.ts';
import type { Verdict } from './verdict.ts';

export interface Instance {
  readonly running: RunningFunction;
  /** Whether requests may be sent to it. */
  isOpen: boolean;
  /** Whether it stood still at some time between the two instants. */
  wasPaused(fromMs: number, toMs: number): boolean;
  isStopping(): boolean;
  /** Stops it with SIGSTOP; it goes on after so long, whatever becomes of this program. */
  pause(ms: number): Promise<void>;
  /** Ends it with SIGTERM; its requests have to be answered, in time, and its exit code is 0. */
  terminate(): Promise<void>;
  /** Holds what it has printed to the rules of the log. */
  judgeLog(): void;
}

/** What an INTERNAL is about here; at other instances those who waited for it have it without a cause. */
const UNFIT_RESULT = /The result of BigQuery does not fit|^ServiceError: Internal error\.$/;
const FAULTY_EVENTS = new Set(['crash', 'stopped_late', 'process_warning', 'console']);

export function createInstance(
  running: RunningFunction,
  secrets: readonly string[],
  { violate, count }: Verdict,
): Instance {
  const { pid, url, failed } = running;
  const pauses: { fromMs: number; toMs: number }[] = [];
  let isStopping = false;
  const isEnded = failed.then((sentence) => {
    if (!isStopping) violate(`${url}: ${sentence}`);
    return sentence;
  });
  const instance: Instance = {
    running,
    isOpen: true,
    wasPaused: (fromMs, toMs) =>
      pauses.some((pause) => pause.fromMs <= toMs && pause.toMs >= fromMs),
    isStopping: () => isStopping,
    async pause(ms) {
      const pause = { fromMs: Date.now(), toMs: Infinity };
      pauses.push(pause);
      process.kill(pid, 'SIGSTOP');
      const going = spawn('sh', ['-c', `sleep ${ms / 1000}; kill -CONT ${pid}`], {
        detached: true,
        stdio: 'ignore',
      });
      await once(going, 'exit');
      pause.toMs = Date.now();
    },
    async terminate() {
      isStopping = true;
      const startedMs = Date.now();
      process.kill(pid, 'SIGTERM');
      const sentence = await isEnded;
      const tookMs = Date.now() - startedMs;
      count('stopped');
      if (sentence !== 'The function query ended with code 0.') violate(`${url}: ${sentence}`);
      if (tookMs > END_MS_MAX) violate(`${url}: ended ${tookMs} ms after SIGTERM`);
      instance.judgeLog();
      await running.stop();
    },
    judgeLog: () => {
      for (const sentence of faultsOfLog(running, secrets)) violate(`${url}: ${sentence}`);
    },
  };
  return instance;
}

/** At most one for each kind of fault. */
export function faultsOfLog(
  running: Pick<RunningFunction, 'output' | 'lines'>,
  secrets: readonly string[],
): string[] {
  const output = running.output();
  const faults = secrets.some((secret) => output.includes(secret)) ? ['logs an API key'] : [];
  try {
    const lines = running.lines();
    const odd = lines.find(({ event = '' }) => FAULTY_EVENTS.has(event));
    if (odd !== undefined) faults.push(`logs ${JSON.stringify(odd)}`);
    // A warming run logs the cause with the job, and each entry that failed without it.
    const internal = lines.find(
      ({ event, reason, error }) =>
        reason === 'INTERNAL' && event !== 'warm_entry_failed' && !UNFIT_RESULT.test(String(error)),
    );
    if (internal !== undefined) faults.push(`logs ${JSON.stringify(internal)}`);
  } catch (error) {
    faults.push(`logs what is no log line: ${String(error).slice(0, 300)}`);
  }
  return faults;
}
