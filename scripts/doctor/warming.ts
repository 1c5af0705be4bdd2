// `npm run doctor`: whether the database of the results answers, and whether warming keeps up.
import type { Firestore } from '@google-cloud/firestore';
import { type Endpoint, RUN_SECONDS, isWarmed } from '../../functions/endpoints/endpoint.ts';
import { millisOf } from '../../functions/google/result-store.ts';
import { liveSeconds } from '../../functions/results/readers.ts';
import { counted } from '../cli/table.ts';
import { withFirestore } from '../keys/key-register.ts';
import { type RecordedRun, createOperatorStore } from '../warm/operator-store.ts';
import { type Deployment, logCommand, warmCommand } from './deployment.ts';
import { type Finding, fault, faultOfCall, right, span } from './finding.ts';

/** Three runs. */
const RECENT_MS = 15 * 60_000;
const RESULTS_MAX = 1000;
const MORE_TIME =
  'add warm.sql, or raise WARM_CONCURRENCY or cacheWarmingSeconds: docs/troubleshooting-operations.md#warming-does-not-run';

/** Calls `use` with a database of the deployment; what fails becomes a fault. */
export async function inDatabase(
  { project, timeoutMs, hosts }: Deployment,
  database: string,
  use: Parameters<typeof withFirestore<Finding[]>>[1],
): Promise<Finding[]> {
  // Its client retries most errors for some seconds.
  const waitMs = 1.5 * timeoutMs;
  const where = { project, database, timeoutMs: waitMs, emulatorHost: hosts.firestore };
  const name = `The Firestore database ${database}`;
  const grant = `gcloud projects add-iam-policy-binding ${project} --member=user:YOU --role=roles/datastore.viewer`;
  try {
    return await withFirestore(where, use);
  } catch (error) {
    return [
      faultOfCall(error, {
        ...{ name, api: 'firestore.googleapis.com', project, timeoutMs: waitMs },
        missing: [`${name} does not exist`, 'npm run deploy'],
        denied: [`You may not read the Firestore database ${database}`, grant],
        unfit: [`${name} is not in Native mode`, 'choose another name, and npm run deploy'],
      }),
    ];
  }
}

export function checkWarming(of: Deployment, endpoints: readonly Endpoint[]): Promise<Finding[]> {
  return inDatabase(of, of.database, async (firestore, inTime) => {
    const { run, nowMs } = await inTime(createOperatorStore(firestore).lastRun());
    const faults = faultsOfRun(run, nowMs, of);
    const late = await inTime(lateResults(firestore, endpoints, nowMs));
    const [first] = late;
    if (first !== undefined) {
      const what = `Warming does not keep up: ${counted(late.length, 'result')} in use expired, such as one of ${first}`;
      faults.push(fault(what, MORE_TIME));
    }
    const well = right('Warming: the last run refreshed all results');
    const answers = right(`Firestore: the database ${of.database} answers`);
    return [answers, ...(faults.length > 0 ? faults : [well])];
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
  if (failed) {
    const what = `The last run of warm could not refresh ${counted(Number(failed), 'result')}`;
    faults.push(fault(what, logCommand(of, 'warm_entry_failed')));
  }
  if (leftOver) {
    const what = `The last run of warm had no time for ${counted(Number(leftOver), 'result')}`;
    faults.push(fault(what, MORE_TIME));
  }
  if (listingCut) {
    faults.push(fault('Warming does not list all results that are read', 'raise WARM_MAX_ENTRIES'));
  }
  if (overBytes) {
    const what = `WARM_BYTES_PER_DAY left out ${counted(Number(overBytes), 'result')}`;
    faults.push(fault(what, 'raise it, or see docs/reference/cost.md#bounds'));
  }
  return faults;
}

/** The endpoints of the results that a run should have refreshed: expired, and still to be kept warm. */
async function lateResults(firestore: Firestore, endpoints: readonly Endpoint[], nowMs: number) {
  const warmed = new Map(endpoints.filter(isWarmed).map((endpoint) => [endpoint.id, endpoint]));
  if (warmed.size === 0) return [];
  const liveMs = 1000 * Math.max(...[...warmed.values()].map(liveSeconds));
  const { docs } = await firestore
    .collection('results')
    .where('lastReadAt', '>=', new Date(nowMs - liveMs))
    .orderBy('lastReadAt', 'desc')
    .limit(RESULTS_MAX)
    .select('endpointId', 'freshUntil', 'lastReadAt')
    .get();
  return docs.flatMap((document) => {
    const endpoint = warmed.get(String(document.get('endpointId')));
    const freshUntilMs = millisOf(document.get('freshUntil')) ?? Infinity;
    const readMs = millisOf(document.get('lastReadAt')) ?? 0;
    const isLate = nowMs - freshUntilMs > RUN_SECONDS * 1000;
    const isLive = endpoint && nowMs - readMs < liveSeconds(endpoint) * 1000;
    return isLive && isLate ? [endpoint.name] : [];
  });
}
