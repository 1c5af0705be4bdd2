// `npm run doctor`: whether the scheduler job calls warm every five minutes, and what the last run of warming did.
import type { protos } from '@google-cloud/scheduler';
import { counted } from '../cli/table.ts';
import { DEPLOYMENT } from '../deploy/defaults.ts';
import { withFirestore } from '../keys/key-register.ts';
import { type RecordedRun, createOperatorStore } from '../warm/operator-store.ts';
import { jobName, withScheduler } from '../warm/scheduler-job.ts';
import { type Deployment, logCommand, warmCommand } from './deployment.ts';
import { type Finding, fault, inTime, orRight, span } from './finding.ts';

/** Three runs. */
const RECENT_MS = 15 * 60_000;
const MORE_TIME =
  'add warming.batchOver, or raise WARM_CONCURRENCY or cacheWarmingSeconds: docs/troubleshooting-operations.md#warming-does-not-run';

const PERMISSION_DENIED = 7;
const DEPLOY = 'npm run deploy';

export async function checkScheduler(of: Deployment, nowMs: number): Promise<Finding[]> {
  let found: protos.google.cloud.scheduler.v1.IJob = {};
  // Without retries, which would go on after the command has given up.
  const options = { timeout: of.timeoutMs + 1000, retry: null };
  const asked = withScheduler(jobName(of), of.hosts.scheduler, async (client, job) => {
    [found] = await client.getJob(job, options);
  });
  await inTime('Cloud Scheduler', of.timeoutMs, asked);
  const { state, schedule, status, lastAttemptTime } = found;
  const faults: Finding[] = [];
  const job = `The scheduler job ${of.job}`;
  const isPaused = state === 'PAUSED';
  if (isPaused) faults.push(fault(`${job} is paused`, warmCommand(of, 'resume')));
  else if (state !== 'ENABLED') faults.push(fault(`${job} is ${String(state)}`, DEPLOY));
  const { schedule: expected } = DEPLOYMENT.schedule;
  if (schedule !== expected) {
    faults.push(fault(`${job} has the schedule ${schedule}, not ${expected}`, DEPLOY));
  }
  const attemptMs = Number(lastAttemptTime?.seconds ?? NaN) * 1000;
  const again = warmCommand(of, 'run', '--wait');
  if (Number.isNaN(attemptMs)) faults.push(fault(`${job} has never run`, again));
  // A paused job is old for that reason.
  if (nowMs - attemptMs > RECENT_MS && !isPaused) {
    faults.push(fault(`${job} last ran ${span(nowMs - attemptMs)} ago`, again));
  }
  const { code, message } = status ?? {};
  if (code === PERMISSION_DENIED) {
    faults.push(fault(`${job} may not call warm (it lost roles/run.invoker)`, DEPLOY));
  } else if (code) {
    const what = `${job} failed in its last attempt with code ${code}${message ? `: ${message}` : ''}`;
    faults.push(fault(what, logCommand(of, 'warm_failed')));
  }
  return orRight(`Cloud Scheduler: the job ${of.job} runs every 5 minutes`, faults);
}

/** Calls `use` with a database of the deployment. */
export function inDatabase(
  { project, timeoutMs, hosts }: Deployment,
  database: string,
  use: Parameters<typeof withFirestore<Finding[]>>[1],
): Promise<Finding[]> {
  // Its client retries most errors for some seconds.
  const where = { project, database, timeoutMs: 1.5 * timeoutMs, emulatorHost: hosts.firestore };
  return withFirestore(where, use);
}

export function checkWarming(of: Deployment): Promise<Finding[]> {
  return inDatabase(of, of.database, async (firestore, within) => {
    const { run, nowMs } = await within(createOperatorStore(firestore).lastRun());
    return orRight('Warming: the last run refreshed all results', faultsOfRun(run, nowMs, of));
  });
}

export function faultsOfRun(
  run: RecordedRun | undefined,
  nowMs: number,
  of: Deployment,
): Finding[] {
  const again = warmCommand(of, 'run', '--wait');
  if (run === undefined) return [fault(`No run of warm is recorded in ${of.database}`, again)];
  const faults: Finding[] = [];
  const ageMs = nowMs - run.endedAtMs;
  if (ageMs > RECENT_MS) {
    const what = `The last run of warm ended ${span(ageMs)} ago`;
    faults.push(fault(what, warmCommand(of, 'status')));
  }
  const { counts } = run;
  if (counts === undefined) {
    return [...faults, fault('The last run of warm failed', logCommand(of, 'warm_failed'))];
  }
  const { failed = 0, leftOver = 0, listingCut = false, overBytes = 0 } = counts;
  const results = (count: unknown): string => counted(Number(count), 'result');
  if (failed) {
    const what = `The last run of warm could not refresh ${results(failed)}`;
    faults.push(fault(what, logCommand(of, 'warm_entry_failed')));
  }
  if (leftOver) {
    faults.push(fault(`The last run of warm had no time for ${results(leftOver)}`, MORE_TIME));
  }
  if (listingCut) {
    faults.push(fault('Warming does not list all results that are read', 'raise WARM_MAX_ENTRIES'));
  }
  if (overBytes) {
    const what = `WARM_BYTES_PER_DAY left out ${results(overBytes)}`;
    faults.push(fault(what, 'raise it, or see docs/reference/cost.md#bounds'));
  }
  return faults;
}
