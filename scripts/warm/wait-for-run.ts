// Starts warming runs until one has done what a command waits for.
import { setTimeout as delay } from 'node:timers/promises';
import type { OperatorStore, RecordedRun } from './operator-store.ts';

type Counts = NonNullable<RecordedRun['counts']>;

interface Wait {
  store: Pick<OperatorStore, 'lastRun'>;
  start: () => Promise<void>;
  /** Whether a run that has ended has done what is awaited. */
  isMet: (run: RecordedRun) => boolean;
  /** The catalogue of the bundle that is awaited, if one is. */
  digest?: string | undefined;
  timeoutSeconds: number;
  note: (line: string) => void;
}

const POLL_MS = 500;
/** The minimum time between two starts: at first, and after a failed run; after a run that had begun earlier. */
const START_AGAIN_MS = 15_000;
const START_NEXT_MS = 2000;
/** Runs of the previous bundle: one that was under way at the deployment, and one that an instance accepted before it ended. */
const OTHER_RUNS_MAX = 2;

/** The counts of the run; throws an Error if none succeeds in time. */
export async function waitForRun(wait: Wait): Promise<Counts> {
  const { store, start, isMet, digest, timeoutSeconds, note } = wait;
  let { nowMs: sinceMs } = await store.lastRun();
  const untilMs = performance.now() + timeoutSeconds * 1000;
  let startedMs = -Infinity;
  let pauseMs = START_AGAIN_MS;
  let otherRuns = 0;
  while (performance.now() < untilMs) {
    if (performance.now() >= startedMs + pauseMs) {
      startedMs = performance.now();
      pauseMs = START_AGAIN_MS;
      await start();
    }
    const { run } = await store.lastRun();
    if (run !== undefined && run.endedAtMs > sinceMs) {
      const { counts } = run;
      if (isMet(run) && counts !== undefined) return counts;
      sinceMs = run.endedAtMs;
      if (digest !== undefined && run.catalogueDigest !== digest) otherRuns += 1;
      if (otherRuns > OTHER_RUNS_MAX) {
        throw new Error(
          'warm runs another bundle: another deployment has replaced this one, or this one was not deployed.',
        );
      }
      if (counts === undefined) {
        note('A run failed; see the log of warm. Another one is started.');
      } else {
        note('An earlier run has ended. Another one is started.');
        pauseMs = START_NEXT_MS;
      }
    }
    await delay(POLL_MS);
  }
  throw new Error(
    `No run of warm succeeded within ${timeoutSeconds} s. See the log of warm; "npm run warm -- status" shows the job.`,
  );
}

/** The report of a run in one line; throws it as an Error if nothing could be refreshed. */
export function describeRun(counts: Counts): string {
  const { live, refreshed, unchanged = 0, failed, leftOver, running = 0, jobs } = counts;
  const rest = Number(failed) + Number(leftOver);
  const left = rest === 0 ? '' : `, ${rest} not (see the log of warm)`;
  const on = Number(running) > 0 ? `, ${running} still running` : '';
  const same = unchanged ? `, ${unchanged} unchanged` : '';
  const report = `Live results: ${live}, ${refreshed} refreshed${same}${on}${left}. BigQuery jobs: ${jobs}.`;
  if (rest > 0 && Number(refreshed) + Number(unchanged) === 0) throw new Error(report);
  return report;
}
