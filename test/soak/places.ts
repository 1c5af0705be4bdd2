// Two instances of `query` and one of `warm`: processes that a soak test kills, stops, and replaces at their addresses.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunningFunction } from '../support/service/running-function.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { END_MS_MAX } from './settings.ts';
import type { Verdict } from './verdict.ts';
import { createWarming } from './warming.ts';

export interface Started {
  running: RunningFunction;
}

/** A slot behind the load balancer, with its current instance. */
export type Place<Process extends Started = Started> = Process & { instance: Instance };

interface Parts<Process extends Started> {
  /** Starts a process, at a port if one is given; whoever gives this function ends it. */
  start: (target: 'query' | 'warm', port?: number) => Promise<Process>;
  /** What no log may hold. */
  secret: string;
  faults: Pick<FaultSchedule, 'now' | 'wasFaulty' | 'reasons'>;
  verdict: Verdict;
}

export async function startPlaces<Process extends Started>(parts: Parts<Process>) {
  const { start, secret, faults, verdict } = parts;
  const open = async (port?: number): Promise<Place<Process>> => {
    const started = await start('query', port);
    return { ...started, instance: createInstance(started.running, secret, verdict) };
  };
  const places = [await open(), await open()];
  let isKilled = false;
  const startWarm = async (port?: number) => {
    const started = await start('warm', port);
    isKilled = false;
    void started.running.failed.then((sentence) => isKilled || verdict.violate(sentence));
    return started;
  };
  let warm = await startWarm();
  const warming = createWarming(warm.running.url, faults, verdict);
  const judgeWarm = (): void => {
    for (const fault of faultsOfLog(warm.running, secret)) verdict.violate(`warm: ${fault}`);
  };
  return {
    places,
    warming,
    /** Starts a new instance in place of one that has ended. */
    replace: async (place: Place<Process>): Promise<void> =>
      void Object.assign(place, await open(place.instance.running.port)),
    killWarm: (told: (warm: Process) => void = () => undefined): Promise<void> =>
      warming.restart(async () => {
        isKilled = true;
        process.kill(warm.running.pid, 'SIGKILL');
        told(warm);
        await warm.running.failed;
        verdict.count('warm killed');
        judgeWarm();
        await warm.running.stop();
        warm = await startWarm(warm.running.port);
      }),
    judgeLogs: (): void => {
      for (const { instance } of places) instance.judgeLog();
      judgeWarm();
    },
  };
}

export type Instance = ReturnType<typeof createInstance>;

/** The expected errors of INTERNAL: results that do not fit, and the same error at a waiting instance. */
const UNFIT_RESULT = /The result of BigQuery does not fit|^ServiceError: Internal error\.$/;
const FAULTY_EVENTS = new Set(['crash', 'stopped_late', 'process_warning', 'console']);

function createInstance(running: RunningFunction, apiKey: string, { violate, count }: Verdict) {
  const { pid, url, failed } = running;
  const pauses: { fromMs: number; toMs: number }[] = [];
  let isStopping = false;
  const isEnded = failed.then((sentence) => {
    if (!isStopping) violate(`${url}: ${sentence} ${running.output().slice(-500)}`);
    return sentence;
  });
  const judgeLog = (): void => {
    for (const sentence of faultsOfLog(running, apiKey)) violate(`${url}: ${sentence}`);
  };
  return {
    running,
    /** Whether requests may be sent to it. */
    isOpen: true,
    /** Whether it was paused at some time between the two instants. */
    wasPaused: (fromMs: number, toMs: number) =>
      pauses.some((pause) => pause.fromMs <= toMs && pause.toMs >= fromMs),
    isStopping: () => isStopping,
    /** Stops it with SIGSTOP. Another process resumes it after this time, also if this program ends. */
    pause: async (ms: number): Promise<void> => {
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
    /** Ends it with SIGTERM. It must end in time, with exit code 0 and a log without faults. */
    terminate: async (): Promise<void> => {
      isStopping = true;
      const startedMs = Date.now();
      process.kill(pid, 'SIGTERM');
      const sentence = await isEnded;
      const tookMs = Date.now() - startedMs;
      count('stopped');
      if (sentence !== 'The function query ended with code 0.') violate(`${url}: ${sentence}`);
      if (tookMs > END_MS_MAX) violate(`${url}: ended ${tookMs} ms after SIGTERM`);
      judgeLog();
      await running.stop();
    },
    /** Kills it, as a crash of its machine does. */
    kill: async (): Promise<void> => {
      isStopping = true;
      process.kill(pid, 'SIGKILL');
      await isEnded;
      judgeLog();
      await running.stop();
    },
    judgeLog,
  };
}

/** The faults of a log, at most one of each kind. */
function faultsOfLog(running: Pick<RunningFunction, 'output' | 'lines'>, apiKey: string): string[] {
  const faults = running.output().includes(apiKey) ? ['logs the API key'] : [];
  try {
    const lines = running.lines();
    const odd = lines.find(({ event = '' }) => FAULTY_EVENTS.has(event));
    if (odd !== undefined) faults.push(`logs ${JSON.stringify(odd)}`);
    // A warming run logs the cause once, with the job, and not with each failed entry.
    const internal = lines.find(
      ({ event, reason, error }) =>
        reason === 'INTERNAL' && event !== 'warm_entry_failed' && !UNFIT_RESULT.test(String(error)),
    );
    if (internal !== undefined) faults.push(`logs ${JSON.stringify(internal)}`);
  } catch (error) {
    faults.push(`prints something other than log lines: ${String(error).slice(0, 300)}`);
  }
  return faults;
}
