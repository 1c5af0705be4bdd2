// `npm run doctor`: whether the job of Cloud Scheduler calls warm every five minutes, with success.
import type { protos } from '@google-cloud/scheduler';
import { DEPLOYMENT } from '../deploy/defaults.ts';
import { withScheduler } from '../warm/scheduler-job.ts';
import { type Deployment, logCommand, warmCommand } from './deployment.ts';
import { type Finding, fault, faultOfCall, inTime, right, span } from './finding.ts';

type Job = protos.google.cloud.scheduler.v1.IJob;

/** Three runs. */
const RECENT_MS = 15 * 60_000;
const PERMISSION_DENIED = 7;
const DEPLOY = 'npm run deploy';

export async function checkScheduler(of: Deployment, nowMs: number): Promise<Finding[]> {
  const { project, location, job, timeoutMs } = of;
  const name = `projects/${project}/locations/${location}/jobs/${job}`;
  let found: Job = {};
  // Without retries, which would go on after the command has given up.
  const options = { timeout: timeoutMs, retry: null };
  const asked = withScheduler(name, of.hosts.scheduler, async (client) => {
    [found] = await client.getJob({ name }, options);
  });
  try {
    await inTime(timeoutMs + 1000, asked);
  } catch (error) {
    const grant = `gcloud projects add-iam-policy-binding ${project} --member=user:YOU --role=roles/cloudscheduler.viewer`;
    const subject = { name: 'Cloud Scheduler', api: 'cloudscheduler.googleapis.com', project };
    return [
      faultOfCall(error, {
        ...{ ...subject, timeoutMs },
        missing: [`The scheduler job ${name} does not exist`, DEPLOY],
        denied: [`You may not read the scheduler job ${name}`, grant],
      }),
    ];
  }
  const faults = faultsOfJob(found, of, nowMs);
  const well = right(`Cloud Scheduler: the job ${job} runs every 5 minutes`);
  return faults.length > 0 ? faults : [well];
}

function faultsOfJob(found: Job, of: Deployment, nowMs: number): Finding[] {
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
  if (Number.isNaN(attemptMs)) {
    faults.push(fault(`${job} has never run`, warmCommand(of, 'run', '--wait')));
    return faults;
  }
  // A paused job is old for that reason.
  if (nowMs - attemptMs > RECENT_MS && !isPaused) {
    const what = `${job} last ran ${span(nowMs - attemptMs)} ago`;
    faults.push(fault(what, warmCommand(of, 'run', '--wait')));
  }
  const { code, message } = status ?? {};
  if (code === PERMISSION_DENIED) {
    faults.push(fault(`${job} may not call warm (it lost roles/run.invoker)`, DEPLOY));
  } else if (code) {
    const what = `${job} failed in its last attempt with code ${code}${message ? `: ${message}` : ''}`;
    faults.push(fault(what, logCommand(of, 'warm_failed')));
  }
  return faults;
}
