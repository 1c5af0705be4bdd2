// Two instances of `query` and one of `warm`: processes that a soak test kills, stops, and replaces at their addresses.
import type { RunningFunction } from '../support/service/running-function.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { type Instance, createInstance, faultsOfLog } from './instance.ts';
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
        warm = await startWarm(warm.running.port);
      }),
    judgeLogs: (): void => {
      for (const { instance } of places) instance.judgeLog();
      judgeWarm();
    },
  };
}
