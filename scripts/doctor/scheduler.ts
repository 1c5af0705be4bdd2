// `npm run doctor`: whether the job of Cloud Scheduler calls warm every five minutes, with success.
import type { protos } from '@google-cloud/scheduler';
import { DEPLOYMENT } from '../deploy/defaults.ts';
import { jobName, withScheduler } from '../warm/scheduler-job.ts';
import { type Deployment, logCommand, warmCommand } from './deployment.ts';
import { type Finding, fault, inTime, orRight, span } from './finding.ts';

/** Three runs. */
const RECENT_MS = 15 * 60_000;
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
